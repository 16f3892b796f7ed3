// A restored backup knows nothing of what its original has done since, and is never more generous for it
// (rule L10).
#include <gtest/gtest.h>

#include "actors/storage/clock_resume.hpp"
#include "tests/actors/limit_bench.hpp"

namespace stint {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

struct StorageActorRestore : ::testing::Test {
  // As `stint backup` leaves it.
  void back_up() {
    backup = bench.disk;
    backup.header.boot_id = boot_of_backups;
  }
  // The original is gone; another machine starts on the backup.
  void restore(Duration down = seconds(1)) {
    bench.stop();
    bench.disk = backup;
    bench.boot_id = "another";
    bench.restart(down);
  }
  void restore_and_greet() {
    restore();
    bench.hello(1);
  }
  std::vector<LogRow> logs_of(JobId job) { return bench.store().logs_of(job, 10).value(); }

  LimitBench bench;
  test::MemoryDisk backup;
};

// --- Limits ---

TEST_F(StorageActorRestore, starts_with_empty_buckets) {
  bench.limit_queue(rate_limit(1, 5));
  bench.enqueue_many(50);
  back_up();
  restore_and_greet();
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(1'000);
  EXPECT_EQ(bench.started(), 1);
}

TEST_F(StorageActorRestore, starts_with_full_windows_for_their_whole_length) {
  bench.limit_handler(window_limit(3, 60'000));
  bench.enqueue_many(50);
  back_up();
  restore_and_greet();
  EXPECT_EQ(bench.started(), 0);
  EXPECT_LE(bench.handler().available_in_ms, 60'000);
  bench.pass_ms(59'900);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(100);
  EXPECT_EQ(bench.started(), 3);
}

TEST_F(StorageActorRestore, gives_no_burst_and_no_free_window_to_limits_that_the_backup_does_not_know) {
  bench.enqueue_many(50);
  back_up();
  bench.limit_queue(rate_limit(1, 5));
  bench.limit_handler(window_limit(3, 60'000));
  EXPECT_EQ(bench.started(), 3);
  restore_and_greet();
  bench.limit_queue(rate_limit(1, 5));
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(2'000);
  bench.limit_handler(window_limit(3, 60'000));
  EXPECT_EQ(bench.queue().available, 2) << "filled since the restore";
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(57'900);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(100);
  EXPECT_EQ(bench.started(), 3);
}

TEST_F(StorageActorRestore, counts_a_window_as_full_of_a_raised_max_too) {
  bench.limit_handler(started_limit(3, 60'000));
  bench.enqueue_many(50);
  back_up();
  restore_and_greet();
  bench.limit_handler(started_limit(10, 60'000));
  EXPECT_EQ(bench.started(), 0);
  bench.limit_handler(window_limit(20, 120'000));
  bench.pass_ms(119'900);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(100);
  EXPECT_EQ(bench.started(), 20);
}

TEST_F(StorageActorRestore, holds_the_limits_of_the_config_empty_and_full_too) {
  StorageOptions options;
  options.queue_limits["email"] = rate_limit(1, 5);
  options.handler_limits["send"] = window_limit(3, 5'000);
  bench.enqueue_many(50);
  back_up();
  bench.configure(options);
  restore_and_greet();
  EXPECT_EQ(bench.queue().available, 0);
  EXPECT_EQ(bench.handler().available, 0);
  bench.pass_ms(5'000);
  EXPECT_EQ(bench.started(), 3);
}

TEST_F(StorageActorRestore, remembers_over_further_starts_that_windows_were_full) {
  bench.limit_handler(window_limit(3, 60'000));
  bench.enqueue_many(50);
  back_up();
  restore();
  bench.pass_ms(10'000);
  bench.restart();
  bench.boot_id = "a third";
  bench.restart(hours(1));
  bench.hello(1);
  bench.enqueue_many(5, "call", "calls");
  bench.limit(LimitScope::handler, "call", window_limit(3, 60'000));
  EXPECT_EQ(bench.handler().available, 0);
  EXPECT_EQ(bench.handler("call").available, 0) << "of a limit that is set only now";
  EXPECT_GE(bench.handler("call").available_in_ms, 49'000);
  bench.pass_ms(50'000);
  EXPECT_EQ(bench.handler().available, 3);
  EXPECT_EQ(bench.handler("call").available, 3);
}

TEST_F(StorageActorRestore, keeps_records_and_pauses) {
  bench.limit_queue(rate_limit(7, 5));
  bench.ask<LimitState>(Pause{LimitScope::handler, "send", 60'000});
  back_up();
  restore(seconds(20));
  EXPECT_EQ(bench.queue().limit, rate_limit(7, 5));
  EXPECT_TRUE(bench.handler().paused);
  bench.pass_ms(40'000);
  EXPECT_FALSE(bench.handler().paused);
}

TEST_F(StorageActorRestore, counts_no_run_of_the_original_as_running) {
  bench.limit_queue(running_limit(2));
  bench.running();
  back_up();
  restore_and_greet();
  EXPECT_EQ(bench.queue().running, 0);
  EXPECT_EQ(bench.queue().available, 2);
}

TEST_F(StorageActorRestore, gives_no_version_of_a_limit_twice_rule_L8) {
  bench.limit_queue(rate_limit(1, 5));
  back_up();
  const std::int64_t before = bench.limit_queue(rate_limit(2, 5)).version;
  restore();
  EXPECT_GT(bench.limit_queue(rate_limit(3, 5)).version, before);
}

// --- Numbers ---

TEST_F(StorageActorRestore, gives_ids_that_the_original_has_not_given_since) {
  const JobId before = bench.enqueue();
  back_up();
  const JobId since = bench.enqueue();
  restore();
  EXPECT_EQ(bench.state(before), JobState::waiting) << "under its id";
  EXPECT_EQ(bench.enqueue(), before + ids_apart + 1);
  EXPECT_LT(since, bench.disk.header.last_job);
  bench.hello(1);
  ASSERT_EQ(bench.take().jobs.size(), 2U);
  EXPECT_GT(bench.disk.sessions.begin()->first, ids_apart);
  EXPECT_GT(bench.disk.receipts.begin()->first, ids_apart);
}

TEST_F(StorageActorRestore, gives_them_after_a_start_that_gave_none_too) {
  const JobId before = bench.enqueue();
  back_up();
  restore();
  bench.restart();
  EXPECT_EQ(bench.enqueue(), before + ids_apart + 1) << "and no more than once so much higher";
}

TEST_F(StorageActorRestore, is_a_start_that_limiters_and_workers_do_not_know) {
  back_up();
  bench.restart();
  bench.restart();
  const std::int64_t known = bench.actor().epoch();
  restore();
  EXPECT_GT(bench.actor().epoch(), known);
}

// --- Sessions and leases ---

TEST_F(StorageActorRestore, knows_no_session_of_the_original) {
  const LeasedJob job = bench.running();
  back_up();
  restore();
  EXPECT_EQ(bench.refused(StorageBench::heartbeat(1, {{job.id, job.run}})), ErrorCode::unknown_session);
  bench.restart();
  EXPECT_EQ(bench.refused(StorageBench::heartbeat(1, {})), ErrorCode::unknown_session);
  EXPECT_TRUE(bench.disk.sessions.empty());
}

TEST_F(StorageActorRestore, ends_a_run_that_was_acknowledged_as_lost_rule_D7) {
  const LeasedJob job = bench.running();
  back_up();
  restore_and_greet();
  EXPECT_EQ(bench.state(job.id), JobState::waiting);
  ASSERT_EQ(logs_of(job.id).size(), 1U);
  EXPECT_EQ(logs_of(job.id).front().end, RunEnd::lost);
  EXPECT_EQ(logs_of(job.id).front().worker, "w");
  EXPECT_EQ(bench.disk.jobs.at(job.id).attempts, 1);
  EXPECT_FALSE(bench.finish(1, job)) << "it is void, whoever reports it";
  EXPECT_EQ(bench.take().jobs.at(0).run, job.run + 1);
}

TEST_F(StorageActorRestore, takes_back_a_batch_that_nobody_acknowledged_at_no_cost_rule_D3) {
  const JobId job = bench.enqueue();
  ASSERT_EQ(bench.take().jobs.size(), 1U);
  back_up();
  restore_and_greet();
  EXPECT_EQ(logs_of(job).front().end, RunEnd::undelivered);
  EXPECT_EQ(bench.disk.jobs.at(job).attempts, 0);
  EXPECT_TRUE(bench.disk.receipts.empty());
}

TEST_F(StorageActorRestore, buries_a_job_whose_last_attempt_it_was_rule_D7) {
  NewJob once = new_job();
  once.max_attempts = 1;
  const LeasedJob job = bench.running(once);
  back_up();
  restore();
  EXPECT_EQ(bench.state(job.id), JobState::dead);
}

TEST_F(StorageActorRestore, takes_no_number_of_an_ask_for_a_batch_that_arrived_rule_D3) {
  const JobId job = bench.enqueue();
  back_up();
  restore_and_greet();
  const Batch batch = bench.claim(1, 5);
  ASSERT_EQ(batch.jobs.size(), 1U);
  bench.got(1, 5);
  EXPECT_FALSE(bench.disk.receipts.begin()->second.acknowledged) << "the original may have answered that ask";
  bench.beat(1, {{job, 1}});
  EXPECT_TRUE(bench.disk.receipts.begin()->second.acknowledged);
}

// --- The rest ---

TEST_F(StorageActorRestore, remembers_batch_keys_rule_D8) {
  const std::vector<JobId> ids = bench.enqueue({new_job()}, "order-7");
  back_up();
  restore();
  EXPECT_EQ(bench.enqueue({new_job()}, "order-7"), ids);
}

TEST_F(StorageActorRestore, goes_on_with_its_events_under_another_name) {
  bench.enqueue();
  backup = bench.disk;
  backup.header.boot_id = boot_of_backups;
  backup.header.log = "the original's";
  const std::int64_t events_before = backup.header.event_seq;
  restore();
  EXPECT_EQ(bench.disk.header.log, "log") << "as its start was told";
  bench.enqueue();
  EXPECT_EQ(bench.disk.header.event_seq, events_before + 1);
  EXPECT_EQ(std::ssize(bench.events()), events_before + 1);
}

TEST_F(StorageActorRestore, happens_once_and_the_next_start_is_an_ordinary_one) {
  back_up();
  restore();
  EXPECT_EQ(bench.disk.header.boot_id, "another");
  const LeasedJob job = (bench.hello(1), bench.running());
  bench.restart();
  EXPECT_EQ(bench.disk.sessions.size(), 1U);
  EXPECT_TRUE(bench.finish(1, job));
}

TEST_F(StorageActorRestore, is_tried_again_whole_when_its_first_commit_fails_rule_D2) {
  bench.limit_queue(rate_limit(1, 5));
  const JobId before = bench.enqueue();
  back_up();
  bench.stop();
  bench.disk = backup;
  bench.boot_id = "another";
  bench.commits_to_fail = 1;
  bench.restart();
  bench.pass_ms(200);
  bench.hello(1);
  EXPECT_EQ(bench.started(), 0);
  EXPECT_EQ(bench.enqueue(), before + ids_apart + 1);
  EXPECT_EQ(bench.disk.header.boot_id, "another");
}

TEST(ClockResumeOfABackup, goes_on_in_a_restored_backup_as_in_another_boot_rule_L10) {
  StoreHeader header;
  header.boot_id = boot_of_backups;
  header.starts = 3;
  header.last_commit = Instant(seconds(5'000));
  header.last_commit_ms = 1'000'000;
  header.clock_offset = seconds(100);
  const MachineTime machine{"another", seconds(7), 1'060'000};
  EXPECT_EQ(Instant(machine.since_boot + resume_clock(header, machine)), Instant(seconds(5'060)));
}

}  // namespace
}  // namespace stint
