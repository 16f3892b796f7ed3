// `stint enqueue` end to end, against a server that answers what a test wants.
#include <cstdio>
#include <gtest/gtest.h>
#include <set>

#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Numbers jobs as it accepts them.
class CountingServer {
 public:
  std::optional<Answer> answer(const Request& request) {
    const auto* enqueue = std::get_if<Enqueue>(&request);
    if (enqueue == nullptr) return plain_answer(request);
    Enqueued enqueued;
    for (std::size_t i = 0; i < enqueue->jobs.size(); ++i) enqueued.ids.push_back(++last_);
    return enqueued;
  }

 private:
  JobId last_ = 0;
};

class Enqueueing : public testing::Test {
 protected:
  ProgramRun enqueue(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"enqueue", "--server", server_.endpoint(), "--wait", "20s"});
    return run_stint(std::move(arguments));
  }
  CountingServer counting_;
  FakeServer server_{[this](const Request& request) { return counting_.answer(request); }};
};

TEST_F(Enqueueing, one_job_prints_its_id) {
  const ProgramRun run = enqueue({"send", "hello"});
  EXPECT_EQ(run.status, ExitStatus::done);
  EXPECT_EQ(run.out, "1\n");
  const Enqueue request = server_.requests_of<Enqueue>().at(0);
  EXPECT_EQ(request.jobs.at(0).handler, "send");
  EXPECT_EQ(request.jobs.at(0).payload, (Payload{"hello", true}));
  EXPECT_FALSE(request.batch_key.empty());
}

TEST_F(Enqueueing, sends_a_key_that_is_random_or_the_users) {
  enqueue({"send"});
  enqueue({"send"});
  enqueue({"send", "--batch-key", "mine"});
  const auto requests = server_.requests_of<Enqueue>();
  EXPECT_NE(requests.at(0).batch_key, requests.at(1).batch_key);
  EXPECT_EQ(requests.at(2).batch_key, "mine");
}

TEST_F(Enqueueing, many_goes_in_requests_of_a_thousand_with_a_key_each) {
  const ProgramRun run = enqueue({"send", "--count", "2500", "--batch-key", "k"});
  EXPECT_EQ(run.status, ExitStatus::done);
  std::string expected;
  for (int id = 1; id <= 2500; ++id) expected += std::to_string(id) + "\n";
  EXPECT_EQ(run.out, expected);
  const auto requests = server_.requests_of<Enqueue>();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests.at(0).jobs.size(), 1000U);
  EXPECT_EQ(requests.at(2).jobs.size(), 500U);
  EXPECT_EQ(requests.at(0).batch_key, "k");
  EXPECT_EQ(requests.at(1).batch_key, "k#1");
  EXPECT_EQ(requests.at(2).batch_key, "k#2");
}

