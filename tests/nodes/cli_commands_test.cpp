// The commands end to end, against a server that answers what a test wants.
#include <atomic>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// One with more handlers, and more runs and results, than an answer holds.
QueueView wide_queue() {
  QueueView view;
  view.name = "wide";
  view.waiting = 51'000;
  view.waiting_by_handler = {{"send", 1}};
  view.handlers_left_out = 1'234;
  return view;
}

JobDetails long_job() {
  JobDetails details;
  details.job.id = 19;
  details.job.queue = "email";
  details.job.handler = "send";
  details.job.worker = "w\u202e1";
  RunView run;
  run.run = 103;
  run.result_left_out = true;
  details.runs.push_back(run);
  run.run = 104;
  run.end = RunEnd::failed;
  run.result_left_out = false;
  run.error = RunError{.type = "exit status 3", .message = "exit status 3", .trace = ""};
  details.runs.push_back(run);
  details.runs_left_out = 102;
  return details;
}

QueueView queue(const std::string& name, std::int64_t waiting) {
  QueueView view;
  view.name = name;
  view.waiting = waiting;
  view.waiting_by_handler = {{"send", waiting}};
  return view;
}

JobDetails details() {
  JobDetails details;
  details.job.id = 17;
  details.job.queue = "email";
  details.job.handler = "send";
  details.job.state = JobState::dead;
  details.job.reason = "failed 3 times";
  details.job.attempts = details.job.max_attempts = details.job.runs = 3;
  details.payload = Payload{.bytes = "a\x1b[31mb", .is_text = true};
  details.meta = {{"k", "v"}};
  RunView run;
  run.run = 3;
  run.attempt = 3;
  run.worker = "w1";
  run.end = RunEnd::failed;
  run.error = RunError{.type = "Oops", .message = "no route", .trace = ""};
  details.runs.push_back(run);
  return details;
}

