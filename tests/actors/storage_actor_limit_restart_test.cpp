// A restart is never more generous than none (rule L10).
#include <gtest/gtest.h>
#include <random>

#include "tests/actors/limit_bench.hpp"

namespace stint {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

struct StorageActorLimitRestart : ::testing::Test {
  LimitBench bench;
};

TEST_F(StorageActorLimitRestart, gives_no_fresh_burst_rule_L10) {
  bench.limit_queue(rate_limit(1, 5));
  bench.enqueue_many(50);
  EXPECT_EQ(bench.started(), 5);
  bench.restart();
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(999);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(1);
  EXPECT_EQ(bench.started(), 1);
}

TEST_F(StorageActorLimitRestart, knows_the_entries_of_runs_that_are_on_when_the_policy_changes_rules_L9_L10) {
  bench.limit_handler(started_limit(4, 20'000));
  bench.enqueue_many(10);
  EXPECT_EQ(bench.started(2), 2);
  bench.restart(from_ms(10));
  bench.limit_handler(window_limit(4, 20'000));
  EXPECT_EQ(bench.handler().available, 2);
}

TEST_F(StorageActorLimitRestart, gives_none_however_often_it_happens_rule_L10) {
  bench.limit_queue(rate_limit(1, 5));
  bench.limit_handler(started_limit(8, 10'000));
  bench.enqueue_many(200);
  std::mt19937_64 random(7);
  std::vector<test::Starts> starts;
  for (int life = 0; life < 60; ++life) {
    for (int turn = 0; turn < 4; ++turn) {
      bench.commit_takes = Duration(static_cast<std::int64_t>(random() % 50'000));
      const std::int64_t count = bench.started();
      if (count > 0) starts.push_back({bench.now, count});
      bench.pass(Duration(static_cast<std::int64_t>(random() % 900'000)));
    }
    bench.restart(Duration(static_cast<std::int64_t>(random() % 500'000)));
  }
  EXPECT_LE(test::excess_over_bucket(starts, 1, 5), 0);
  EXPECT_LE(test::most_in_window(starts, seconds(10)), 8);
  EXPECT_GT(test::total(starts), 40);
}

TEST_F(StorageActorLimitRestart, fills_a_bucket_up_to_the_last_commit_and_not_while_it_was_down_rule_L10) {
  bench.limit_queue(rate_limit(1, 50));
  bench.enqueue_many(200);
  EXPECT_EQ(bench.started(), 50);
  bench.pass(seconds(10));
  bench.enqueue_many(1, "other");
  bench.pass(seconds(1));
  bench.enqueue_many(1, "other");
  bench.restart(hours(1));
  EXPECT_GE(bench.queue().available, 9);
  EXPECT_LE(bench.queue().available, 11);
}

TEST_F(StorageActorLimitRestart, keeps_the_age_of_entries_while_it_was_down_rule_L10) {
  bench.limit_handler(started_limit(2, 60'000));
  bench.enqueue_many(50);
  EXPECT_EQ(bench.started(), 2);
  bench.pass(seconds(10));
  bench.enqueue_many(1, "other");  // with this commit it is known when they left
  bench.restart(seconds(20));
  EXPECT_EQ(bench.handler().available_in_ms, 30'000);
}

TEST_F(StorageActorLimitRestart, counts_hand_outs_of_the_last_commit_as_made_at_the_start_rule_L10) {
  bench.limit_handler(started_limit(2, 60'000));
  bench.limit_queue(rate_limit(0.1, 2));
  bench.enqueue_many(50);
  EXPECT_EQ(bench.started(), 2);
  bench.restart(seconds(20));
  EXPECT_EQ(bench.handler().available_in_ms, 60'000);
  EXPECT_EQ(bench.queue().available_in_ms, 10'000);
}

TEST_F(StorageActorLimitRestart, in_another_boot_keeps_the_age_entries_had_at_the_last_commit_rule_L10) {
  bench.limit_handler(started_limit(2, 60'000));
  bench.enqueue_many(50);
  EXPECT_EQ(bench.started(), 2);
  bench.pass(seconds(10));
  bench.enqueue_many(1, "other");
  bench.pass(seconds(5));
  bench.enqueue_many(1, "other");  // it says of the commit before that it is known
  bench.boot_id = "another";
  bench.restart(hours(10));
  const std::int64_t wait_ms = bench.handler().available_in_ms.value_or(0);
  EXPECT_LE(wait_ms, 50'000);
  EXPECT_GE(wait_ms, 45'000) << "what the wall clock says has passed lets nothing start";
  bench.restart();
  EXPECT_GE(bench.handler().available_in_ms, wait_ms) << "in the same boot from now on";
}

TEST_F(StorageActorLimitRestart, holds_the_slots_of_runs_that_go_on_rule_L10) {
  bench.limit_handler(window_limit(3, 60'000));
  bench.limit_queue(running_limit(2));
  bench.enqueue_many(50);
  const Batch running = bench.take();
  ASSERT_EQ(running.jobs.size(), 2U);
  bench.restart();
  EXPECT_EQ(bench.queue().running, 2);
  EXPECT_EQ(bench.started(), 0);
  bench.finish_all(running);
  EXPECT_EQ(bench.handler().available, 1) << "two have completed";
}

TEST_F(StorageActorLimitRestart, keeps_the_state_of_a_limit_that_was_lifted_before_rule_L10_L9) {
  bench.limit_handler(started_limit(2, 60'000));
  bench.limit_queue(rate_limit(0.01, 2));
  bench.enqueue_many(50);
  EXPECT_EQ(bench.started(), 2);
  bench.clear(LimitScope::handler, "send");
  bench.clear(LimitScope::queue, "email");
  bench.restart(seconds(10));
  bench.pass(seconds(5));
  EXPECT_EQ(bench.limit_handler(started_limit(2, 60'000)).available, 0);
  EXPECT_EQ(bench.limit_queue(rate_limit(0.01, 2)).available, 0);
}

TEST_F(StorageActorLimitRestart, forgets_entries_that_leave_their_window_after_it) {
  bench.limit_handler(started_limit(2, 60'000));
  bench.enqueue_many(50);
  bench.take();
  bench.restart(seconds(10));
  bench.pass(seconds(70));
  bench.hello(1);
  bench.take();
  EXPECT_EQ(bench.disk.windows.size(), 1U);
}

// A commit that fails takes memory back to the disk: nothing of it was sent, and nothing of it may be spent.
TEST_F(StorageActorLimitRestart, spends_nothing_for_a_batch_whose_commit_failed_rule_D2_L10) {
  bench.limit_queue(rate_limit(0.001, 5));
  bench.enqueue_many(50);
  EXPECT_EQ(bench.started(2), 2);
  bench.store().fail_commits(1);
  EXPECT_EQ(bench.started(3), 0);
  bench.pass(seconds(2));
  EXPECT_EQ(bench.queue().available, 3);
  EXPECT_EQ(bench.started(), 3);
}

}  // namespace
}  // namespace stint
