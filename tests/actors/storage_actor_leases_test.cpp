// Leases: who may report, and what ends them without a report (rules D3, D4, D6, D7).
#include <gtest/gtest.h>

#include "tests/actors/storage_bench.hpp"

namespace stint {
namespace {

using std::chrono::seconds;
using Runs = std::vector<JobRun>;

struct StorageActorLeases : ::testing::Test {
  StorageActorLeases() { bench.hello(1, "w1"), bench.hello(2, "w2"); }
  StorageBench bench;

  // An unacknowledged hand-out that ends at its deadline.
  void lose_on_the_way(std::int64_t number) {
    ASSERT_EQ(bench.claim(1, number).jobs.size(), 1u);
    bench.pass(seconds(31));
  }
  // An acknowledged one.
  void lose_with_its_worker(std::int64_t number) {
    ASSERT_EQ(bench.claim(1, number).jobs.size(), 1u);
    bench.got(1, number);
    bench.pass(seconds(31));
  }
};

TEST_F(StorageActorLeases, of_a_batch_never_acknowledged_end_as_undelivered_without_an_attempt_rule_D3) {
  const JobId id = bench.enqueue();
  lose_on_the_way(1);
  const JobDetails details = bench.details(id);
  EXPECT_EQ(details.job.state, JobState::waiting);
  EXPECT_EQ(details.job.attempts, 0);
  EXPECT_EQ(details.job.lost, 0);
  EXPECT_EQ(details.runs.at(0).end, RunEnd::undelivered);
}

TEST_F(StorageActorLeases, undelivered_count_as_lost_from_the_sixth_on_rule_D3) {
  const JobId id = bench.enqueue();
  for (std::int64_t number = 1; number <= 5; ++number) lose_on_the_way(number);
  EXPECT_EQ(bench.details(id).job.attempts, 0);
  lose_on_the_way(6);
  EXPECT_EQ(bench.details(id).job.attempts, 1);
  EXPECT_EQ(bench.details(id).job.lost, 1);
  lose_on_the_way(7);
  lose_on_the_way(8);
  EXPECT_EQ(bench.state(id), JobState::dead);
}

TEST_F(StorageActorLeases, are_acknowledged_by_got_by_a_report_and_by_a_heartbeat_rule_D3) {
  bench.enqueue({new_job(), new_job()});
  const Batch batch = bench.claim(1, 1);
  bench.beat(1, {{batch.jobs[0].id, 1}});
  EXPECT_TRUE(bench.disk.receipts.begin()->second.acknowledged);

  bench.enqueue({new_job(), new_job()});
  const Batch reported = bench.claim(1, 2);
  bench.finish(1, reported.jobs[0]);
  EXPECT_TRUE(bench.disk.receipts.rbegin()->second.acknowledged);

  bench.enqueue();
  bench.claim(1, 3);
  EXPECT_FALSE(bench.disk.receipts.rbegin()->second.acknowledged);
  bench.got(1, 3);
  EXPECT_TRUE(bench.disk.receipts.rbegin()->second.acknowledged);
}

// An earlier life may have answered the ask without jobs; the worker has received that answer, and no other.
TEST_F(StorageActorLeases, of_a_session_older_than_storage_are_not_acknowledged_by_got_rule_D3) {
  bench.restart();
  const JobId id = bench.enqueue();
  lose_with_its_worker(5);
  EXPECT_EQ(bench.details(id).runs.at(0).end, RunEnd::undelivered);
  EXPECT_EQ(bench.details(id).job.attempts, 0);
}

TEST_F(StorageActorLeases, of_a_session_older_than_storage_are_acknowledged_by_their_names_rule_D3) {
  bench.restart();
  const JobId id = bench.enqueue();
  bench.beat(1, {{bench.claim(1, 5).jobs.at(0).id, 1}});
  bench.pass(seconds(31));
  EXPECT_EQ(bench.details(id).runs.at(0).end, RunEnd::lost);
}

TEST_F(StorageActorLeases, handed_out_before_a_restart_are_not_acknowledged_by_got_after_it_rule_D3) {
  const JobId id = bench.enqueue();
  bench.claim(1, 1);
  bench.restart();
  bench.got(1, 1);
  bench.pass(seconds(37));
  EXPECT_EQ(bench.details(id).runs.at(0).end, RunEnd::undelivered);
}

TEST_F(StorageActorLeases, of_a_session_older_than_its_limiter_are_not_acknowledged_by_got_rule_D3) {
  bench.ask_for(SnapshotWanted{});
  bench.turn();
  const JobId id = bench.enqueue();
  lose_with_its_worker(5);
  EXPECT_EQ(bench.details(id).runs.at(0).end, RunEnd::undelivered);
}

TEST_F(StorageActorLeases, of_a_session_that_came_after_all_that_are_acknowledged_by_got_rule_D3) {
  bench.restart();
  bench.ask_for(SnapshotWanted{});
  bench.hello(3, "v");
  const JobId id = bench.enqueue();
  bench.claim(3, 1);
  bench.got(3, 1);
  bench.pass(seconds(31));
  EXPECT_EQ(bench.details(id).runs.at(0).end, RunEnd::lost);
}

TEST_F(StorageActorLeases, stay_acknowledged_over_a_restart_rule_D3) {
  const LeasedJob job = bench.running();
  bench.restart();
  bench.pass(seconds(37));
  EXPECT_EQ(bench.details(job.id).runs.at(0).end, RunEnd::lost);
}

TEST_F(StorageActorLeases, that_end_in_the_same_turn_they_are_acknowledged_leave_nothing_to_write) {
  bench.enqueue();
  const Batch batch = bench.claim(1, 1);
  EXPECT_TRUE(bench.finish(1, batch.jobs[0]));
  EXPECT_TRUE(bench.disk.receipts.empty());
}

TEST_F(StorageActorLeases, lost_with_their_worker_spend_an_attempt_and_the_job_runs_again_rule_D7) {
  const JobId id = bench.enqueue();
  lose_with_its_worker(1);
  const JobDetails details = bench.details(id);
  EXPECT_EQ(details.job.state, JobState::waiting);
  EXPECT_EQ(details.job.attempts, 1);
  EXPECT_EQ(details.job.lost, 1);
  EXPECT_EQ(details.runs.at(0).end, RunEnd::lost);
  EXPECT_EQ(bench.claim(2, 1).jobs.at(0).attempt, 2);
}

TEST_F(StorageActorLeases, lost_max_lost_times_leave_the_job_dead_with_the_reason_rule_D7) {
  const JobId id = bench.enqueue();
  for (std::int64_t number = 1; number <= 3; ++number) lose_with_its_worker(number);
  const JobDetails details = bench.details(id);
  EXPECT_EQ(details.job.state, JobState::dead);
  EXPECT_EQ(details.job.reason, "lost with its worker 3 times");
}

TEST_F(StorageActorLeases, lost_on_the_last_attempt_leave_the_job_dead_rule_D7) {
  NewJob job = new_job();
  job.max_attempts = 1;
  const JobId id = bench.enqueue(job);
  lose_with_its_worker(1);
  EXPECT_EQ(bench.state(id), JobState::dead);
}

TEST_F(StorageActorLeases, live_as_long_as_heartbeats_list_them) {
  const LeasedJob job = bench.running();
  for (int beat = 0; beat < 10; ++beat) {
    bench.pass(seconds(20));
    EXPECT_TRUE(bench.beat(1, {{job.id, job.run}}).lost.empty());
  }
  EXPECT_EQ(bench.state(job.id), JobState::running);
}

TEST_F(StorageActorLeases, not_listed_in_a_heartbeat_are_neither_extended_nor_ended_by_it) {
  const LeasedJob listed = bench.running();
  const LeasedJob other = bench.running();
  bench.pass(seconds(20));
  bench.beat(1, {{listed.id, listed.run}});
  EXPECT_EQ(bench.state(other.id), JobState::running);
  bench.pass(seconds(11));
  EXPECT_EQ(bench.state(other.id), JobState::waiting);
  EXPECT_EQ(bench.state(listed.id), JobState::running);
}

TEST_F(StorageActorLeases, of_a_batch_that_is_asked_for_again_and_again_cost_nothing_at_their_end_rule_D3) {
  NewJob job = new_job();
  job.timeout_ms = 1'000;
  const JobId id = bench.enqueue(job);
  ASSERT_EQ(bench.claim(1, 1).jobs.size(), 1u);
  bench.pass(seconds(25));
  ASSERT_EQ(bench.ask_again(1, 1).jobs.size(), 1u);
  bench.pass(seconds(10));
  const auto details = bench.details(id);
  ASSERT_EQ(details.runs.size(), 1u);
  EXPECT_EQ(details.runs.at(0).end, RunEnd::undelivered);
  EXPECT_EQ(details.job.attempts, 0);
}

TEST_F(StorageActorLeases, end_at_timeout_plus_lease_whatever_heartbeats_say_rule_D7) {
  NewJob job = new_job();
  job.timeout_ms = 60'000;
  const LeasedJob leased = bench.running(job);
  for (int beat = 0; beat < 8; ++beat) {
    bench.pass(seconds(11));
    bench.beat(1, {{leased.id, leased.run}});
  }
  EXPECT_EQ(bench.state(leased.id), JobState::running);
  bench.pass(seconds(3));
  const JobDetails details = bench.details(leased.id);
  EXPECT_EQ(details.job.state, JobState::retrying);
  EXPECT_EQ(details.runs.at(0).end, RunEnd::timed_out);
  EXPECT_EQ(details.runs.at(0).error.value_or(RunError{}).message, "ran out of time (60 s)");
  EXPECT_EQ(bench.beat(1, {{leased.id, leased.run}}).lost, (Runs{{leased.id, leased.run}}));
}

TEST_F(StorageActorLeases, do_not_end_because_the_server_stood_still_rule_D6) {
  const LeasedJob job = bench.running();
  bench.pass(seconds(29));
  bench.stall_ms(120'000);
  bench.pass(seconds(5));
  EXPECT_TRUE(bench.beat(1, {{job.id, job.run}}).lost.empty());
  EXPECT_TRUE(bench.finish(1, job));
}

TEST_F(StorageActorLeases, end_after_a_stall_if_their_worker_stays_silent_rule_D6) {
  const LeasedJob job = bench.running();
  bench.pass(seconds(29));
  bench.stall_ms(120'000);
  bench.pass(seconds(11));
  EXPECT_EQ(bench.state(job.id), JobState::waiting);
}

TEST_F(StorageActorLeases, survive_a_restart_however_long_it_took_rule_D6) {
  const LeasedJob job = bench.running();
  bench.pass(seconds(29));
  bench.restart(std::chrono::hours(2));
  bench.pass(seconds(29));
  EXPECT_EQ(bench.state(job.id), JobState::running);
  EXPECT_TRUE(bench.finish(1, job));
}

TEST_F(StorageActorLeases, of_a_restart_do_not_all_end_in_one_wave_rule_D6) {
  for (int job = 0; job < 20; ++job) bench.running();
  bench.restart();
  std::int64_t most_at_once = 0;
  std::int64_t before = 20;
  for (int step = 0; step < 40; ++step) {
    bench.pass_ms(1000);
    const std::int64_t running = bench.stats().running;
    most_at_once = std::max(most_at_once, before - running);
    before = running;
  }
  EXPECT_EQ(before, 0);
  EXPECT_LE(most_at_once, 5);
}

TEST_F(StorageActorLeases, a_late_report_is_refused_as_stale_with_the_reason_rule_D4) {
  const LeasedJob job = bench.running();
  bench.pass(seconds(31));
  const Finished late = bench.finish(1, {RunResult{job.id, job.run, Outcome::completed, {}, {}, {}, {}}});
  EXPECT_TRUE(late.accepted.empty());
  ASSERT_EQ(late.stale.size(), 1u);
  EXPECT_EQ(late.stale[0].at, 0);
  EXPECT_NE(late.stale[0].reason.find("lost"), std::string::npos);
  EXPECT_EQ(bench.state(job.id), JobState::waiting);
}

TEST_F(StorageActorLeases, one_result_counts_when_a_job_ran_twice_rule_D4) {
  const LeasedJob first = bench.running();
  bench.pass(seconds(31));
  const LeasedJob second = bench.claim(2, 1).jobs.at(0);
  EXPECT_EQ(second.run, first.run + 1);
  EXPECT_FALSE(bench.finish(1, first));
  EXPECT_TRUE(bench.finish(2, second));
  EXPECT_EQ(bench.state(first.id), JobState::completed);
}

TEST_F(StorageActorLeases, belong_to_their_session_and_another_may_not_report_rule_D4) {
  const LeasedJob job = bench.running();
  EXPECT_FALSE(bench.finish(2, job));
  EXPECT_EQ(bench.beat(2, {{job.id, job.run}}).lost, (Runs{{job.id, job.run}}));
  EXPECT_EQ(bench.state(job.id), JobState::running);
}

TEST_F(StorageActorLeases, a_report_that_comes_again_is_answered_the_same_way_rule_D4) {
  for (const Outcome outcome : {Outcome::completed, Outcome::failed, Outcome::dead, Outcome::snoozed}) {
    const LeasedJob job = bench.running();
    EXPECT_TRUE(bench.finish(1, job, outcome, 3'600'000));
    EXPECT_TRUE(bench.finish(1, job, outcome, 3'600'000));
    bench.restart();
    EXPECT_TRUE(bench.finish(1, job, outcome, 3'600'000));
    EXPECT_EQ(bench.details(job.id).runs.size(), 1u);
  }
}

TEST_F(StorageActorLeases, a_report_twice_in_one_message_counts_once_rule_D4) {
  const LeasedJob job = bench.running();
  const RunResult result{job.id, job.run, Outcome::failed, {}, {}, {}, {}};
  EXPECT_EQ(bench.finish(1, {result, result}).accepted, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(bench.details(job.id).job.attempts, 1);
}

TEST_F(StorageActorLeases, a_report_of_another_outcome_than_the_first_is_stale_rule_D4) {
  const LeasedJob job = bench.running();
  EXPECT_TRUE(bench.finish(1, job, Outcome::failed));
  EXPECT_FALSE(bench.finish(1, job, Outcome::completed));
}

TEST_F(StorageActorLeases, a_report_of_a_run_nobody_knows_is_stale) {
  EXPECT_FALSE(bench.finish(1, JobRun{77, 1}));
}

TEST_F(StorageActorLeases, results_that_could_not_be_read_are_rejected_alone) {
  const LeasedJob job = bench.running();
  Finish finish;
  finish.session = session_id(1);
  finish.results = {RunResult{job.id, job.run, Outcome::completed, {}, {}, {}, {}}};
  finish.positions = {1};
  finish.faulty = {{0, ErrorCode::bad_message, "results[0].run", "must be a number"}};
  const Finished answer = bench.ask<Finished>(std::move(finish));
  EXPECT_EQ(answer.accepted, std::vector<std::int64_t>{1});
  EXPECT_EQ(answer.rejected.at(0).at, 0);
}

TEST_F(StorageActorLeases, count_for_a_batch_from_when_it_left_not_from_when_it_was_claimed) {
  bench.enqueue();
  bench.commit_takes = from_ms(90);
  bench.claim(1, 1);
  bench.commit_takes = {};
  bench.pass_ms(29'999);
  EXPECT_EQ(bench.stats().running, 1);
  bench.pass_ms(51);
  EXPECT_EQ(bench.stats().running, 0);
}

TEST_F(StorageActorLeases, do_not_end_because_a_commit_took_long_rule_D6) {
  const LeasedJob job = bench.running();
  bench.pass(seconds(29));
  bench.commit_takes = seconds(60);
  bench.enqueue(new_job("other"));
  bench.commit_takes = {};
  bench.pass(seconds(5));
  EXPECT_EQ(bench.state(job.id), JobState::running);
}

TEST_F(StorageActorLeases, of_a_batch_that_is_answered_again_count_anew) {
  bench.enqueue();
  const Batch batch = bench.claim(1, 1);
  bench.pass(seconds(25));
  RequestBatch ask;
  ask.session = session_id(1);
  ask.ask = 1;
  bench.ask_for(CheckAsk{ask, {Place::door, 999}});
  bench.turn();
  bench.pass(seconds(25));
  EXPECT_EQ(bench.state(batch.jobs[0].id), JobState::running);
}

}  // namespace
}  // namespace stint
