// How a worker reports, and how it ends.
#include <gtest/gtest.h>

#include "actors/worker/results.hpp"
#include "tests/actors/worker_bench.hpp"

using namespace stint;
using namespace std::chrono_literals;

namespace {

RunResult with_result(JobId id, std::size_t bytes) {
  RunResult result;
  result.id = id;
  result.run = 1;
  result.result = Payload{std::string(bytes, 'x'), true};
  return result;
}

}  // namespace

TEST(WorkerReport, of_all_runs_that_ended_in_a_turn_is_one_message) {
  WorkerBench bench;
  bench.run_jobs({email_job(1), email_job(2), email_job(3)});

  for (JobId id : {1, 2, 3}) bench.tell(RunEnded{with_result(id, 4)});
  bench.turn();

  EXPECT_EQ(bench.expect<Finish>().message.results.size(), 3u);
  EXPECT_EQ(bench.count<Finish>(), 0u);
}

TEST(WorkerReport, stays_under_the_bound_of_a_message) {
  WorkerBench bench(email_worker(20));
  std::vector<LeasedJob> jobs;
  for (JobId id = 1; id <= 20; ++id) jobs.push_back(email_job(id));
  bench.run_jobs(jobs);

  for (JobId id = 1; id <= 20; ++id) bench.tell(RunEnded{with_result(id, 1 << 20)});
  bench.turn();

  std::size_t results = 0;
  while (const auto report = bench.take<Finish>()) {
    EXPECT_LE(report->message.results.size(), 7u);
    results += report->message.results.size();
  }
  EXPECT_EQ(results, 20u);
}

TEST(WorkerReport, of_a_result_over_the_bound_says_that_the_run_failed_for_it) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});

  bench.hear(RunEnded{with_result(1, (1 << 20) + 1)});

  const auto result = bench.expect<Finish>().message.results.at(0);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.error->type, "result_too_large");
  EXPECT_FALSE(result.result);
}

TEST(WorkerReport, tells_of_a_pause_though_the_run_ends_otherwise_than_it_said) {
  WorkerBench bench;
  auto job = email_job(1);
  job.timeout_ms = 1000;
  bench.run_jobs({job, email_job(2)});
  bench.pass(1s);
  RunResult late = failed({1, 1}, "exit status 1", "");
  late.pause = PauseReport{LimitScope::handler, 30'000};
  RunResult large = result_of({2, 1}, Outcome::completed);
  large.result = Payload{std::string(2 << 20, 'x'), true};
  large.pause = PauseReport{LimitScope::queue, 10'000};

  bench.tell(RunEnded{late});
  bench.hear(RunEnded{large});

  const auto report = bench.expect<Finish>();
  ASSERT_EQ(report.message.results.size(), 2u);
  EXPECT_EQ(report.message.results[0].error->type, "timeout");
  ASSERT_TRUE(report.message.results[0].pause);
  EXPECT_EQ(report.message.results[0].pause->for_ms, 30'000);
  EXPECT_EQ(report.message.results[1].error->type, "result_too_large");
  ASSERT_TRUE(report.message.results[1].pause);
  EXPECT_EQ(report.message.results[1].pause->scope, LimitScope::queue);
}

TEST(WorkerReport, is_sent_again_until_it_is_acknowledged) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.end(1);
  bench.expect<Finish>();

  bench.pass(3s);
  bench.expect<Finish>();
  bench.pass(5s);
  const auto third = bench.expect<Finish>();
  EXPECT_EQ(third.message.results.at(0).id, 1);
  EXPECT_EQ(third.message.results.at(0).result->bytes, "done");
  bench.accept(third);

  bench.pass(10min);
  EXPECT_EQ(bench.count<Finish>(), 0u);
}

TEST(WorkerReport, is_sent_again_at_once_when_the_connection_is_back) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.end(1);
  bench.expect<Finish>();

  bench.hear(LinkDown{});
  bench.pass(1s);
  EXPECT_EQ(bench.count<Finish>(), 0u);
  bench.hear(LinkUp{});

  EXPECT_EQ(bench.count<Finish>(), 1u);
}

TEST(WorkerReport, is_sent_again_after_the_time_an_error_names) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.end(1);
  Error error{ErrorCode::storage_unavailable, "the disk is full"};
  error.retry_in_ms = 300;

  bench.answer(bench.expect<Finish>(), error);
  EXPECT_EQ(bench.count<Finish>(), 0u);
  bench.pass(300ms);

  EXPECT_EQ(bench.count<Finish>(), 1u);
}

