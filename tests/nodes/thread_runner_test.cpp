// C++ functions as handlers, on threads.
#include "nodes/runners/thread_runner.hpp"

#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/nodes/runner_bench.hpp"

using namespace stint;
using namespace std::chrono_literals;

namespace {

RunResult run(HandlerFunction function, StartRun start = job_for("task")) {
  ThreadRunner runner({{"task", std::move(function)}}, 1);
  RunnerBench bench(runner);
  runner.start(std::move(start));
  return bench.result();
}

}  // namespace

TEST(ThreadRunner, gives_the_function_its_job_and_takes_what_it_returns) {
  const auto result = run(
      [](const LeasedJob& job, RunContext&) { return HandlerResult::completed(job.payload.bytes + " done"); },
      job_for("task", "payload", 42));

  EXPECT_EQ(result.id, 42);
  EXPECT_EQ(result.run, 1);
  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_EQ(result.result->bytes, "payload done");
}

TEST(ThreadRunner, passes_on_every_outcome) {
  const auto failed =
      run([](const LeasedJob&, RunContext&) { return HandlerResult::failed("no luck", 500); });
  EXPECT_EQ(failed.outcome, Outcome::failed);
  EXPECT_EQ(failed.error->message, "no luck");
  EXPECT_EQ(failed.retry_in_ms, 500);

  const auto dead =
      run([](const LeasedJob&, RunContext&) { return HandlerResult::dead("no such customer"); });
  EXPECT_EQ(dead.outcome, Outcome::dead);

  const auto snoozed = run([](const LeasedJob&, RunContext&) { return HandlerResult::snoozed(30'000); });
  EXPECT_EQ(snoozed.outcome, Outcome::snoozed);
  EXPECT_EQ(snoozed.retry_in_ms, 30'000);
}

TEST(ThreadRunner, passes_on_a_pause_beside_any_outcome) {
  const auto snoozed = run([](const LeasedJob&, RunContext&) {
    return HandlerResult::snoozed(30'000).and_pause(LimitScope::handler, 20'000);
  });
  EXPECT_EQ(snoozed.outcome, Outcome::snoozed);
  EXPECT_EQ(snoozed.retry_in_ms, 30'000);
  ASSERT_TRUE(snoozed.pause);
  EXPECT_EQ(snoozed.pause->scope, LimitScope::handler);
  EXPECT_EQ(snoozed.pause->for_ms, 20'000);

  const auto completed = run([](const LeasedJob&, RunContext&) {
    return HandlerResult::completed("the last one for today").and_pause(LimitScope::queue, 1);
  });
  EXPECT_EQ(completed.result->bytes, "the last one for today");
  EXPECT_EQ(completed.pause->scope, LimitScope::queue);
}

TEST(ThreadRunner, warns_of_times_that_no_server_takes_and_lets_the_result_count) {
  for (const std::int64_t wrong_ms : {std::int64_t{-1}, Runner::longest_report_ms + 1}) {
    ThreadRunner runner({{"task",
                          [wrong_ms](const LeasedJob&, RunContext&) {
                            return HandlerResult::snoozed(wrong_ms).and_pause(LimitScope::handler, wrong_ms);
                          }}},
                        1);
    RunnerBench bench(runner);
    runner.start(job_for("task"));

    const auto result = bench.result();
    const auto notice = bench.expect<WorkerNotice>();

    EXPECT_EQ(result.outcome, Outcome::snoozed);
    EXPECT_FALSE(result.retry_in_ms);
    EXPECT_FALSE(result.pause);
    EXPECT_EQ(notice.event, "bad_report");
    EXPECT_NE(notice.text.find("job 1 run 1"), std::string::npos);
  }
}

TEST(ThreadRunner, takes_an_exception_as_failed_with_its_text) {
  const auto result = run(
      [](const LeasedJob&, RunContext&) -> HandlerResult { throw std::runtime_error("the disk is purple"); });

  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.error->message, "the disk is purple");
}

TEST(ThreadRunner, takes_anything_that_is_thrown_as_failed) {
  EXPECT_EQ(run([](const LeasedJob&, RunContext&) -> HandlerResult { throw 42; }).outcome, Outcome::failed);
}

TEST(ThreadRunner, reports_a_handler_it_has_no_function_for_as_failed) {
  const auto result =
      run([](const LeasedJob&, RunContext&) { return HandlerResult::completed(); }, job_for("other"));

  EXPECT_EQ(result.error->type, "no_handler");
}

TEST(ThreadRunner, runs_as_many_at_once_as_it_has_threads) {
  std::atomic<int> together = 0;
  ThreadRunner runner({{"task",
                        [&](const LeasedJob&, RunContext& context) {
                          ++together;
                          while (together < 4 && !context.stop_requested()) std::this_thread::sleep_for(1ms);
                          return HandlerResult::completed();
                        }}},
                      4);
  RunnerBench bench(runner);
  for (JobId id = 1; id <= 4; ++id) runner.start(job_for("task", "", id));

  std::set<JobId> ended;
  for (int count = 0; count < 4; ++count) ended.insert(bench.result().id);

  EXPECT_EQ(ended.size(), 4u);
}

TEST(ThreadRunner, ends_each_of_many_runs_once) {
  ThreadRunner runner({{"task", [](const LeasedJob& job,
                                   RunContext&) { return HandlerResult::completed(job.payload.bytes); }}},
                      8);
  RunnerBench bench(runner);
  std::map<JobId, std::string> results;
  for (JobId id = 1; id <= 2000; ++id) {
    runner.start(job_for("task", std::to_string(id), id));
    if (id > 8) {
      const auto result = bench.result();
      results[result.id] = result.result->bytes;
    }
  }
  for (int count = 0; count < 8; ++count) {
    const auto result = bench.result();
    results[result.id] = result.result->bytes;
  }

  EXPECT_EQ(results.size(), 2000u);
  for (const auto& [id, bytes] : results) EXPECT_EQ(bytes, std::to_string(id));
  EXPECT_FALSE(bench.is_readable());
}

TEST(ThreadRunner, tells_a_running_function_that_it_is_stopped) {
  std::promise<void> began;
  ThreadRunner runner({{"task",
                        [&](const LeasedJob&, RunContext& context) {
                          began.set_value();
                          while (!context.stop_requested()) std::this_thread::sleep_for(1ms);
                          return HandlerResult::failed("stopped early");
                        }}},
                      1);
  RunnerBench bench(runner);
  runner.start(job_for("task"));
  began.get_future().wait();
  EXPECT_FALSE(bench.is_readable());

  runner.stop({1, 1});

  EXPECT_EQ(bench.result().error->message, "stopped early");
}

TEST(ThreadRunner, ignores_the_stop_of_a_run_it_does_not_know) {
  ThreadRunner runner({}, 1);

  runner.stop({9, 9});

  EXPECT_TRUE(runner.take().empty());
}

TEST(ThreadRunner, passes_on_the_newest_progress_only) {
  std::promise<void> reported;
  std::promise<void> go;
  ThreadRunner runner({{"task",
                        [&](const LeasedJob&, RunContext& context) {
                          for (int percent = 0; percent <= 40; ++percent) context.report_progress(percent);
                          reported.set_value();
                          go.get_future().wait();
                          return HandlerResult::completed();
                        }}},
                      1);
  RunnerBench bench(runner);
  runner.start(job_for("task"));
  reported.get_future().wait();

  const auto said = runner.take();
  go.set_value();

  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(std::get<RunProgress>(said[0]).run, (JobRun{1, 1}));
  EXPECT_EQ(std::get<RunProgress>(said[0]).progress, 40);
  bench.result();
}

TEST(ThreadRunner, refuses_more_runs_than_may_wait) {
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  ThreadRunner runner({{"task",
                        [gone](const LeasedJob&, RunContext&) {
                          gone.wait();
                          return HandlerResult::completed();
                        }}},
                      1);
  RunnerBench bench(runner);
  for (JobId id = 1; id <= 3; ++id) runner.start(job_for("task", "", id));

  const auto refused = bench.result();
  go.set_value();

  EXPECT_EQ(refused.id, 3);
  EXPECT_EQ(refused.error->type, "overloaded");
  bench.result();
  bench.result();
}

TEST(ThreadRunner, goes_although_a_function_does_not_listen) {
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  auto began = std::make_shared<std::promise<void>>();
  std::future<void> has_begun = began->get_future();
  {
    ThreadRunner runner({{"task",
                          [gone, began](const LeasedJob&, RunContext&) {
                            began->set_value();
                            gone.wait();
                            return HandlerResult::completed();
                          }}},
                        1);
    runner.start(job_for("task"));
    has_begun.wait();
  }
  go.set_value();
}
