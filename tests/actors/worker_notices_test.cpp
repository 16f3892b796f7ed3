// What a worker tells people of: runs that fail, a server that puts it off.
#include <gtest/gtest.h>

#include "tests/actors/worker_bench.hpp"

using namespace stint;
using namespace std::chrono_literals;

namespace {

// What people are told of how the run ended; empty: nothing.
std::string told_of(WorkerBench& bench, RunResult&& result) {
  bench.hear(RunEnded{std::move(result)});
  const auto notice = bench.take<WorkerNotice>();
  return notice && notice->message.event == "run_failed" ? notice->message.text : "";
}

RunResult ended(Outcome outcome, std::string type = {}, std::string message = {}) {
  RunResult result;
  result.id = 1;
  result.run = 1;
  result.outcome = outcome;
  if (!type.empty()) result.error = RunError{std::move(type), std::move(message), ""};
  return result;
}

}  // namespace

TEST(AFailedRun, is_told_of_in_one_line_without_a_word_of_the_handlers_own) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  EXPECT_EQ(told_of(bench, ended(Outcome::failed, "exit status 3", "cannot send: payload")),
            "job 1 run 1 of handler send failed at attempt 1 of 25: exit status 3");
}

TEST(AFailedRun, whose_command_is_not_there_says_so) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  EXPECT_EQ(
      told_of(bench, ended(Outcome::failed, "not_started", "cannot start nope: No such file or directory")),
      "job 1 run 1 of handler send failed at attempt 1 of 25: cannot start nope: No such file or directory");
}

TEST(AFailedRun, that_was_its_jobs_last_says_that_the_job_is_dead) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  EXPECT_EQ(told_of(bench, ended(Outcome::dead, "exit status 65", "")),
            "job 1 run 1 of handler send failed at attempt 1 of 25, the job is dead: exit status 65");

  WorkerBench last;
  LeasedJob job = email_job(1);
  job.max_attempts = 1;
  last.run_jobs({job});
  EXPECT_EQ(told_of(last, ended(Outcome::failed, "exit status 1", "")),
            "job 1 run 1 of handler send failed at attempt 1 of 1, the job is dead: exit status 1");
}

TEST(AFailedRun, that_was_too_slow_says_how_long_it_had) {
  WorkerBench bench;
  LeasedJob job = email_job(1);
  job.timeout_ms = 1'500;
  bench.run_jobs({job});
  bench.pass(2s);
  bench.forget_what_left();
  EXPECT_EQ(told_of(bench, ended(Outcome::failed, "signal 15 (Terminated)", "")),
            "job 1 run 1 of handler send failed at attempt 1 of 25: ran longer than its 1.5 s");
}

TEST(ARunThatDidNotFail, is_not_told_of) {
  for (const Outcome outcome : {Outcome::completed, Outcome::snoozed, Outcome::released}) {
    WorkerBench bench;
    bench.run_jobs({email_job(1)});
    EXPECT_EQ(told_of(bench, ended(outcome)), "");
  }
}

TEST(AWorkerThatIsPutOff, says_so_once_and_tries_on) {
  WorkerBench bench;
  Error away{ErrorCode::unavailable, "node server is away"};
  away.retry_in_ms = 100;
  for (int hellos = 0; hellos < 5; ++hellos) {
    bench.answer(bench.expect<Hello>(), away);
    bench.pass(1s);
  }
  EXPECT_EQ(bench.count<WorkerNotice>(), 1u);
  EXPECT_EQ(bench.expect<WorkerNotice>().message.text,
            "the server cannot take this worker yet, trying on: node server is away");
}
