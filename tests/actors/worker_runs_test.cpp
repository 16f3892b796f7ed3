// How a worker runs what it gets: acknowledgement, timeouts, cancels, heartbeats, lost leases.
#include <gtest/gtest.h>

#include "tests/actors/worker_bench.hpp"

using namespace stint;
using namespace std::chrono_literals;

TEST(RuleD3, a_new_ask_that_says_got_leaves_before_the_first_start_of_a_batch) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();

  bench.give(ask, {email_job(1)});

  ASSERT_GE(bench.position<RequestBatch>(), 0);
  EXPECT_LT(bench.position<RequestBatch>(), bench.position<StartRun>());
  EXPECT_EQ(bench.expect<RequestBatch>().message.got, 1);
}

TEST(RuleD3, a_heartbeat_names_the_jobs_before_the_first_start_when_no_permit_is_left_to_ask_with) {
  WorkerBench bench(email_worker(1));
  const auto ask = bench.welcome_and_take_ask();
  bench.forget_what_left();

  bench.give(ask, {email_job(1)});

  ASSERT_EQ(bench.count<Heartbeat>(), 1u);
  EXPECT_LT(bench.position<Heartbeat>(), bench.position<StartRun>());
  const auto beat = bench.expect<Heartbeat>();
  EXPECT_EQ(beat.message.got, 1);
  ASSERT_EQ(beat.message.jobs.size(), 1u);
  EXPECT_EQ(beat.message.jobs[0].id, 1);
}

TEST(RuleD3, a_heartbeat_names_the_jobs_when_an_earlier_ask_is_still_open) {
  auto options = email_worker();
  options.queues = {{"email", 1}, {"image", 1}};
  WorkerBench bench(options);
  bench.welcome({{"image", "l1"}, {"email", "l2"}});
  bench.expect<RequestBatch>();
  const auto second = bench.expect<RequestBatch>();
  ASSERT_TRUE(second.message.queues.contains("email"));
  bench.forget_what_left();

  bench.give(second, {email_job(1)});

  EXPECT_EQ(bench.expect<Heartbeat>().message.jobs.size(), 1u);
}

TEST(RuleD3, nothing_starts_while_the_acknowledgement_cannot_leave) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();
  bench.hear(LinkDown{});

  bench.give(ask, {email_job(1)});
  EXPECT_EQ(bench.count<StartRun>(), 0u);
  bench.hear(LinkUp{});

  EXPECT_EQ(bench.count<StartRun>(), 1u);
}

TEST(WorkerRun, of_a_handler_it_does_not_serve_is_reported_as_failed) {
  WorkerBench bench;
  auto job = email_job(1);
  job.handler = "other";

  bench.give(bench.welcome_and_take_ask(), {job});

  EXPECT_EQ(bench.count<StartRun>(), 0u);
  const auto report = bench.expect<Finish>();
  EXPECT_EQ(report.message.results.at(0).outcome, Outcome::failed);
  EXPECT_EQ(report.message.results.at(0).error->type, "no_handler");
}

TEST(WorkerRun, beyond_the_permits_is_released) {
  WorkerBench bench(email_worker(1));

  bench.give(bench.welcome_and_take_ask(), {email_job(1), email_job(2)});

  EXPECT_EQ(bench.count<StartRun>(), 1u);
  EXPECT_EQ(bench.expect<Finish>().message.results.at(0).outcome, Outcome::released);
}

TEST(WorkerRun, is_stopped_at_the_timeout_of_its_job_and_reported_so) {
  WorkerBench bench;
  auto job = email_job(1);
  job.timeout_ms = 1000;
  bench.run_jobs({job});

  bench.pass(999ms);
  EXPECT_EQ(bench.count<StopRun>(), 0u);
  bench.pass(1ms);
  EXPECT_EQ(bench.expect<StopRun>().message.run, (JobRun{1, 1}));
  bench.end(1, Outcome::failed);

  const auto result = bench.expect<Finish>().message.results.at(0);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.error->type, "timeout");
}

TEST(WorkerRun, is_stopped_at_the_timeout_of_its_handler_if_that_is_shorter) {
  auto options = email_worker();
  options.handlers["send"].timeout_ms = 500;
  WorkerBench bench(options);
  auto job = email_job(1);
  job.timeout_ms = 1000;
  bench.give(bench.welcome_and_take_ask(), {job});

  EXPECT_EQ(bench.expect<StartRun>().message.job.timeout_ms, 500);
  bench.pass(500ms);

  EXPECT_EQ(bench.count<StopRun>(), 1u);
}

