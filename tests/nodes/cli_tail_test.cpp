// `stint tail` and `stint status --watch`, against a server that answers what a test wants.
#include <future>
#include <gtest/gtest.h>

#include "nodes/cli/start_rates.hpp"
#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

EventMessage event(std::int64_t seq, EventKind kind, const std::vector<JobId>& jobs) {
  EventMessage message;
  message.seq = seq;
  message.log = "L1";
  message.at_ms = 1'769'846'400'250;
  message.event = kind;
  message.queue = "email";
  for (const JobId job : jobs) {
    EventItem item;
    item.job = job;
    item.handler = "send";
    item.run = 2;
    item.worker = "w1";
    message.items.push_back(item);
  }
  return message;
}

Events answer(std::vector<EventMessage> events, std::int64_t next_seq) {
  Events answer;
  answer.events = std::move(events);
  answer.next_seq = next_seq;
  answer.oldest_seq = 3;
  answer.log = "L1";
  return answer;
}

const Error gone{.code = ErrorCode::gone, .message = "events before 90 are no longer kept"};

// A log whose end is at 10; events 10 and 11 come, and then the log is another one: so that tail ends.
std::optional<Answer> short_log(const Request& request) {
  const auto* read = std::get_if<ReadEvents>(&request);
  if (read == nullptr) return std::nullopt;
  if (!read->from_seq) return answer({}, 10);
  if (*read->from_seq <= 10) {
    return answer({event(10, EventKind::enqueued, {1, 2}), event(11, EventKind::failed, {1})}, 12);
  }
  return gone;
}

ProgramRun tail(const FakeServer& server, std::vector<std::string> words = {}) {
  words.insert(words.begin(), {"tail", "--server", server.endpoint()});
  return run_stint(std::move(words));
}

std::vector<std::optional<std::int64_t>> places(const FakeServer& server) {
  std::vector<std::optional<std::int64_t>> all;
  for (const ReadEvents& read : server.requests_of<ReadEvents>()) all.push_back(read.from_seq);
  return all;
}

using Places = std::vector<std::optional<std::int64_t>>;

TEST(Tail, begins_now_and_reads_on_where_each_answer_ended) {
  FakeServer server(short_log);
  const ProgramRun run = tail(server);
  EXPECT_EQ(places(server), (Places{std::nullopt, 10, 12}));
  EXPECT_EQ(server.requests_of<ReadEvents>().at(1).log, "L1");
  EXPECT_GT(server.requests_of<ReadEvents>().at(1).wait_ms, 0);
}

TEST(Tail, prints_a_line_for_each_job_of_an_event) {
  FakeServer server(short_log);
  EXPECT_EQ(tail(server).out,
            "2026-01-31T08:00:00.250Z      10 enqueued    email job 1 send run 2 on w1\n"
            "2026-01-31T08:00:00.250Z      10 enqueued    email job 2 send run 2 on w1\n"
            "2026-01-31T08:00:00.250Z      11 failed      email job 1 send run 2 on w1\n");
}

TEST(Tail, gives_programs_a_line_of_JSON_for_each_job_of_an_event) {
  FakeServer server(short_log);
  const std::string out = tail(server, {"--json"}).out;
  EXPECT_TRUE(out.starts_with(R"({"seq":10,"log":"L1","at_ms":1769846400250,"event":"enqueued",)"
                              R"("queue":"email","job":1,"handler":"send","run":2,"worker":"w1"})"
                              "\n"))
      << out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
}

TEST(Tail, tells_clearly_when_what_it_would_read_is_gone) {
  FakeServer server(short_log);
  const ProgramRun run = tail(server);
  EXPECT_EQ(run.status, ExitStatus::refused);
  EXPECT_TRUE(contains(run.err, "gone: events before 90 are no longer kept")) << run.err;
  EXPECT_TRUE(contains(run.err, "`stint tail --from 0` begins with the oldest")) << run.err;
}

TEST(Tail, begins_with_the_oldest_that_is_kept_from_0) {
  FakeServer server(short_log);
  tail(server, {"--from", "0"});
  EXPECT_EQ(places(server), (Places{std::nullopt, 3, 12}));
}

TEST(Tail, begins_where_it_is_told) {
  FakeServer server(short_log);
  tail(server, {"--from", "7"});
  EXPECT_EQ(places(server), (Places{std::nullopt, 7, 12}));
}

TEST(Tail, asks_only_for_what_passes_its_filters) {
  FakeServer server(short_log);
  tail(server, {"--queue", "email", "--handler", "send", "--event", "failed", "--event", "lost"});
  for (const ReadEvents& read : server.requests_of<ReadEvents>()) {
    EXPECT_EQ(read.queue, "email");
    EXPECT_EQ(read.handler, "send");
    EXPECT_EQ(read.events, (std::vector<EventKind>{EventKind::failed, EventKind::lost}));
  }
}

TEST(Tail, refuses_an_event_that_is_none) {
  const ProgramRun run = run_stint({"tail", "--event", "begun"});
  EXPECT_EQ(run.status, ExitStatus::usage);
  EXPECT_TRUE(contains(run.err, "'begun' is not an event; expected one of enqueued, started")) << run.err;
}

TEST(Tail, prints_what_happens_to_limits) {
  FakeServer server([](const Request& request) -> std::optional<Answer> {
    const auto& read = std::get<ReadEvents>(request);
    if (!read.from_seq) return answer({}, 10);
    if (*read.from_seq > 10) return gone;
    EventMessage message = event(10, EventKind::set, {});
    message.queue.clear();
    message.scope = LimitScope::queue;
    message.name = "email";
    message.source = LimitSource::operated;
    message.limit = Limit{};
    message.limit->rate = 10;
    return answer({message}, 11);
  });
  EXPECT_EQ(tail(server).out, "2026-01-31T08:00:00.250Z      10 set         queue email 10/s (operator)\n");
}