TEST(WorkerReport, not_acknowledged_keeps_its_permit) {
  WorkerBench bench(email_worker(1));
  bench.run_jobs({email_job(1)});
  bench.end(1);
  EXPECT_EQ(bench.count<RequestBatch>(), 0u);

  bench.accept(bench.expect<Finish>());

  EXPECT_EQ(bench.expect<RequestBatch>().message.queues.at("email"), 1);
}

TEST(WorkerReport, whose_result_the_server_rejects_is_sent_once_more_as_a_failure_with_the_reason) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.end(1);
  Finished finished;
  finished.rejected = {{0, ErrorCode::too_large, "results[0].result", "more than 1000 bytes"}};

  bench.answer(bench.expect<Finish>(), finished);
  const auto again = bench.expect<Finish>();
  EXPECT_EQ(again.message.results.at(0).outcome, Outcome::failed);
  EXPECT_NE(again.message.results.at(0).error->message.find("more than 1000 bytes"), std::string::npos);
  bench.answer(again, finished);

  bench.pass(1min);
  EXPECT_EQ(bench.count<Finish>(), 0u);
}

TEST(WorkerReport, of_which_the_server_answered_a_part_is_sent_again_for_the_rest) {
  WorkerBench bench;
  bench.run_jobs({email_job(1), email_job(2)});
  bench.tell(RunEnded{with_result(1, 4)});
  bench.hear(RunEnded{with_result(2, 4)});

  bench.answer(bench.expect<Finish>(), Finished{{1}, {}, {}});

  const auto rest = bench.expect<Finish>();
  ASSERT_EQ(rest.message.results.size(), 1u);
  EXPECT_EQ(rest.message.results[0].id, 1);
}

TEST(WorkerStop, with_nothing_to_do_says_goodbye_and_ends) {
  WorkerBench bench;
  bench.welcome();

  bench.hear(StopWork{});
  bench.answer(bench.expect<Goodbye>(), Farewell{});

  bench.expect<WorkerStopped>();
  EXPECT_EQ(bench.summary().end, WorkEnd::told_to);
}

TEST(WorkerStop, lets_running_jobs_finish_and_takes_no_more) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();
  bench.give(ask, {email_job(1)});
  const auto open = bench.expect<RequestBatch>();
  bench.forget_what_left();

  bench.hear(StopWork{});
  bench.give(open, {email_job(2)});
  EXPECT_EQ(bench.count<StartRun>(), 0u);
  const auto released = bench.expect<Finish>();
  EXPECT_EQ(released.message.results.at(0).id, 2);
  EXPECT_EQ(released.message.results.at(0).outcome, Outcome::released);
  bench.accept(released);
  bench.pass(20s);
  EXPECT_EQ(bench.count<StopRun>() + bench.count<RequestBatch>() + bench.count<Goodbye>(), 0u);
  bench.end(1);

  const auto report = bench.expect<Finish>();
  EXPECT_EQ(report.message.results.at(0).outcome, Outcome::completed);
  EXPECT_EQ(bench.count<Goodbye>(), 0u);
  bench.accept(report);
  bench.expect<Goodbye>();
}

TEST(WorkerStop, does_not_repeat_the_asks_that_are_open) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});

  bench.hear(StopWork{});
  bench.hear(LinkUp{});
  bench.pass(20s);

  EXPECT_EQ(bench.count<RequestBatch>(), 0u);
  EXPECT_GE(bench.count<Heartbeat>(), 2u);
}

TEST(WorkerStop, releases_what_has_not_finished_when_the_grace_time_is_over) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.hear(StopWork{});

  bench.pass(25s);
  bench.expect<StopRun>();
  bench.end(1, Outcome::failed);

  EXPECT_EQ(bench.expect<Finish>().message.results.at(0).outcome, Outcome::released);
}

TEST(WorkerStop, releases_a_run_that_does_not_listen_and_ends_within_a_bound_though_nobody_answers) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.hear(StopWork{});

  bench.pass(25s + WorkerActor::stop_bound);
  EXPECT_EQ(bench.expect<Finish>().message.results.at(0).outcome, Outcome::released);
  bench.pass(WorkerActor::report_bound + WorkerActor::farewell_bound);

  bench.expect<Goodbye>();
  bench.expect<WorkerStopped>();
}

TEST(WorkerStop, told_twice_does_not_wait_for_the_grace_time) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});

  bench.hear(StopWork{});
  EXPECT_EQ(bench.count<StopRun>(), 0u);
  bench.hear(StopWork{});

  EXPECT_EQ(bench.count<StopRun>(), 1u);
}