TEST(WorkerRun, that_completed_just_as_its_time_was_over_is_reported_as_completed) {
  WorkerBench bench;
  auto job = email_job(1);
  job.timeout_ms = 1000;
  bench.run_jobs({job});
  bench.pass(1s);

  bench.end(1, Outcome::completed);

  EXPECT_EQ(bench.expect<Finish>().message.results.at(0).outcome, Outcome::completed);
}

TEST(WorkerRun, that_is_cancelled_is_stopped_and_reported_as_failed) {
  WorkerBench bench;
  bench.give(bench.welcome_and_take_ask(), {email_job(1)});
  HeartbeatOk answer;
  answer.cancel = {{1, 1}};

  bench.answer(bench.expect<Heartbeat>(), answer);
  EXPECT_EQ(bench.expect<StopRun>().message.run, (JobRun{1, 1}));
  bench.end(1, Outcome::failed);

  const auto result = bench.expect<Finish>().message.results.at(0);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.error->type, "cancelled");
}

TEST(WorkerHeartbeat, lists_what_runs_with_its_progress_every_third_of_a_lease) {
  WorkerBench bench;
  bench.run_jobs({email_job(1), email_job(2)});
  bench.hear(RunProgress{{2, 1}, 40});

  bench.pass(10s);

  const auto beat = bench.expect<Heartbeat>();
  ASSERT_EQ(beat.message.jobs.size(), 2u);
  EXPECT_EQ(beat.message.jobs[0].progress, std::nullopt);
  EXPECT_EQ(beat.message.jobs[1].progress, 40);
}

TEST(WorkerHeartbeat, is_never_later_than_a_third_of_a_lease_though_none_is_answered) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});

  bench.pass(60s);

  EXPECT_GE(bench.count<Heartbeat>(), 6u);
}

TEST(WorkerHeartbeat, follows_the_shortest_lease_that_is_held) {
  WorkerBench bench;
  auto job = email_job(1);
  job.lease_ms = 300;
  bench.run_jobs({job});

  bench.pass(1s);

  EXPECT_GE(bench.count<Heartbeat>(), 9u);
}

TEST(WorkerHeartbeat, is_parked_again_when_it_is_answered_so_that_a_cancel_arrives_at_once) {
  WorkerBench bench;
  bench.welcome();
  const auto parked = bench.expect<Heartbeat>();
  EXPECT_GT(parked.message.wait_ms, 5'000);
  EXPECT_LE(parked.message.wait_ms, 10'000);

  bench.pass(5s);
  bench.answer(parked, HeartbeatOk{});

  EXPECT_EQ(bench.count<Heartbeat>(), 1u);
}

TEST(WorkerHeartbeat, answered_at_once_over_and_over_does_not_keep_both_sides_busy) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  std::size_t beats = 0;
  for (int i = 0; i < 1000; ++i) {
    if (const auto beat = bench.take<Heartbeat>()) {
      ++beats;
      HeartbeatOk answer;
      answer.cancel = {{1, 1}};
      bench.answer(beat.value(), answer);
    }
    bench.pass(10ms);
  }
  EXPECT_LE(beats, 25u);
}

TEST(WorkerHeartbeat, lists_a_run_that_has_ended_until_its_report_is_acknowledged) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.end(1);
  const auto report = bench.expect<Finish>();

  bench.pass(10s);
  EXPECT_EQ(bench.expect<Heartbeat>().message.jobs.size(), 1u);
  bench.accept(report);
  bench.forget_what_left();
  bench.pass(10s);

  EXPECT_EQ(bench.expect<Heartbeat>().message.jobs.size(), 0u);
}

TEST(WorkerHeartbeat, that_says_quiet_ends_asking_until_it_says_run) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();
  HeartbeatOk quiet;
  quiet.state = SessionState::quiet;
  bench.answer(bench.expect<Heartbeat>(), quiet);
  bench.pass(30s);
  bench.forget_what_left();

  bench.give_nothing(ask);
  EXPECT_EQ(bench.count<RequestBatch>(), 0u);
  bench.pass(10s);
  while (bench.count<Heartbeat>() > 1) bench.expect<Heartbeat>();
  bench.answer(bench.expect<Heartbeat>(), HeartbeatOk{});

  EXPECT_EQ(bench.count<RequestBatch>(), 1u);
}