TEST(Tail, goes_on_where_it_was_when_the_server_has_restarted) {
  std::promise<void> is_waiting;
  auto first = std::make_unique<FakeServer>([&](const Request& request) -> std::optional<Answer> {
    const auto& read = std::get<ReadEvents>(request);
    if (!read.from_seq) return answer({}, 8);
    if (*read.from_seq == 8) return answer({event(8, EventKind::enqueued, {1})}, 10);
    is_waiting.set_value();
    return std::nullopt;  // a long poll that the restart cuts off
  });
  const std::string endpoint = first->endpoint();
  auto run = std::async(std::launch::async, [&] { return run_stint({"tail", "--server", endpoint}); });
  is_waiting.get_future().wait();
  first.reset();

  FakeServer second(short_log, endpoint);
  const ProgramRun ended = run.get();
  EXPECT_EQ(places(second), (Places{10, 12}));
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 4) << ended.out;
}

TEST(Tail, goes_on_after_a_server_that_is_ending) {
  int refusals = 0;
  FakeServer server([&](const Request& request) -> std::optional<Answer> {
    const auto& read = std::get<ReadEvents>(request);
    if (read.from_seq == 10 && refusals++ < 2)
      return Error{.code = ErrorCode::shutting_down, .message = "ending", .retry_in_ms = 1};
    return short_log(request);
  });
  const ProgramRun run = tail(server);
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 3) << run.out << run.err;
}

TEST(Tail, ends_when_there_is_no_server_to_begin_with) {
  const ProgramRun run = run_stint({"tail", "--server", "tcp://127.0.0.1:9", "--wait", "100ms"});
  EXPECT_EQ(run.status, ExitStatus::no_server);
  EXPECT_TRUE(contains(run.err, "nothing listens"));
}

Stats stats_of(std::int64_t started, std::int64_t epoch = 1) {
  Stats stats;
  stats.server = "fake";
  stats.epoch = epoch;
  stats.started = started;
  stats.completed = started / 2;
  return stats;
}

LimitState started_of(const std::string& name, std::int64_t started) {
  LimitState state;
  state.name = name;
  state.started = started;
  return state;
}

TEST(StartRates, are_the_starts_between_two_looks) {
  StartCounts counts;
  const StartRates first = counts.look(stats_of(100), {started_of("email", 40)}, 1.0);
  EXPECT_FALSE(first.started);
  EXPECT_FALSE(first.of(started_of("email", 40)));
  const StartRates second = counts.look(stats_of(140), {started_of("email", 60)}, 2.0);
  EXPECT_EQ(second.started, 20.0);
  EXPECT_EQ(second.completed, 10.0);
  EXPECT_EQ(second.of(started_of("email", 60)), 10.0);
}

TEST(StartRates, are_not_known_over_a_restart_or_of_a_new_name) {
  StartCounts counts;
  counts.look(stats_of(100, 1), {started_of("email", 40)}, 1.0);
  const StartRates restarted = counts.look(stats_of(5, 2), {started_of("email", 5)}, 1.0);
  EXPECT_FALSE(restarted.started);
  EXPECT_FALSE(restarted.of(started_of("email", 5)));
  const StartRates more = counts.look(stats_of(6, 2), {started_of("reports", 3)}, 1.0);
  EXPECT_TRUE(more.started);
  EXPECT_FALSE(more.of(started_of("reports", 3)));
}

std::optional<Answer> watched(const Request& request) {
  if (std::holds_alternative<GetStats>(request)) return stats_of(100);
  if (std::holds_alternative<ListQueues>(request)) return Queues{};
  if (std::holds_alternative<ListLimits>(request)) {
    LimitState state = started_of("email", 40);
    state.limit = Limit{};
    state.limit->rate = 10;
    Limits page;
    page.limits = {state};
    return page;
  }
  return plain_answer(request);
}

TEST(StatusWatch, prints_plain_blocks_where_there_is_no_terminal) {
  FakeServer server(watched);
  const ProgramRun run = run_stint({"status", "--watch", "--times", "2", "--server", server.endpoint()});
  EXPECT_EQ(run.status, ExitStatus::done) << run.err;
  EXPECT_FALSE(contains(run.out, "\x1b"));
  const std::size_t first = run.out.find("node fake (storage) at ");
  EXPECT_NE(run.out.find("node fake (storage) at ", first + 1), std::string::npos) << run.out;
  EXPECT_TRUE(contains(run.out, "started -/s")) << run.out;
  EXPECT_TRUE(contains(run.out, "started 0.0/s")) << run.out;
  EXPECT_TRUE(contains(run.out, "10/s")) << run.out;
}

TEST(StatusWatch, gives_programs_a_line_of_JSON_each_time) {
  FakeServer server(watched);
  const ProgramRun run =
      run_stint({"status", "--watch", "--times", "2", "--json", "--server", server.endpoint()});
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 2) << run.out;
  EXPECT_TRUE(contains(run.out, R"("started_per_second":0.0)")) << run.out;
}

TEST(StatusWatch, ends_when_there_is_no_server_to_begin_with) {
  const ProgramRun run = run_stint({"status", "--watch", "--server", "tcp://127.0.0.1:9", "--wait", "100ms"});
  EXPECT_EQ(run.status, ExitStatus::no_server);
}

}  // namespace
}  // namespace stint