TEST(WorkerOnce, asks_for_one_job_without_waiting_and_ends_when_its_report_is_taken) {
  auto options = email_worker();
  options.once = true;
  WorkerBench bench(options);
  const auto ask = bench.welcome_and_take_ask();
  EXPECT_EQ(ask.message.max, 1);
  EXPECT_EQ(ask.message.queues.at("email"), 1);
  EXPECT_EQ(ask.message.wait_ms, 0);

  bench.give(ask, {email_job(1)});
  EXPECT_EQ(bench.count<RequestBatch>(), 0u);
  bench.end(1, Outcome::failed);
  EXPECT_EQ(bench.count<Goodbye>(), 0u);
  bench.accept(bench.expect<Finish>());
  bench.answer(bench.expect<Goodbye>(), Farewell{});

  bench.expect<WorkerStopped>();
  EXPECT_EQ(bench.summary().end, WorkEnd::enough);
  EXPECT_EQ(bench.summary().failed, 1);
}

TEST(WorkerOnce, ends_and_tells_why_when_there_was_nothing) {
  auto options = email_worker();
  options.once = true;
  WorkerBench bench(options);

  bench.give_nothing(bench.welcome_and_take_ask(), EmptyReason::limited);
  bench.answer(bench.expect<Goodbye>(), Farewell{});

  bench.expect<WorkerStopped>();
  EXPECT_EQ(bench.summary().end, WorkEnd::drained);
  EXPECT_EQ(bench.summary().jobs(), 0);
  EXPECT_EQ(bench.summary().last_empty, EmptyReason::limited);
}