std::optional<Answer> inspect_answer(const Request& request) {
  if (const auto* list = std::get_if<ListQueues>(&request)) {
    Queues page;
    if (list->name.empty() && list->cursor.empty()) {
      page.queues = {queue("email", 1'200)};
      page.cursor = "next";
    } else if (list->name == "wide") {
      page.queues = {wide_queue()};
    } else if (list->name.empty() || list->name == "other") {
      page.queues = {queue("other", 0)};
    }
    return page;
  }
  if (const auto* get = std::get_if<GetLimit>(&request)) {
    LimitState state;
    state.name = get->name;
    state.paused = state.name == "other";
    return state;
  }
  if (std::holds_alternative<ListWorkers>(request)) {
    WorkerView worker;
    worker.worker = "w1";
    worker.hostname = "host";
    worker.pid = 42;
    worker.queues = {"email"};
    worker.handlers = {"send"};
    return Workers{.workers = {worker}, .cursor = ""};
  }
  if (std::holds_alternative<ListJobs>(request)) return Jobs{.jobs = {details().job}, .cursor = "more"};
  if (const auto* get = std::get_if<GetJob>(&request)) {
    if (get->id == 17) return details();
    if (get->id == 19) return long_job();
    if (get->id == 20) return Error{.code = ErrorCode::internal, .message = "it said \x1b[2J\u202e"};
    return Error{.code = ErrorCode::not_found, .message = "no job " + std::to_string(get->id), .field = "id"};
  }
  if (std::holds_alternative<RetryJob>(request)) {
    JobDetails retried = details();
    retried.job.state = JobState::waiting;
    return retried;
  }
  if (const auto* remove = std::get_if<DeleteJob>(&request)) {
    if (remove->id == 17) return Deleted{.id = 17};
    return Error{.code = ErrorCode::conflict, .message = "it runs"};
  }
  if (std::holds_alternative<GetStats>(request)) {
    Stats stats;
    stats.server = "fake";
    stats.version = "0.1.0";
    stats.uptime_ms = 192'000;
    stats.waiting = 1'200;
    stats.database_bytes = 12 << 20;
    return stats;
  }
  return plain_answer(request);
}

class Inspecting : public testing::Test {
 protected:
  ProgramRun stint(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", server_.endpoint(), "--wait", "20s"});
    return run_stint(std::move(arguments));
  }
  FakeServer server_{inspect_answer};
};

TEST_F(Inspecting, ping_says_ready_and_how_long_it_took) {
  const ProgramRun ping = stint({"ping"});
  EXPECT_EQ(ping.status, ExitStatus::done);
  EXPECT_TRUE(contains(ping.out, "fake at " + server_.endpoint() + ": ready, stint 0.1.0, ")) << ping.out;
  EXPECT_TRUE(contains(ping.out, " ms\n"));
}

TEST_F(Inspecting, queue_list_asks_for_all_pages) {
  const ProgramRun list = stint({"queue", "list"});
  EXPECT_EQ(list.out,
            "QUEUE  WAITING  SCHEDULED  RETRYING  RUNNING  DEAD  WORKERS\n"
            "email    1,200          0         0        0     0        0\n"
            "other        0          0         0        0     0        0\n");
}

TEST_F(Inspecting, queue_show_of_an_unknown_queue_is_refused) {
  EXPECT_EQ(stint({"queue", "show", "other"}).status, ExitStatus::done);
  const ProgramRun show = stint({"queue", "show", "nowhere"});
  EXPECT_EQ(show.status, ExitStatus::refused);
  EXPECT_EQ(show.out, "");
  EXPECT_TRUE(contains(show.err, "not_found: there is no queue 'nowhere'")) << show.err;
  EXPECT_TRUE(contains(show.err, "no worker serves it")) << show.err;
}

TEST_F(Inspecting, worker_list_names_host_queues_and_handlers) {
  const ProgramRun list = stint({"worker", "list"});
  for (const char* word : {"w1", "host:42", "email", "send"})
    EXPECT_TRUE(contains(list.out, word)) << list.out;
}

TEST_F(Inspecting, job_list_passes_its_filter_on) {
  const ProgramRun list =
      stint({"job", "list", "--queue", "email", "--handler", "send", "--state", "dead", "--rows", "1"});
  EXPECT_EQ(list.status, ExitStatus::done);
  EXPECT_TRUE(contains(list.out, "17  dead   email  send"));
  EXPECT_TRUE(contains(list.out, "failed 3 times"));
  EXPECT_TRUE(contains(list.err, "there are more"));
  const ListJobs request = server_.requests_of<ListJobs>().at(0);
  EXPECT_EQ(request.queue, "email");
  EXPECT_EQ(request.handler, "send");
  EXPECT_EQ(request.state, JobState::dead);
  EXPECT_EQ(request.limit, 1);
}

TEST_F(Inspecting, job_show_gives_a_terminal_nothing_to_obey) {
  const ProgramRun show = stint({"job", "show", "17"});
  EXPECT_EQ(show.status, ExitStatus::done);
  EXPECT_TRUE(contains(show.out, "a\\x1b[31mb  (7 B of text)")) << show.out;
  EXPECT_FALSE(contains(show.out, "\x1b"));
  EXPECT_TRUE(contains(show.out, "Oops: no route"));
}

TEST_F(Inspecting, job_show_says_what_is_left_out) {
  const ProgramRun show = stint({"job", "show", "19"});
  EXPECT_TRUE(contains(show.out, "(left out: too much with the newer results)")) << show.out;
  EXPECT_TRUE(contains(show.out, "w\\u202e1"));
  EXPECT_TRUE(contains(show.out, "102 older runs are not shown: too many, or no longer kept\n")) << show.out;
  const ProgramRun json = stint({"job", "show", "19", "--json"});
  EXPECT_TRUE(contains(json.out, "\"runs_left_out\": 102"));
  EXPECT_TRUE(contains(json.out, "\"result_left_out\": true"));
}

TEST_F(Inspecting, job_show_says_an_error_once_whose_type_is_its_message) {
  const ProgramRun show = stint({"job", "show", "19"});
  EXPECT_TRUE(contains(show.out, "  exit status 3\n")) << show.out;
  EXPECT_FALSE(contains(show.out, "exit status 3: exit status 3"));
}

TEST_F(Inspecting, queue_show_says_that_the_queue_is_paused) {
  EXPECT_TRUE(contains(stint({"queue", "show", "other"}).out, "paused until it is resumed"));
  EXPECT_FALSE(contains(stint({"queue", "show", "wide"}).out, "Limit"));
}

TEST_F(Inspecting, queue_show_says_how_many_handlers_are_left_out) {
  EXPECT_TRUE(contains(stint({"queue", "show", "wide"}).out, "and 1,234 more handlers with waiting jobs\n"));
  EXPECT_TRUE(contains(stint({"queue", "show", "wide", "--json"}).out, "\"handlers_left_out\": 1234"));
}

TEST_F(Inspecting, an_error_gives_a_terminal_nothing_to_obey) {
  EXPECT_EQ(stint({"job", "show", "20"}).err, "stint: internal: it said \\x1b[2J\\u202e\n");
}

TEST_F(Inspecting, a_refusal_is_told_on_stderr_and_ends_with_1) {
  const ProgramRun show = stint({"job", "show", "18"});
  EXPECT_EQ(show.status, ExitStatus::refused);
  EXPECT_EQ(show.out, "");
  EXPECT_EQ(show.err, "stint: not_found: no job 18\n");
}

TEST_F(Inspecting, job_changes_are_answered_for_each_id) {
  EXPECT_EQ(stint({"job", "retry", "17"}).out, "17 waiting\n");
  const ProgramRun removed = stint({"job", "delete", "18", "17"});
  EXPECT_EQ(removed.out, "17 deleted\n");
  EXPECT_EQ(removed.err, "stint: job 18: conflict: it runs\n");
  EXPECT_EQ(removed.status, ExitStatus::refused);
}

TEST_F(Inspecting, status_shows_jobs_queues_workers_and_sizes) {
  const ProgramRun status = stint({"status"});
  for (const char* word : {"node fake (storage) at tcp://", "stint 0.1.0", "up 3 min 12 s",
                           "database 12.0 MiB", "1,200", "email", "w1"}) {
    EXPECT_TRUE(contains(status.out, word)) << word << "\n" << status.out;
  }
}

TEST(Status, names_the_node_that_is_asked_and_the_storage_node_behind_it) {
  const FakeServer limiter([](const Request& request) -> std::optional<Answer> {
    if (std::holds_alternative<Ping>(request))
      return Pong{.server = "limiter-1", .version = "1", .epoch = 0, .ready = true};
    if (std::holds_alternative<ListLimits>(request)) return Limits{};
    return inspect_answer(request);
  });
  for (const auto& words : {std::vector<std::string>{"status"}, {"status", "--watch", "--times", "1"}}) {
    std::vector<std::string> arguments = words;
    arguments.insert(arguments.end(), {"--server", limiter.endpoint(), "--wait", "20s"});
    const ProgramRun status = run_stint(std::move(arguments));
    EXPECT_TRUE(contains(status.out, "node limiter-1 (limiter) at " + limiter.endpoint() + "\n"))
        << status.out;
    EXPECT_TRUE(contains(status.out, "\nstorage node fake")) << status.out;
  }
}

TEST_F(Inspecting, json_is_one_object_and_nothing_else) {
  const std::vector<std::vector<std::string>> commands{{"ping"},
                                                       {"queue", "list"},
                                                       {"queue", "show", "other"},
                                                       {"worker", "list"},
                                                       {"job", "list", "--rows", "1"},
                                                       {"job", "show", "17"},
                                                       {"job", "retry", "17"},
                                                       {"job", "delete", "17"},
                                                       {"status"},
                                                       {"enqueue", "h"}};
  for (std::vector<std::string> words : commands) {
    words.emplace_back("--json");
    const ProgramRun program = stint(words);
    EXPECT_EQ(program.status, ExitStatus::done) << words.front();
    EXPECT_EQ(program.err, "");
    EXPECT_TRUE(program.out.starts_with("{\n") && program.out.ends_with("\n}\n")) << program.out;
  }
  EXPECT_TRUE(contains(stint({"job", "show", "17", "--json"}).out, "\"payload\": \"a\\u001b[31mb\""));
}

TEST(Ping, of_a_server_that_is_not_ready_ends_with_69) {
  const FakeServer server(
      [](const Request&) { return Pong{.server = "s", .version = "1", .epoch = 1, .ready = false}; });
  const ProgramRun ping = run_stint({"ping", "--server", server.endpoint(), "--wait", "200ms"});
  EXPECT_EQ(ping.status, ExitStatus::no_server);
  EXPECT_TRUE(contains(ping.out, "not ready"));
}

TEST(Ping, waits_for_a_server_that_becomes_ready) {
  std::atomic<int> asked = 0;
  const FakeServer server(
      [&](const Request&) { return Pong{.server = "s", .version = "1", .epoch = 1, .ready = ++asked > 2}; });
  const ProgramRun ping = run_stint({"ping", "--server", server.endpoint(), "--wait", "20s"});
  EXPECT_EQ(ping.status, ExitStatus::done);
  EXPECT_TRUE(contains(ping.out, ": ready"));
}

// A TCP port on loopback that nobody takes while this lives; it listens if it is told to, and never answers.
class TakenPort {
 public:
  explicit TakenPort(bool listens) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(fd_, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    if (listens) listen(fd_, 8);
    endpoint_ = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~TakenPort() { close(fd_); }
  const std::string& endpoint() const { return endpoint_; }

 private:
  int fd_;
  std::string endpoint_;
};

TEST(NoServer, is_told_apart_nothing_listens) {
  const TakenPort port(false);
  const ProgramRun ping = run_stint({"ping", "--server", port.endpoint(), "--wait", "200ms"});
  EXPECT_EQ(ping.status, ExitStatus::no_server);
  EXPECT_TRUE(contains(ping.err, "nothing listens at " + port.endpoint() + ", is a node running?"));
  EXPECT_TRUE(contains(ping.err, "`stint node`"));
}

TEST(NoServer, is_told_apart_something_else_listens) {
  const TakenPort port(true);
  const ProgramRun ping = run_stint({"ping", "--server", port.endpoint(), "--wait", "300ms"});
  EXPECT_EQ(ping.status, ExitStatus::no_server);
  EXPECT_TRUE(contains(ping.err, "did not take the connection")) << ping.err;
}

TEST(NoServer, is_told_apart_a_server_does_not_answer) {
  const FakeServer server([](const Request&) { return std::nullopt; });
  const ProgramRun ping = run_stint({"ping", "--server", server.endpoint(), "--wait", "500ms"});
  EXPECT_EQ(ping.status, ExitStatus::no_server);
  EXPECT_TRUE(contains(ping.err, "did not answer within 500 ms")) << ping.err;
}

TEST(Refusal, that_may_pass_is_tried_again) {
  int asked = 0;
  const FakeServer server([&](const Request& request) -> std::optional<Answer> {
    if (++asked < 3) return Error{.code = ErrorCode::overloaded, .message = "later", .retry_in_ms = 5};
    return plain_answer(request);
  });
  EXPECT_EQ(run_stint({"ping", "--server", server.endpoint(), "--wait", "20s"}).status, ExitStatus::done);
}

TEST(Refusal, that_does_not_pass_in_time_is_told) {
  const FakeServer server([](const Request&) {
    return Error{.code = ErrorCode::storage_unavailable, .message = "disk full", .retry_in_ms = 60'000};
  });
  const ProgramRun ping = run_stint({"ping", "--server", server.endpoint(), "--wait", "300ms"});
  EXPECT_EQ(ping.status, ExitStatus::refused);
  EXPECT_EQ(ping.err, "stint: storage_unavailable: disk full\n");
}

TEST(Refusal, of_who_asks_ends_with_77) {
  const FakeServer server(
      [](const Request&) { return Error{.code = ErrorCode::forbidden, .message = "no"}; });
  EXPECT_EQ(run_stint({"ping", "--server", server.endpoint()}).status, ExitStatus::not_allowed);
}

TEST(ConfigCheck, ends_with_0_or_78_and_names_every_fault) {
  const TemporaryFile good("[node]\nname = \"x\"\n");
  EXPECT_EQ(run_stint({"config", "check", good.path()}).out, good.path() + ": ok\n");
  const TemporaryFile bad("[node]\nnaem = \"x\"\n[storage]\nfile = 5\n");
  const ProgramRun check = run_stint({"config", "check", bad.path()});
  EXPECT_EQ(check.status, ExitStatus::config);
  EXPECT_EQ(check.out, "");
  EXPECT_TRUE(contains(check.err, bad.path() + ":2: node.naem"));
  EXPECT_TRUE(contains(check.err, bad.path() + ":4: storage.file = 5"));
}

TEST(ConfigCheck, looks_at_what_does_not_go_together_too) {
  const TemporaryFile bad("[node]\nroles = [\"worker\"]\n");
  EXPECT_EQ(run_stint({"config", "check", bad.path()}).status, ExitStatus::config);
}

TEST(Node, does_not_start_with_a_faulty_config) {
  const TemporaryFile bad("[node]\nnaem = \"x\"\n");
  EXPECT_EQ(run_stint({"node", "--config", bad.path()}).status, ExitStatus::config);
  EXPECT_EQ(run_stint({"node", "--config", "/nonexistent"}).status, ExitStatus::config);
  EXPECT_EQ(run_stint({"node", "--role", "storage"}).status, ExitStatus::usage);
}

}  // namespace
}  // namespace stint
