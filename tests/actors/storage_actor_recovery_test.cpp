// A commit that fails, and a start from what is on disk (rules D1, D2, D10).
#include <gtest/gtest.h>

#include "actors/storage/clock_resume.hpp"
#include "tests/actors/storage_bench.hpp"

namespace stint {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

struct StorageActorRecovery : ::testing::Test {
  StorageActorRecovery() { bench.hello(1); }
  StorageBench bench;

  // A turn whose commit fails.
  void fail(Message request) {
    bench.store().fail_commits(1);
    const auto asked = bench.ask_for(std::move(request));
    bench.turn();
    EXPECT_FALSE(bench.answered(asked));
  }
};

TEST_F(StorageActorRecovery, after_a_failed_commit_memory_is_what_the_disk_is_rule_D2) {
  const JobId kept = bench.enqueue();
  fail(Enqueue{{new_job(), new_job("other")}, {}});
  bench.pass(seconds(1));
  EXPECT_EQ(bench.stats().waiting, 1);
  const Batch batch = bench.claim(1, 1);
  ASSERT_EQ(batch.jobs.size(), 1u);
  EXPECT_EQ(batch.jobs[0].id, kept);
}

TEST_F(StorageActorRecovery, after_a_failed_commit_ids_and_events_go_on_without_gaps_rule_D2) {
  fail(Enqueue{{new_job()}, {}});
  bench.pass(seconds(1));
  EXPECT_EQ(bench.enqueue(), 1);
  std::int64_t expected = 0;
  for (const EventMessage& message : bench.events()) EXPECT_EQ(message.seq, ++expected);
}

TEST_F(StorageActorRecovery, a_hand_out_that_did_not_commit_did_not_happen_rule_D2) {
  const JobId id = bench.enqueue();
  fail(Claim{99, session_id(1), 1, {{"email", 1}}, 1, {}});
  bench.pass(seconds(1));
  EXPECT_EQ(bench.state(id), JobState::waiting);
  EXPECT_EQ(bench.claim(1, 1).jobs.at(0).run, 1);
}

TEST_F(StorageActorRecovery, a_report_that_did_not_commit_can_be_sent_again_rule_D2) {
  const LeasedJob job = bench.running();
  Finish finish;
  finish.session = session_id(1);
  finish.results = {RunResult{job.id, job.run, Outcome::completed, {}, {}, {}, {}}};
  finish.positions = {0};
  fail(finish);
  bench.pass(seconds(1));
  EXPECT_EQ(bench.state(job.id), JobState::running);
  EXPECT_TRUE(bench.finish(1, job));
}

TEST_F(StorageActorRecovery, nothing_is_served_before_one_commit_has_succeeded_rule_D2) {
  fail(Enqueue{{new_job()}, {}});
  bench.store().fail_commits(3);
  for (int attempt = 0; attempt < 3; ++attempt) {
    bench.ask_for(Enqueue{{new_job()}, {}});
    bench.turn();
  }
  EXPECT_TRUE(bench.disk.jobs.empty());
  const Error error = bench.ask<Error>(Enqueue{{new_job()}, {}});
  EXPECT_EQ(error.code, ErrorCode::storage_unavailable);
  EXPECT_TRUE(error.retry_in_ms.has_value());
  bench.enqueue();
}

TEST_F(StorageActorRecovery, serves_again_by_itself_rule_D2) {
  fail(Enqueue{{new_job()}, {}});
  EXPECT_FALSE(bench.ask<Pong>(Ping{}).ready);
  bench.pass(seconds(1));
  EXPECT_TRUE(bench.ask<Pong>(Ping{}).ready);
}

TEST_F(StorageActorRecovery, serves_again_though_the_store_could_not_be_read_for_a_while_rule_D2) {
  const JobId kept = bench.enqueue();
  bench.store().fail_reads(3);
  fail(Enqueue{{new_job()}, {}});
  EXPECT_FALSE(bench.ask<Pong>(Ping{}).ready);
  bench.pass(seconds(2));
  EXPECT_EQ(bench.state(kept), JobState::waiting);
}

TEST_F(StorageActorRecovery, nothing_starts_for_an_ask_whose_batch_was_over_before_a_failed_commit_rule_D3) {
  bench.enqueue();
  bench.finish(1, bench.claim(1, 1).jobs.at(0));
  fail(Enqueue{{new_job()}, {}});
  bench.pass(seconds(1));
  bench.enqueue();
  bench.ask_for(Claim{99, session_id(1), 1, {{"email", 1}}, 1, {}, true});
  bench.turn();
  EXPECT_EQ(bench.stats().running, 0);
  EXPECT_TRUE(bench.ask_again(1, 1).jobs.empty());
}

TEST_F(StorageActorRecovery, tells_limiters_everything_again_rule_D2) {
  bench.enqueue();
  fail(Enqueue{{new_job(), new_job(), new_job("gone")}, {}});
  bench.to_limiter.clear();
  bench.pass(seconds(1));
  EXPECT_EQ(bench.told_ready("email", "send"), 1);
  EXPECT_EQ(bench.told_ready("email", "gone"), 0);
  EXPECT_EQ(bench.all_to_limiter<SessionOpened>().size(), 1u);
  // The failed turn's own message was dropped with it or not: its number is not used again.
  EXPECT_GT(bench.all_to_limiter<LimiterDelta>().at(0).sequence, 2u);
}

TEST_F(StorageActorRecovery, takes_back_counts_of_lanes_that_are_no_more_rule_D2) {
  fail(Enqueue{{new_job("gone")}, {}});
  bench.to_limiter.clear();
  bench.pass(seconds(1));
  const auto deltas = bench.all_to_limiter<LimiterDelta>();
  ASSERT_FALSE(deltas.empty());
  EXPECT_TRUE(deltas[0].is_snapshot) << "what it does not name is gone";
  for (const ReadyCount& count : deltas[0].counts) EXPECT_NE(count.handler, "gone");
}

TEST_F(StorageActorRecovery, answers_parked_heartbeats_when_memory_is_rebuilt) {
  const auto parked = bench.ask_for(StorageBench::heartbeat(1, {}, 60'000));
  bench.turn();
  fail(Enqueue{{new_job()}, {}});
  bench.pass(seconds(1));
  EXPECT_TRUE(bench.answered(parked));
}

TEST_F(StorageActorRecovery, after_a_kill_every_acknowledged_job_is_there_rule_D1) {
  const JobId waiting = bench.enqueue();
  const LeasedJob completed = bench.running();
  bench.finish(1, completed);
  const LeasedJob running = bench.running();
  bench.ask_for(Enqueue{{new_job()}, {}});
  bench.restart();
  EXPECT_EQ(bench.state(waiting), completed.id == waiting ? JobState::completed : JobState::waiting);
  EXPECT_EQ(bench.state(completed.id), JobState::completed);
  EXPECT_EQ(bench.state(running.id), JobState::running);
}

TEST_F(StorageActorRecovery, after_a_kill_the_counts_are_those_of_before) {
  NewJob delayed = new_job();
  delayed.delay_ms = 60'000;
  bench.enqueue({delayed, delayed, delayed});
  bench.finish(1, bench.running(), Outcome::failed, 60'000);
  bench.finish(1, bench.running(), Outcome::dead);
  bench.running();
  bench.enqueue({new_job(), new_job()});
  bench.restart();
  const Stats stats = bench.stats();
  EXPECT_EQ(stats.scheduled, 3);
  EXPECT_EQ(stats.retrying, 1);
  EXPECT_EQ(stats.dead, 1);
  EXPECT_EQ(stats.running, 1);
  EXPECT_EQ(stats.waiting, 2);
  EXPECT_EQ(bench.told_ready("email", "send"), 2);
}

TEST_F(StorageActorRecovery, lanes_are_in_order_after_a_kill) {
  const LeasedJob first = bench.running();
  const JobId second = bench.enqueue();
  bench.finish(1, first, Outcome::released);
  bench.restart();
  const Batch batch = bench.claim(1, 1);
  ASSERT_EQ(batch.jobs.size(), 2u);
  EXPECT_EQ(batch.jobs[0].id, first.id);
  EXPECT_EQ(batch.jobs[1].id, second);
}

TEST_F(StorageActorRecovery, each_commit_is_told_when_the_turn_before_it_had_ended_rule_L10) {
  bench.enqueue();
  const Instant first = bench.now;
  bench.pass_ms(10);
  bench.enqueue();
  EXPECT_EQ(bench.disk.header.last_commit, first);
  bench.pass(seconds(5));
  bench.enqueue();
  EXPECT_GE(bench.disk.header.last_commit, first + from_ms(10));
  EXPECT_LT(bench.disk.header.last_commit, bench.now);
}

struct ClockResume : ::testing::Test {
  ClockResume() {
    header.boot_id = "boot A";
    header.starts = 3;
    header.last_commit = Instant(seconds(5000));
    header.last_commit_ms = 1'000'000;
    header.clock_offset = seconds(100);
  }
  Instant resumed(const MachineTime& machine) const {
    return Instant(machine.since_boot + resume_clock(header, machine));
  }
  StoreHeader header;
};

TEST_F(ClockResume, keeps_its_offset_within_one_boot) {
  EXPECT_EQ(resume_clock(header, {"boot A", seconds(4950), 0}), seconds(100));
}

TEST_F(ClockResume, goes_on_in_another_boot_with_what_the_wall_clock_says_has_passed_rule_D10) {
  EXPECT_EQ(resumed({"boot B", seconds(7), 1'060'000}), Instant(seconds(5060)));
}

TEST_F(ClockResume, never_goes_back_whatever_the_wall_clock_says_rule_D10) {
  EXPECT_EQ(resumed({"boot B", seconds(7), 5}), Instant(seconds(5000)));
}

TEST_F(ClockResume, starts_with_the_machine_for_a_new_file) {
  EXPECT_EQ(resume_clock(StoreHeader{}, {"boot A", seconds(7), 5}), Duration::zero());
}

TEST(LogName, is_32_hexadecimal_digits) { EXPECT_EQ(log_name(1, 0xAB), "000000000000000100000000000000ab"); }

}  // namespace
}  // namespace stint