TEST(WorkerOnce, ends_at_once_though_the_server_says_when_to_ask_again) {
  auto options = email_worker();
  options.once = true;
  WorkerBench bench(options);

  bench.give_nothing(bench.welcome_and_take_ask(), EmptyReason::paused, 5'000);

  EXPECT_EQ(bench.count<Goodbye>(), 1u);
  EXPECT_EQ(bench.summary().last_empty, EmptyReason::paused);
}

TEST(WorkerOnce, tells_of_the_home_whose_work_is_limited_though_another_had_none) {
  auto options = email_worker();
  options.queues = {{"email", 1}, {"image", 1}};
  options.once = true;
  WorkerBench bench(options);
  bench.welcome({{"email", "l1"}, {"image", "l2"}});

  bench.give_nothing(bench.expect<RequestBatch>(), EmptyReason::limited, 5'000);
  bench.give_nothing(bench.expect<RequestBatch>());

  EXPECT_EQ(bench.count<Goodbye>(), 1u);
  EXPECT_EQ(bench.summary().last_empty, EmptyReason::limited);
}

TEST(WorkerOnce, of_a_weighted_worker_asks_for_one_job_of_any_queue) {
  auto options = weighted_worker(4, {{"email", {2, 1}}, {"image", {0, 1}}});
  options.once = true;
  WorkerBench bench(options);
  bench.welcome();
  const auto first = bench.expect<RequestBatch>();
  EXPECT_EQ(first.message.max, 1);
  EXPECT_EQ(bench.count<RequestBatch>(), 0u);

  bench.give_nothing(first);
  const auto second = bench.expect<RequestBatch>();
  EXPECT_NE(second.message.queues, first.message.queues);
  bench.give_nothing(second);

  EXPECT_EQ(bench.count<Goodbye>(), 1u);
}

TEST(WorkerOnce, asks_the_next_home_when_the_first_had_nothing) {
  auto options = email_worker();
  options.queues = {{"email", 1}, {"image", 1}};
  options.once = true;
  WorkerBench bench(options);
  bench.welcome({{"email", "l1"}, {"image", "l2"}});
  const auto first = bench.expect<RequestBatch>();
  EXPECT_EQ(bench.count<RequestBatch>(), 0u);

  bench.give_nothing(first);

  EXPECT_EQ(bench.expect<RequestBatch>().message.queues.count("image"), 1u);
}

TEST(WorkerDrain, ends_when_asks_come_back_empty_with_nothing_running) {
  auto options = email_worker();
  options.drain = true;
  WorkerBench bench(options);
  bench.give(bench.welcome_and_take_ask(), {email_job(1)});
  bench.give_nothing(bench.expect<RequestBatch>());
  EXPECT_EQ(bench.count<Goodbye>(), 0u);

  // The end of a job may make another one ready.
  bench.end(1);
  bench.accept(bench.expect<Finish>());
  EXPECT_EQ(bench.count<Goodbye>(), 0u);
  bench.give_nothing(bench.expect<RequestBatch>());

  bench.expect<Goodbye>();
  EXPECT_EQ(bench.summary().end, WorkEnd::drained);
}

TEST(WorkerDrain, waits_for_limited_jobs) {
  auto options = email_worker();
  options.drain = true;
  WorkerBench bench(options);
  const auto ask = bench.welcome_and_take_ask();

  bench.answer(ask, Batch{1, {}, EmptyReason::limited, 2000});
  bench.pass(1s);
  EXPECT_EQ(bench.count<RequestBatch>() + bench.count<Goodbye>(), 0u);
  bench.pass(1s);

  EXPECT_EQ(bench.count<RequestBatch>(), 1u);
}

TEST(WorkerDrain, waits_for_a_pause_that_ends) {
  auto options = email_worker();
  options.drain = true;
  WorkerBench bench(options);

  bench.give_nothing(bench.welcome_and_take_ask(), EmptyReason::paused, 2'000);
  bench.pass(1s);
  EXPECT_EQ(bench.count<RequestBatch>() + bench.count<Goodbye>(), 0u);
  bench.pass(1s);

  EXPECT_EQ(bench.count<RequestBatch>(), 1u);
}

TEST(WorkerDrain, does_not_wait_for_a_pause_that_only_an_operator_ends) {
  auto options = email_worker();
  options.drain = true;
  WorkerBench bench(options);

  bench.give_nothing(bench.welcome_and_take_ask(), EmptyReason::paused);

  EXPECT_EQ(bench.count<Goodbye>(), 1u);
}

TEST(WorkerDrain, of_a_weighted_worker_ends_when_no_queue_has_work) {
  auto options = weighted_worker(4, {{"email", {2, 1}}, {"image", {0, 1}}});
  options.drain = true;
  WorkerBench bench(options);
  bench.welcome();
  bench.give(bench.expect<RequestBatch>(), {email_job(1)});
  while (const auto ask = bench.take<RequestBatch>()) {
    EXPECT_EQ(ask->message.wait_ms, 0);
    bench.give_nothing(*ask);
  }
  EXPECT_EQ(bench.count<Goodbye>(), 0u);

  bench.end(1);
  bench.accept(bench.expect<Finish>());
  while (const auto ask = bench.take<RequestBatch>()) bench.give_nothing(*ask);
  bench.pass(2s);
  while (const auto ask = bench.take<RequestBatch>()) bench.give_nothing(*ask);

  bench.expect<Goodbye>();
  EXPECT_EQ(bench.summary().end, WorkEnd::drained);
}

TEST(WorkerMaxJobs, takes_no_more_than_so_many_and_ends) {
  auto options = email_worker();
  options.max_jobs = 3;
  WorkerBench bench(options);
  const auto ask = bench.welcome_and_take_ask();
  EXPECT_EQ(ask.message.max, 3);
  bench.give(ask, {email_job(1), email_job(2)});
  const auto second = bench.expect<RequestBatch>();
  EXPECT_EQ(second.message.max, 1);
  bench.give(second, {email_job(3)});
  EXPECT_EQ(bench.count<RequestBatch>(), 0u);

  for (JobId id : {1, 2, 3}) {
    bench.end(id);
    bench.accept(bench.expect<Finish>());
  }

  bench.expect<Goodbye>();
  EXPECT_EQ(bench.summary().completed, 3);
  EXPECT_EQ(bench.summary().end, WorkEnd::enough);
}

// Beside storage in one node, the worker's turn is undone with the commit.
TEST(RuleD2, a_report_whose_answer_was_undone_is_sent_again) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.end(1);
  const auto report = bench.expect<Finish>();

  bench.tell(Finished{{0}, {}, {}}, report.from);
  bench.turn_that_is_undone();
  bench.hear(LinkUp{});

  const auto again = bench.expect<Finish>();
  EXPECT_EQ(again.message.results.at(0).id, 1);
  EXPECT_EQ(again.message.results.at(0).result->bytes, "done");
}

TEST(RuleD2, a_batch_that_was_undone_holds_no_permits_and_is_not_started) {
  WorkerBench bench(email_worker(1));
  const auto ask = bench.welcome_and_take_ask();
  bench.forget_what_left();

  bench.tell(Batch{1, {email_job(1)}, {}, {}}, ask.from);
  bench.turn_that_is_undone();
  bench.hear(LinkUp{});

  EXPECT_EQ(bench.count<StartRun>(), 0u);
  EXPECT_EQ(bench.expect<RequestBatch>().message.queues.at("email"), 1);
  EXPECT_TRUE(bench.expect<Heartbeat>().message.jobs.empty());
}
