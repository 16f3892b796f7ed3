// What limits promise of starts (rules L1 to L7), asked of the storage actor: its ledger decides.
#include <gtest/gtest.h>
#include <random>

#include "tests/actors/limit_bench.hpp"

namespace stint {
namespace {

using std::chrono::seconds;

struct StorageActorLimits : ::testing::Test {
  LimitBench bench;
};

// --- L1, L2 ---

TEST_F(StorageActorLimits, let_a_queue_start_its_burst_and_then_its_rate_rule_L2) {
  bench.limit_queue(rate_limit(10, 3));
  bench.enqueue_many(100);
  EXPECT_EQ(bench.started(), 3);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(99);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(1);
  EXPECT_EQ(bench.started(), 1);
  bench.pass_ms(1'000);
  EXPECT_EQ(bench.started(), 3) << "its level is never above the burst";
}

TEST_F(StorageActorLimits, of_burst_0_let_a_seconds_worth_start_at_once_rule_L2) {
  bench.limit_queue(rate_limit(7.5));
  bench.enqueue_many(20);
  EXPECT_EQ(bench.started(), 8);
}

// Everything is decided before a commit that takes its time; what counts is when the batch leaves.
void expect_spans_to_hold(LimitBench& bench, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  bench.limit_queue(rate_limit(50, 10));
  bench.limit_handler(started_limit(30, 1'000));
  bench.enqueue_many(900);
  std::vector<test::Starts> starts;
  for (int turn = 0; turn < 300; ++turn) {
    bench.pass(Duration(static_cast<std::int64_t>(random() % 30'000)));
    bench.commit_takes = Duration(static_cast<std::int64_t>(random() % (random() % 4 == 0 ? 90'000 : 2'000)));
    const Batch batch = bench.take(1 + static_cast<std::int64_t>(random() % 20));
    if (!batch.jobs.empty()) starts.push_back({bench.now, std::ssize(batch.jobs)});
    if (random() % 2) bench.finish_all(batch, random() % 2 ? Outcome::completed : Outcome::snoozed);
  }
  EXPECT_LE(test::excess_over_bucket(starts, 50, 10), 0) << "seed " << seed;
  EXPECT_LE(test::most_in_window(starts, seconds(1)), 30) << "seed " << seed;
  EXPECT_GT(test::total(starts), 50);
}

TEST(StorageActorSpans, hold_for_what_left_however_long_commits_take_rule_L1) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    LimitBench bench;
    expect_spans_to_hold(bench, seed);
  }
}

TEST_F(StorageActorLimits, count_from_after_a_slow_commit_rule_L1) {
  bench.limit_queue(rate_limit(10, 1));
  bench.enqueue_many(9);
  bench.commit_takes = from_ms(70);
  EXPECT_EQ(bench.started(), 1);
  bench.commit_takes = LimitBench::at_once;
  bench.pass_ms(99);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(1);
  EXPECT_EQ(bench.started(), 1);
}

TEST_F(StorageActorLimits, count_again_from_the_end_of_a_standstill_right_after_a_hand_out_rule_L1) {
  bench.limit_queue(rate_limit(10, 1));
  bench.limit_handler(started_limit(1, 300));
  bench.enqueue_many(9);
  EXPECT_EQ(bench.started(), 1);
  bench.stall_ms(5'000);  // what was sent may have left only now
  EXPECT_EQ(bench.queue().available_in_ms, 100);
  EXPECT_EQ(bench.handler().available_in_ms, 300);
  bench.pass_ms(299);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(1);
  EXPECT_EQ(bench.started(), 1);
}

TEST_F(StorageActorLimits, forgive_a_standstill_some_time_after_the_last_hand_out) {
  bench.limit_queue(rate_limit(10, 1));
  bench.enqueue_many(9);
  EXPECT_EQ(bench.started(), 1);
  bench.pass_ms(50);
  bench.stall_ms(5'000);
  EXPECT_EQ(bench.started(), 1);
}

// --- L3 ---

TEST_F(StorageActorLimits,
       of_completed_hold_a_slot_while_a_run_lasts_and_count_it_when_it_completes_rule_L3) {
  bench.limit_handler(window_limit(2, 1'000));
  bench.enqueue_many(9);
  const Batch first = bench.take();
  ASSERT_EQ(first.jobs.size(), 2U);
  bench.pass_ms(5'000);
  EXPECT_EQ(bench.started(), 0) << "both are still on";
  bench.finish_all(first);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(999);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(1);
  EXPECT_EQ(bench.started(), 2);
}

TEST_F(StorageActorLimits, of_completed_count_no_other_end_rule_L3) {
  bench.limit_handler(window_limit(1, 60'000));
  bench.enqueue_many(9);
  for (const Outcome outcome : {Outcome::failed, Outcome::dead, Outcome::snoozed, Outcome::released}) {
    const Batch batch = bench.take();
    ASSERT_EQ(batch.jobs.size(), 1U) << "after another end its slot is back at once";
    bench.finish_all(batch, outcome);
  }
  const Batch lost = bench.take();
  ASSERT_EQ(lost.jobs.size(), 1U);
  bench.got(1, bench.last_ask);
  bench.pass(seconds(40));
  EXPECT_EQ(bench.started(), 1) << "a lost one gives it back too";
}

TEST_F(StorageActorLimits, of_started_count_every_start_whatever_its_outcome_rule_L3) {
  bench.limit_handler(started_limit(2, 10'000));
  bench.enqueue_many(9);
  bench.finish_all(bench.take(), Outcome::failed);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(10'000);
  EXPECT_EQ(bench.started(), 2);
}

TEST_F(StorageActorLimits, count_retries_as_starts_rule_L3) {
  bench.limit_handler(started_limit(1, 10'000));
  bench.enqueue();
  const Batch first = bench.take();
  bench.finish(1, first.jobs.at(0), Outcome::failed, 100);
  bench.pass_ms(200);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(9'800);
  EXPECT_EQ(bench.started(), 1);
}

TEST_F(StorageActorLimits, hold_for_a_handler_over_all_its_queues_rule_L3) {
  bench.limit_handler(started_limit(3, 10'000));
  bench.enqueue_many(9, "send", "email");
  bench.enqueue_many(9, "send", "other");
  EXPECT_EQ(bench.started(2, "email"), 2);
  EXPECT_EQ(bench.started(9, "other"), 1);
}

// --- L4 ---

TEST_F(StorageActorLimits, let_no_more_run_at_once_than_a_queue_or_handler_may_rule_L4) {
  bench.limit_queue(running_limit(3));
  bench.limit_handler(running_limit(2));
  bench.enqueue_many(9);
  bench.enqueue_many(9, "other");
  bench.hello(2, "v", {"send", "other"});
  const Batch sends = bench.take();
  EXPECT_EQ(sends.jobs.size(), 2U);
  const Batch others = bench.claim(2, 1);
  EXPECT_EQ(others.jobs.size(), 1U);
  EXPECT_EQ(bench.queue().running, 3);
  EXPECT_FALSE(bench.queue().available_in_ms.has_value()) << "that depends on a run";
  bench.finish(1, sends.jobs[0], Outcome::released);
  EXPECT_EQ(bench.started(), 1);
}

TEST_F(StorageActorLimits, know_the_runs_that_are_on_when_a_running_limit_is_set_rule_L4) {
  bench.enqueue_many(9);
  const Batch before = bench.take(3);
  EXPECT_EQ(bench.limit_handler(running_limit(2)).running, 3);
  EXPECT_EQ(bench.started(), 0);
  bench.finish(1, before.jobs[0]);
  EXPECT_EQ(bench.started(), 0);
  bench.finish(1, before.jobs[1]);
  EXPECT_EQ(bench.started(), 1);
}

TEST_F(StorageActorLimits, count_as_running_what_leases_are_held_whatever_ends_them_rule_L4) {
  bench.limit_queue(running_limit(50));
  std::mt19937_64 random(3);
  std::vector<LeasedJob> held;
  for (int step = 0; step < 400; ++step) {
    bench.enqueue_many(1 + static_cast<int>(random() % 3));
    for (const LeasedJob& job : bench.take(2).jobs) held.push_back(job);
    if (random() % 3 == 0 && !held.empty()) {
      const auto outcome = static_cast<Outcome>(random() % 5);
      bench.finish(1, held.back(), outcome);
      held.pop_back();
    }
    if (random() % 40 == 0) bench.restart(from_ms(100));
    if (random() % 50 == 0) bench.pass(seconds(50));  // leases end
    const LimitState state = bench.queue();
    ASSERT_EQ(state.running, bench.stats().running);
    ASSERT_LE(state.running, 50);
  }
}

// --- L5 ---

TEST_F(StorageActorLimits, hold_everything_while_an_operator_has_paused_it_rule_L5) {
  bench.enqueue_many(9);
  const Batch running = bench.take(1);
  const auto state = bench.ask<LimitState>(Pause{LimitScope::queue, "email", 5'000});
  EXPECT_TRUE(state.paused);
  EXPECT_EQ(state.available_in_ms, 5'000);
  EXPECT_EQ(state.paused_until_ms, bench.wall_now + 5'000);
  bench.pass_ms(4'999);
  EXPECT_EQ(bench.started(1), 0);
  EXPECT_TRUE(bench.finish(1, running.jobs.at(0))) << "what runs goes on";
  bench.pass_ms(1);
  EXPECT_EQ(bench.started(1), 1);
}

TEST_F(StorageActorLimits, pause_from_a_workers_report_what_it_names_rule_L5) {
  bench.enqueue_many(9);
  bench.enqueue_many(9, "send", "other");
  RunResult result;
  const LeasedJob job = bench.take(1).jobs.at(0);
  result.id = job.id;
  result.run = job.run;
  result.outcome = Outcome::snoozed;
  result.retry_in_ms = 10;
  result.pause = PauseReport{LimitScope::handler, 3'000};
  EXPECT_EQ(bench.finish(1, {result}).accepted.size(), 1U);
  EXPECT_EQ(bench.started(1), 0);
  EXPECT_EQ(bench.started(1, "other"), 0) << "the handler is paused wherever it waits";
  EXPECT_TRUE(bench.handler().paused);
  EXPECT_FALSE(bench.queue().paused);
  bench.pass_ms(3'000);
  EXPECT_EQ(bench.started(1), 1);
}

TEST_F(StorageActorLimits, are_not_paused_by_a_stale_report_rule_L5_D4) {
  bench.enqueue();
  const LeasedJob job = bench.take(1).jobs.at(0);
  bench.finish(1, job);
  RunResult late;
  late.id = job.id;
  late.run = job.run;
  late.outcome = Outcome::failed;
  late.pause = PauseReport{LimitScope::queue, 3'000};
  bench.finish(1, {late});
  EXPECT_FALSE(bench.queue().paused);
}

TEST_F(StorageActorLimits, keep_the_later_end_of_two_pauses_and_only_resume_shortens_rule_L5) {
  bench.enqueue_many(3);
  bench.ask<LimitState>(Pause{LimitScope::queue, "email", 5'000});
  EXPECT_EQ(bench.ask<LimitState>(Pause{LimitScope::queue, "email", 1'000}).available_in_ms, 5'000);
  const auto for_ever = bench.ask<LimitState>(Pause{LimitScope::queue, "email", {}});
  EXPECT_TRUE(for_ever.paused);
  EXPECT_FALSE(for_ever.paused_until_ms.has_value());
  EXPECT_FALSE(for_ever.available_in_ms.has_value());
  bench.pass(std::chrono::hours(24));
  EXPECT_EQ(bench.started(), 0);
  EXPECT_FALSE(bench.ask<LimitState>(Resume{LimitScope::queue, "email"}).paused);
  bench.hello(1);
  EXPECT_EQ(bench.started(), 3);
}

TEST_F(StorageActorLimits, stay_paused_over_a_restart_rule_L5) {
  bench.enqueue_many(3);
  bench.ask<LimitState>(Pause{LimitScope::queue, "email", 5'000});
  bench.ask<LimitState>(Pause{LimitScope::handler, "send", {}});
  bench.restart(from_ms(1'000));
  EXPECT_EQ(bench.queue().available_in_ms, 4'000);
  EXPECT_TRUE(bench.handler().paused);
  bench.ask<LimitState>(Resume{LimitScope::handler, "send"});
  bench.restart();
  EXPECT_FALSE(bench.handler().paused);
}

// --- L6 ---

// Whether the turn would write.
bool writes(LimitBench& bench, const std::function<void()>& turn) {
  const auto before = bench.disk.commits;
  turn();
  return bench.disk.commits != before;
}

TEST_F(StorageActorLimits, charge_none_of_its_limits_for_a_job_that_one_of_them_refuses_rule_L6) {
  bench.limit_queue(rate_limit(0.001, 5));
  bench.limit_handler(started_limit(2, 60'000));
  bench.enqueue_many(9);
  EXPECT_EQ(bench.started(), 2);
  EXPECT_EQ(bench.queue().available, 3) << "the third job spent no token";
  EXPECT_EQ(bench.started(), 0);
  EXPECT_EQ(bench.queue().available, 3);

  bench.limit(LimitScope::queue, "dry", rate_limit(0.001, 1));
  bench.enqueue_many(3, "resize", "dry");
  bench.limit(LimitScope::handler, "resize", started_limit(2, 60'000));
  bench.hello(2, "v", {"resize"});
  EXPECT_EQ(bench.claim(2, 1, {{"dry", 9}}).jobs.size(), 1U);
  EXPECT_EQ(bench.handler("resize").available, 1) << "nor a slot, where the token was missing";
}

TEST_F(StorageActorLimits, write_nothing_for_a_refused_job_and_keep_its_place_and_attempts_rule_L6) {
  bench.limit_handler(started_limit(1, 10'000));
  bench.enqueue_many(3);
  const JobId first = bench.take().jobs.at(0).id;
  bench.pass_ms(10);
  EXPECT_FALSE(writes(bench, [&] { EXPECT_EQ(bench.started(), 0); }));
  const JobDetails waiting = bench.details(first + 1);
  EXPECT_EQ(waiting.job.state, JobState::waiting);
  EXPECT_EQ(waiting.job.attempts, 0);
  bench.pass_ms(10'000);
  EXPECT_EQ(bench.take().jobs.at(0).id, first + 1);
}

TEST_F(StorageActorLimits, put_a_limited_handler_in_nobodys_way) {
  bench.limit_handler(started_limit(1, 60'000));
  bench.enqueue_many(50);
  bench.enqueue_many(5, "free");
  bench.hello(2, "v", {"send", "free"});
  EXPECT_EQ(bench.claim(2, 1).jobs.size(), 6U);
}

// --- L7 ---

TEST_F(StorageActorLimits, keep_a_token_and_a_started_entry_spent_however_the_run_ends_rule_L7) {
  bench.limit_queue(rate_limit(0.001, 6));
  bench.limit_handler(started_limit(6, 600'000));
  bench.enqueue_many(6);
  std::int64_t left = 6;
  for (const Outcome outcome :
       {Outcome::completed, Outcome::failed, Outcome::dead, Outcome::snoozed, Outcome::released}) {
    bench.finish_all(bench.take(1), outcome);
    --left;
    EXPECT_EQ(bench.queue().available, left);
    EXPECT_EQ(bench.handler().available, left);
  }
  bench.drop(bench.take(1));
  EXPECT_EQ(bench.queue().available, 0) << "nor does it come back when the batch could not leave";
  EXPECT_EQ(bench.handler().available, 0);
}

TEST_F(StorageActorLimits, charge_a_batch_that_is_answered_again_as_a_start_rule_L7) {
  bench.limit_queue(rate_limit(0.001, 5));
  bench.enqueue_many(2);
  EXPECT_EQ(bench.claim(1, 1).jobs.size(), 2U);
  EXPECT_EQ(bench.ask_again(1, 1).jobs.size(), 2U);
  EXPECT_EQ(bench.queue().available, 1);
  EXPECT_EQ(bench.queue().running, 2);
}

TEST_F(StorageActorLimits,
       take_back_as_undelivered_what_they_refuse_of_a_batch_that_is_answered_again_rule_L7) {
  bench.limit_queue(rate_limit(0.001, 3));
  bench.enqueue_many(2);
  EXPECT_EQ(bench.claim(1, 1).jobs.size(), 2U);
  const Batch again = bench.ask_again(1, 1);
  ASSERT_EQ(again.jobs.size(), 1U);
  const JobId refused = again.jobs[0].id == 1 ? 2 : 1;
  EXPECT_EQ(bench.state(refused), JobState::waiting);
  EXPECT_EQ(bench.details(refused).job.attempts, 0) << "it spent no attempt";
  EXPECT_EQ(bench.queue().running, 1);
  const Batch nothing = bench.ask_again(1, 1);
  EXPECT_TRUE(nothing.jobs.empty());
  EXPECT_EQ(nothing.reason, EmptyReason::limited);
  EXPECT_EQ(bench.queue().running, 0);
}

TEST_F(StorageActorLimits, charge_nothing_for_a_batch_again_whose_slots_are_held_rule_L7) {
  bench.limit_handler(window_limit(2, 60'000));
  bench.enqueue_many(2);
  EXPECT_EQ(bench.claim(1, 1).jobs.size(), 2U);
  EXPECT_EQ(bench.ask_again(1, 1).jobs.size(), 2U);
  EXPECT_EQ(bench.handler().running, 2);
}

}  // namespace
}  // namespace stint
