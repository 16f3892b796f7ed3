// What becomes of a job when its run ends, and what its worker hears of a cancel (rule D7).
#include <gtest/gtest.h>

#include "tests/actors/storage_bench.hpp"

namespace stint {
namespace {

using std::chrono::seconds;
using Runs = std::vector<JobRun>;
using Events = std::vector<std::string>;

struct StorageActorOutcomes : ::testing::Test {
  StorageActorOutcomes() { bench.hello(1, "w1"), bench.hello(2, "w2"); }
  StorageBench bench;

  LeasedJob limited(std::int64_t max_attempts) {
    NewJob job = new_job();
    job.max_attempts = max_attempts;
    return bench.running(job);
  }
};

TEST_F(StorageActorOutcomes, completed_leaves_one_log_with_the_result_and_no_row) {
  const LeasedJob job = bench.running();
  RunResult result{job.id, job.run, Outcome::completed, Payload{"done", true}, {}, {}, {}};
  bench.finish(1, {result});
  EXPECT_TRUE(bench.disk.jobs.empty());
  EXPECT_TRUE(bench.disk.payloads.empty());
  EXPECT_TRUE(bench.disk.receipts.empty());
  const JobDetails details = bench.details(job.id);
  EXPECT_EQ(details.job.state, JobState::completed);
  ASSERT_EQ(details.runs.size(), 1u);
  EXPECT_EQ(details.runs[0].result, (Payload{"done", true}));
  EXPECT_EQ(details.runs[0].worker, "w1");
}

TEST_F(StorageActorOutcomes, failed_waits_its_backoff_and_runs_again_with_the_next_attempt) {
  NewJob job = new_job();
  job.backoff = Backoff{2000, 2.0, 60'000, 0.0};
  const LeasedJob first = bench.running(job);
  EXPECT_TRUE(bench.finish(1, first, Outcome::failed));
  EXPECT_EQ(bench.state(first.id), JobState::retrying);
  EXPECT_EQ(bench.details(first.id).job.due_in_ms, 2000);
  bench.pass_ms(1999);
  EXPECT_EQ(bench.told_ready("email", "send"), 0);
  bench.pass_ms(1);
  const LeasedJob second = bench.claim(1, 2001).jobs.at(0);
  EXPECT_EQ(second.run, 2);
  EXPECT_EQ(second.attempt, 2);
}

TEST_F(StorageActorOutcomes, failed_waits_as_long_as_its_report_says) {
  const LeasedJob job = bench.running();
  bench.finish(1, job, Outcome::failed, 77'000);
  EXPECT_EQ(bench.details(job.id).job.due_in_ms, 77'000);
}

TEST_F(StorageActorOutcomes, failed_on_the_last_attempt_is_dead_with_the_reason_and_kept) {
  const LeasedJob job = limited(1);
  RunResult result{job.id, job.run, Outcome::failed, {}, RunError{"ValueError", "no such user", ""}, {}, {}};
  bench.finish(1, {result});
  const JobDetails details = bench.details(job.id);
  EXPECT_EQ(details.job.state, JobState::dead);
  EXPECT_EQ(details.job.reason, "its only attempt: no such user");
  EXPECT_EQ(details.payload->bytes, "payload");
  EXPECT_EQ(details.runs.at(0).error->message, "no such user");
  EXPECT_EQ(bench.stats().dead, 1);
}

TEST_F(StorageActorOutcomes, failed_on_the_last_of_several_attempts_says_how_many_were_spent) {
  const LeasedJob first = limited(2);
  bench.finish(1, first, Outcome::failed, 0);
  const LeasedJob last = bench.claim(1, 2001).jobs.at(0);
  bench.finish(1, last, Outcome::failed);
  EXPECT_EQ(bench.details(first.id).job.reason, "all 2 attempts were spent, the last failed");
}

TEST_F(StorageActorOutcomes, dead_is_dead_at_once) {
  const LeasedJob job = bench.running();
  bench.finish(1, job, Outcome::dead);
  EXPECT_EQ(bench.details(job.id).job.reason, "its handler gave it up");
}

TEST_F(StorageActorOutcomes, snoozed_comes_again_when_it_said_and_spends_no_attempt) {
  const LeasedJob job = limited(1);
  bench.finish(1, job, Outcome::snoozed, 5000);
  bench.pass_ms(4999);
  EXPECT_TRUE(bench.claim(1, 2001).jobs.empty());
  bench.pass_ms(1);
  const LeasedJob again = bench.claim(1, 2002).jobs.at(0);
  EXPECT_EQ(again.run, 2);
  EXPECT_EQ(again.attempt, 1);
}

TEST_F(StorageActorOutcomes, released_goes_back_to_its_old_place_and_spends_no_attempt) {
  const LeasedJob job = limited(1);
  bench.pass(seconds(1));
  const JobId later_job = bench.enqueue();
  bench.finish(1, job, Outcome::released);
  const Batch batch = bench.claim(1, 2001);
  ASSERT_EQ(batch.jobs.size(), 2u);
  EXPECT_EQ(batch.jobs[0].id, job.id);
  EXPECT_EQ(batch.jobs[0].attempt, 1);
  EXPECT_EQ(batch.jobs[1].id, later_job);
}

TEST_F(StorageActorOutcomes, dead_can_be_tried_again_with_all_its_attempts) {
  const LeasedJob job = limited(1);
  bench.finish(1, job, Outcome::failed);
  EXPECT_EQ(bench.ask<JobDetails>(RetryJob{job.id}).job.state, JobState::waiting);
  const LeasedJob again = bench.claim(1, 2001).jobs.at(0);
  EXPECT_EQ(again.run, 2);
  EXPECT_EQ(again.attempt, 1);
  EXPECT_EQ(bench.stats().dead, 0);
}

TEST_F(StorageActorOutcomes, retry_makes_a_delayed_job_ready_now) {
  NewJob job = new_job();
  job.delay_ms = 3'600'000;
  const JobId id = bench.enqueue(job);
  bench.ask<JobDetails>(RetryJob{id});
  EXPECT_EQ(bench.told_ready("email", "send"), 1);
  EXPECT_EQ(bench.stats().scheduled, 0);
  bench.restart();
  EXPECT_EQ(bench.state(id), JobState::waiting);
}

TEST_F(StorageActorOutcomes, retry_of_a_running_ended_or_unknown_job_is_refused) {
  const LeasedJob job = bench.running();
  EXPECT_EQ(bench.refused(RetryJob{job.id}), ErrorCode::conflict);
  bench.finish(1, job);
  EXPECT_EQ(bench.refused(RetryJob{job.id}), ErrorCode::conflict);
  EXPECT_EQ(bench.refused(RetryJob{99}), ErrorCode::not_found);
}

TEST_F(StorageActorOutcomes, cancel_ends_a_waiting_job_at_once) {
  const JobId id = bench.enqueue();
  EXPECT_EQ(bench.ask<JobDetails>(CancelJob{id}).job.state, JobState::cancelled);
  EXPECT_EQ(bench.told_ready("email", "send"), 0);
  EXPECT_TRUE(bench.claim(1, 2001).jobs.empty());
  EXPECT_EQ(bench.ask<JobDetails>(CancelJob{id}).job.state, JobState::cancelled);
}

TEST_F(StorageActorOutcomes, cancel_ends_a_retrying_job_at_once_and_keeps_its_history) {
  const LeasedJob job = bench.running();
  bench.finish(1, job, Outcome::failed);
  const JobDetails details = bench.ask<JobDetails>(CancelJob{job.id});
  EXPECT_EQ(details.job.state, JobState::cancelled);
  EXPECT_EQ(details.runs.size(), 1u);
}

TEST_F(StorageActorOutcomes, cancel_of_a_completed_dead_or_unknown_job_is_refused) {
  const LeasedJob completed = bench.running();
  bench.finish(1, completed);
  EXPECT_EQ(bench.refused(CancelJob{completed.id}), ErrorCode::conflict);
  const LeasedJob dead = bench.running();
  bench.finish(1, dead, Outcome::dead);
  EXPECT_EQ(bench.refused(CancelJob{dead.id}), ErrorCode::conflict);
  EXPECT_EQ(bench.refused(CancelJob{99}), ErrorCode::not_found);
}

TEST_F(StorageActorOutcomes, after_a_cancel_completed_wins_rule_D7) {
  const LeasedJob job = bench.running();
  EXPECT_EQ(bench.ask<JobDetails>(CancelJob{job.id}).job.state, JobState::running);
  EXPECT_TRUE(bench.finish(1, job));
  EXPECT_EQ(bench.state(job.id), JobState::completed);
}

TEST_F(StorageActorOutcomes, after_a_cancel_any_other_report_makes_it_cancelled_rule_D7) {
  for (const Outcome outcome : {Outcome::failed, Outcome::dead, Outcome::snoozed, Outcome::released}) {
    const LeasedJob job = bench.running();
    bench.ask<JobDetails>(CancelJob{job.id});
    EXPECT_TRUE(bench.finish(1, job, outcome));
    EXPECT_EQ(bench.state(job.id), JobState::cancelled);
    EXPECT_TRUE(bench.finish(1, job, outcome));
  }
}

TEST_F(StorageActorOutcomes, after_a_cancel_the_end_of_the_lease_makes_it_cancelled_rule_D7) {
  const LeasedJob job = bench.running();
  bench.ask<JobDetails>(CancelJob{job.id});
  bench.pass(seconds(31));
  EXPECT_EQ(bench.state(job.id), JobState::cancelled);
}

TEST_F(StorageActorOutcomes, a_cancel_is_remembered_over_a_restart_rule_D7) {
  const LeasedJob job = bench.running();
  bench.ask<JobDetails>(CancelJob{job.id});
  bench.restart();
  EXPECT_EQ(bench.beat(1, {{job.id, job.run}}).cancel, (Runs{{job.id, job.run}}));
  bench.finish(1, job, Outcome::failed);
  EXPECT_EQ(bench.state(job.id), JobState::cancelled);
}

TEST_F(StorageActorOutcomes, a_parked_heartbeat_is_answered_at_once_by_a_cancel) {
  const LeasedJob job = bench.running();
  const auto parked = bench.ask_for(StorageBench::heartbeat(1, {{job.id, job.run}}, 60'000));
  bench.pass(seconds(5));
  EXPECT_FALSE(bench.answered(parked));
  bench.ask<JobDetails>(CancelJob{job.id});
  EXPECT_EQ(bench.answer<HeartbeatOk>(parked).cancel, (Runs{{job.id, job.run}}));
}

// Else a worker that is slow to obey would send heartbeats as fast as it can.
TEST_F(StorageActorOutcomes, a_cancel_that_was_told_does_not_keep_heartbeats_from_being_parked) {
  const LeasedJob job = bench.running();
  bench.ask<JobDetails>(CancelJob{job.id});
  bench.beat(1, {{job.id, job.run}});
  const auto parked = bench.ask_for(StorageBench::heartbeat(1, {{job.id, job.run}}, 5'000));
  bench.turn();
  bench.pass_ms(4999);
  EXPECT_FALSE(bench.answered(parked));
  bench.pass_ms(1);
  EXPECT_EQ(bench.answer<HeartbeatOk>(parked).cancel, (Runs{{job.id, job.run}}));
}

TEST_F(StorageActorOutcomes, a_parked_heartbeat_is_answered_when_its_run_is_lost) {
  const LeasedJob job = bench.running();
  const auto parked = bench.ask_for(StorageBench::heartbeat(1, {}, 60'000));
  bench.pass(seconds(31));
  EXPECT_EQ(bench.answer<HeartbeatOk>(parked).lost, (Runs{{job.id, job.run}}));
}

TEST_F(StorageActorOutcomes, a_parked_heartbeat_says_nothing_of_runs_the_worker_itself_ended) {
  const LeasedJob job = bench.running();
  const auto parked = bench.ask_for(StorageBench::heartbeat(1, {{job.id, job.run}}, 10'000));
  bench.turn();
  bench.finish(1, job);
  bench.pass(seconds(10));
  EXPECT_TRUE(bench.answer<HeartbeatOk>(parked).lost.empty());
}

TEST_F(StorageActorOutcomes, a_newer_heartbeat_takes_the_place_of_the_parked_one) {
  const auto first = bench.ask_for(StorageBench::heartbeat(1, {}, 60'000));
  const auto second = bench.ask_for(StorageBench::heartbeat(1, {}, 60'000));
  bench.turn();
  EXPECT_TRUE(bench.answered(first));
  EXPECT_FALSE(bench.answered(second));
}

TEST_F(StorageActorOutcomes, progress_of_a_heartbeat_is_shown) {
  const LeasedJob job = bench.running();
  Heartbeat heartbeat = StorageBench::heartbeat(1, {});
  heartbeat.jobs = {{job.id, job.run, 40}};
  bench.ask<HeartbeatOk>(std::move(heartbeat));
  EXPECT_EQ(bench.details(job.id).job.progress, 40);
  EXPECT_EQ(bench.details(job.id).job.worker, "w1");
}

TEST_F(StorageActorOutcomes, delete_forgets_a_job_with_its_history) {
  const LeasedJob job = bench.running();
  EXPECT_EQ(bench.refused(DeleteJob{job.id}), ErrorCode::conflict);
  bench.finish(1, job);
  bench.ask<Deleted>(DeleteJob{job.id});
  EXPECT_EQ(bench.refused(GetJob{job.id}), ErrorCode::not_found);
  EXPECT_TRUE(bench.disk.logs.empty());
  const JobId waiting = bench.enqueue();
  bench.ask<Deleted>(DeleteJob{waiting});
  EXPECT_EQ(bench.told_ready("email", "send"), 0);
  EXPECT_EQ(bench.refused(DeleteJob{waiting}), ErrorCode::not_found);
}

TEST_F(StorageActorOutcomes, every_change_is_an_event) {
  const LeasedJob job = bench.running();
  bench.finish(1, job, Outcome::failed);
  bench.ask<JobDetails>(RetryJob{job.id});
  bench.finish(1, bench.claim(1, 2001).jobs.at(0), Outcome::snoozed, 0);
  bench.finish(1, bench.claim(1, 2002).jobs.at(0), Outcome::released);
  bench.claim(1, 2003);
  bench.pass(seconds(31));
  bench.claim(1, 2004);
  bench.got(1, 2004);
  bench.pass(seconds(31));
  bench.finish(1, bench.claim(1, 2005).jobs.at(0));
  EXPECT_EQ(bench.events_of(job.id),
            (Events{"enqueued", "started", "failed", "requeued", "started", "snoozed", "started", "released",
                    "started", "undelivered", "started", "lost", "started", "completed"}));
  std::int64_t expected = 0;
  for (const EventMessage& message : bench.events()) EXPECT_EQ(message.seq, ++expected);
}

TEST_F(StorageActorOutcomes, an_event_says_who_ran_it_and_what_comes_next) {
  const LeasedJob job = limited(1);
  bench.finish(1, job, Outcome::failed);
  const EventMessage failed = bench.events().back();
  EXPECT_EQ(failed.event, EventKind::failed);
  EXPECT_EQ(failed.queue, "email");
  EXPECT_EQ(failed.at_ms, bench.wall_now);
  EXPECT_EQ(failed.items.at(0), (EventItem{job.id, "send", 1, 1, session_id(1), "w1", EventNext::dead}));
}

TEST_F(StorageActorOutcomes, a_turn_is_one_row_of_events) {
  bench.ask_for(Enqueue{{new_job(), new_job("other")}, {}});
  bench.ask_for(Enqueue{{new_job("send", "other")}, {}});
  bench.turn();
  EXPECT_EQ(bench.disk.events.size(), 1u);
  EXPECT_EQ(bench.events().size(), 2u);
}

}  // namespace
}  // namespace stint