TEST_F(Enqueueing, large_payloads_goes_in_requests_well_under_the_bound_of_a_message) {
  const ProgramRun run = enqueue({"send", std::string(100'000, 'x'), "--count", "100"});
  EXPECT_EQ(run.status, ExitStatus::done);
  const auto requests = server_.requests_of<Enqueue>();
  EXPECT_GE(requests.size(), 3U);
  for (const Enqueue& request : requests) EXPECT_LE(request.jobs.size(), 50U);
}

TEST_F(Enqueueing, a_file_takes_each_line_as_a_job) {
  const TemporaryFile file("{\"handler\":\"a\",\"payload\":{\"x\": 1}}\n\n{\"queue\":\"q\"}\n");
  const ProgramRun run = enqueue({"b", "--file", file.path()});
  EXPECT_EQ(run.out, "1\n2\n");
  const Enqueue request = server_.requests_of<Enqueue>().at(0);
  EXPECT_EQ(request.jobs.at(0).handler, "a");
  EXPECT_EQ(request.jobs.at(0).payload.bytes, "{\"x\": 1}");
  EXPECT_EQ(request.jobs.at(1).handler, "b");
  EXPECT_EQ(request.jobs.at(1).queue, "q");
}

TEST_F(Enqueueing, a_file_with_a_bad_line_sends_nothing_and_names_it) {
  std::string lines;
  for (int i = 0; i < 2'000; ++i) lines += "{\"handler\":\"a\"}\n";
  const TemporaryFile file(lines + "{\"handler\":\"a\",\"priority\":11}\n");
  const ProgramRun run = enqueue({"--file", file.path()});
  EXPECT_EQ(run.status, ExitStatus::bad_data);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(contains(run.err, file.path() + ":2001: priority: expected a whole number from 0 to 9"))
      << run.err;
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(Enqueueing, a_file_with_a_payload_over_the_servers_bound_sends_no_job) {
  const TemporaryFile file("{\"handler\":\"a\"}\n{\"handler\":\"a\",\"payload\":\"" +
                           std::string((1 << 20) + 1, 'x') + "\"}\n");
  const ProgramRun run = enqueue({"--file", file.path()});
  EXPECT_EQ(run.status, ExitStatus::bad_data);
  EXPECT_TRUE(contains(run.err, file.path() + ":2: payload is 1048577 bytes")) << run.err;
  EXPECT_TRUE(server_.requests_of<Enqueue>().empty());
}

TEST_F(Enqueueing, a_file_without_jobs_is_done) {
  const TemporaryFile file("\n");
  EXPECT_EQ(enqueue({"--file", file.path()}).status, ExitStatus::done);
  EXPECT_EQ(enqueue({"--file", "/nonexistent"}).status, ExitStatus::io);
}

TEST_F(Enqueueing, from_stdin_keeps_the_bytes) {
  const TemporaryFile file(std::string("\0\xff\n", 3));
  ASSERT_NE(std::freopen(file.path().c_str(), "r", stdin), nullptr);
  EXPECT_EQ(enqueue({"send", "-"}).out, "1\n");
  EXPECT_EQ(server_.requests_of<Enqueue>().at(0).jobs.at(0).payload,
            (Payload{std::string("\0\xff\n", 3), false}));
}

TEST_F(Enqueueing, lines_from_stdin_are_checked_before_they_are_sent) {
  const TemporaryFile file("{\"handler\":\"a\"}\n{\"handler\":\"b\"}\n");
  ASSERT_NE(std::freopen(file.path().c_str(), "r", stdin), nullptr);
  EXPECT_EQ(enqueue({"--file", "-"}).out, "1\n2\n");
}

TEST(EnqueueRefused, names_the_line_of_the_file) {
  const FakeServer server([](const Request& request) -> std::optional<Answer> {
    if (!std::holds_alternative<Enqueue>(request)) return plain_answer(request);
    return Error{.code = ErrorCode::bad_message,
                 .message = "not today",
                 .field = "jobs[1].queue",
                 .items = {ErrorItem{.at = 1, .field = "queue", .message = "not today"}}};
  });
  const TemporaryFile file("\n{\"handler\":\"a\"}\n{\"handler\":\"b\"}\n");
  const ProgramRun run =
      run_stint({"enqueue", "--file", file.path(), "--server", server.endpoint(), "--wait", "20s"});
  EXPECT_EQ(run.status, ExitStatus::refused);
  EXPECT_TRUE(contains(run.err, "line 3: queue: not today")) << run.err;
  EXPECT_TRUE(contains(run.err, "with the refused lines put right")) << run.err;
}

TEST(EnqueueRefused, in_the_middle_prints_what_was_accepted_and_how_to_go_on) {
  int chunk = 0;
  const FakeServer server([&](const Request& request) -> std::optional<Answer> {
    if (std::holds_alternative<Enqueue>(request) && ++chunk == 2)
      return Error{.code = ErrorCode::internal, .message = "no"};
    return plain_answer(request);
  });
  const ProgramRun run = run_stint({"enqueue", "h", "--count", "2000", "--batch-key", "k", "--server",
                                    server.endpoint(), "--wait", "20s"});
  EXPECT_EQ(run.status, ExitStatus::refused);
  EXPECT_TRUE(run.out.starts_with("1\n2\n") && run.out.ends_with("\n1000\n"));
  EXPECT_TRUE(contains(run.err, "1000 of 2000 jobs are known to be enqueued; `--batch-key k`")) << run.err;
}

TEST(EnqueueRefused, for_a_key_of_other_jobs_does_not_ask_for_the_same_again) {
  const FakeServer server([](const Request& request) -> std::optional<Answer> {
    if (!std::holds_alternative<Enqueue>(request)) return plain_answer(request);
    return Error{.code = ErrorCode::conflict,
                 .message = "this batch_key was used for other jobs",
                 .field = "batch_key"};
  });
  const TemporaryFile file("{\"handler\":\"a\"}\n{\"handler\":\"b\"}\n");
  const ProgramRun run = run_stint(
      {"enqueue", "--file", file.path(), "--batch-key", "k", "--server", server.endpoint(), "--wait", "20s"});
  EXPECT_EQ(run.status, ExitStatus::refused);
  EXPECT_TRUE(contains(run.err, "use another key, or none")) << run.err;
  EXPECT_FALSE(contains(run.err, "enqueues the rest")) << run.err;
}

TEST(EnqueueUnanswered, is_sent_again_with_its_key_when_the_server_comes_back) {
  auto silent = std::make_unique<FakeServer>([](const Request&) { return std::nullopt; });
  const std::string endpoint = silent->endpoint();
  ProgramRun run;
  std::thread program([&] { run = run_stint({"enqueue", "h", "--server", endpoint, "--wait", "60s"}); });
  while (silent->requests().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::string key = silent->requests_of<Enqueue>().at(0).batch_key;
  silent.reset();
  const FakeServer restarted(plain_answer, endpoint);
  program.join();

  EXPECT_EQ(run.status, ExitStatus::done) << run.err;
  EXPECT_EQ(run.out, "1\n");
  for (const Enqueue& request : restarted.requests_of<Enqueue>()) EXPECT_EQ(request.batch_key, key);
}

TEST(EnqueuePutOff, keeps_the_ids_in_the_order_of_the_jobs) {
  CountingServer counting;
  std::set<std::string> put_off;
  const FakeServer server([&](const Request& request) -> std::optional<Answer> {
    const auto* enqueue = std::get_if<Enqueue>(&request);
    // The first request is answered last.
    if (enqueue != nullptr && enqueue->batch_key == "k" && put_off.insert("k").second) {
      return Error{.code = ErrorCode::overloaded, .message = "later", .retry_in_ms = 100};
    }
    return counting.answer(request);
  });
  const ProgramRun run = run_stint({"enqueue", "h", "--count", "3000", "--batch-key", "k", "--server",
                                    server.endpoint(), "--wait", "20s"});
  EXPECT_EQ(run.status, ExitStatus::done);
  EXPECT_TRUE(run.out.starts_with("2001\n")) << run.out.substr(0, 20);
  EXPECT_TRUE(contains(run.out, "\n3000\n1\n2\n"));
  EXPECT_TRUE(run.out.ends_with("\n2000\n"));
}

}  // namespace
}  // namespace stint