TEST(WorkerHeartbeat, that_says_stop_ends_the_worker) {
  WorkerBench bench;
  bench.welcome();
  HeartbeatOk stop;
  stop.state = SessionState::stop;

  bench.answer(bench.expect<Heartbeat>(), stop);
  bench.answer(bench.expect<Goodbye>(), Farewell{});

  bench.expect<WorkerStopped>();
}

TEST(RuleD4, a_run_whose_lease_is_lost_is_stopped_and_its_result_not_reported) {
  WorkerBench bench;
  bench.give(bench.welcome_and_take_ask(), {email_job(1)});
  HeartbeatOk answer;
  answer.lost = {{1, 1}};

  bench.answer(bench.expect<Heartbeat>(), answer);

  bench.expect<StopRun>();
  std::optional<Sent<WorkerNotice>> notice;
  while ((notice = bench.take<WorkerNotice>()) && notice->message.event != "lease_lost") continue;
  ASSERT_TRUE(notice);
  EXPECT_NE(notice->message.text.find("job 1 run 1"), std::string::npos);
  bench.end(1, Outcome::failed);
  EXPECT_EQ(bench.count<Finish>(), 0u);
  EXPECT_EQ(bench.summary().unwanted, 1);
}

TEST(AStoppingWorker, says_how_many_runs_it_gives_how_long) {
  const auto said = [](std::vector<LeasedJob> jobs) {
    WorkerOptions options = email_worker();
    options.grace = 25s;
    WorkerBench bench(options);
    if (!jobs.empty()) bench.run_jobs(std::move(jobs));
    bench.hear(StopWork{});
    std::optional<Sent<WorkerNotice>> notice;
    while ((notice = bench.take<WorkerNotice>()) && notice->message.event != "stopping") continue;
    return notice ? notice->message.text : "";
  };
  EXPECT_EQ(said({}), "stopping: nothing runs");
  EXPECT_EQ(said({email_job(1)}), "stopping: 1 run has a grace time of 25 s");
  EXPECT_EQ(said({email_job(1), email_job(2)}), "stopping: 2 runs have a grace time of 25 s");
}

TEST(RuleD4, the_permit_of_a_lost_run_is_free_only_when_it_has_ended) {
  WorkerBench bench(email_worker(1));
  bench.give(bench.welcome_and_take_ask(), {email_job(1)});
  bench.pass(10s);
  HeartbeatOk answer;
  answer.lost = {{1, 1}};
  while (bench.count<Heartbeat>() > 1) bench.expect<Heartbeat>();
  bench.answer(bench.expect<Heartbeat>(), answer);
  EXPECT_EQ(bench.count<RequestBatch>(), 0u);

  bench.end(1, Outcome::failed);

  EXPECT_EQ(bench.expect<RequestBatch>().message.queues.at("email"), 1);
}

TEST(RuleD4, a_report_on_its_way_is_not_given_up_because_a_heartbeat_calls_its_run_lost) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.pass(10s);
  const auto beat = bench.expect<Heartbeat>();
  bench.end(1);
  HeartbeatOk answer;
  answer.lost = {{1, 1}};

  bench.answer(beat, answer);

  bench.hear(LinkUp{});
  EXPECT_EQ(bench.count<Finish>(), 2u);
}

// The process was stopped for longer than its lease; the handler, a process of its own, was not.
TEST(RuleD4, a_worker_that_stood_still_beyond_its_lease_is_told_its_late_report_is_stale_and_says_so) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});
  bench.stand_still(60s);
  RunResult result;
  result.id = 1;
  result.run = 1;
  bench.hear(RunEnded{result});

  Finished finished;
  finished.stale = {{0, "the lease of run 1 ended 30000 ms ago"}};
  bench.answer(bench.expect<Finish>(), finished);

  const auto notice = bench.expect<WorkerNotice>();
  EXPECT_EQ(notice.message.event, "result_stale");
  EXPECT_NE(notice.message.text.find("job 1 run 1 as stale: the lease of run 1 ended"), std::string::npos);
  EXPECT_EQ(bench.summary().stale, 1);
  bench.pass(10min);
  EXPECT_EQ(bench.count<Finish>(), 0u);
}
