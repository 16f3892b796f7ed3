// Accepting jobs (rule D8), and when they are ready (rule D10).
#include <gtest/gtest.h>

#include "tests/actors/storage_bench.hpp"

namespace stint {
namespace {

using Ids = std::vector<JobId>;

struct StorageActorEnqueue : ::testing::Test {
  StorageBench bench;

  static NewJob delayed(std::int64_t delay_ms) {
    NewJob job = new_job();
    job.delay_ms = delay_ms;
    return job;
  }
  NewJob timed(std::int64_t in_ms) const {
    NewJob job = new_job();
    job.run_at_ms = bench.wall_now + in_ms;
    return job;
  }
  Ids taken(std::int64_t number) {
    Ids ids;
    for (const LeasedJob& job : bench.claim(1, number).jobs) ids.push_back(job.id);
    return ids;
  }
};

TEST_F(StorageActorEnqueue, gives_one_id_a_job_in_order) {
  EXPECT_EQ(bench.enqueue({new_job(), new_job()}), (Ids{1, 2}));
  EXPECT_EQ(bench.enqueue(), 3);
}

TEST_F(StorageActorEnqueue, is_answered_only_when_it_is_on_disk_rule_D1) {
  bench.store().fail_commits(1);
  const auto request = bench.ask_for(Enqueue{{new_job()}, {}});
  bench.turn();
  EXPECT_FALSE(bench.answered(request));
  EXPECT_TRUE(bench.disk.jobs.empty());
}

TEST_F(StorageActorEnqueue, tells_limiters_how_many_are_ready) {
  bench.enqueue({new_job("a"), new_job("a"), new_job("b")});
  EXPECT_EQ(bench.told_ready("email", "a"), 2);
  EXPECT_EQ(bench.told_ready("email", "b"), 1);
}

TEST_F(StorageActorEnqueue, numbers_what_limiters_are_told_without_gaps) {
  for (int job = 0; job < 3; ++job) bench.enqueue();
  std::uint64_t expected = 0;
  for (const auto& changed : bench.all_to_limiter<LimiterDelta>()) EXPECT_EQ(changed.sequence, ++expected);
  EXPECT_GE(expected, 3u);
}

TEST_F(StorageActorEnqueue, of_the_same_batch_key_inserts_once_with_the_same_ids_rule_D8) {
  const Ids first = bench.enqueue({new_job(), new_job()}, "key");
  const auto again = bench.ask<Enqueued>(Enqueue{{new_job(), new_job()}, "key"});
  EXPECT_EQ(again.ids, first);
  EXPECT_EQ(again.duplicates, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(bench.disk.jobs.size(), 2u);
}

TEST_F(StorageActorEnqueue, of_a_known_batch_key_with_other_jobs_is_a_conflict_rule_D8) {
  bench.enqueue({new_job()}, "key");
  NewJob other = new_job();
  other.payload.bytes = "another";
  const Error error = bench.ask<Error>(Enqueue{{other}, "key"});
  EXPECT_EQ(error.code, ErrorCode::conflict);
  EXPECT_EQ(error.field, "batch_key");
  EXPECT_EQ(bench.disk.jobs.size(), 1u);
}

TEST_F(StorageActorEnqueue, remembers_a_batch_key_over_a_restart_rule_D8) {
  const Ids first = bench.enqueue({new_job()}, "key");
  bench.restart();
  EXPECT_EQ(bench.enqueue({new_job()}, "key"), first);
}

TEST_F(StorageActorEnqueue, forgets_a_batch_key_after_a_day_rule_D8) {
  const Ids first = bench.enqueue({new_job()}, "key");
  bench.pass(std::chrono::hours(24) + std::chrono::seconds(20));
  EXPECT_NE(bench.enqueue({new_job()}, "key"), first);
}

// Every field counts: a client that changed one of them means another request.
TEST_F(StorageActorEnqueue, tells_contents_apart_by_each_field_rule_D8) {
  std::vector<NewJob> all(10, new_job());
  all[1].handler = "other";
  all[2].queue = "other";
  all[3].payload.is_text = true;
  all[4].priority = 1;
  all[5].delay_ms = 0;
  all[6].max_attempts = 1;
  all[7].timeout_ms = 1;
  all[8].meta["a"] = "b";
  all[9].backoff = Backoff{1, {}, {}, {}};
  bench.enqueue({all[0]}, "key");
  for (std::size_t other = 1; other < all.size(); ++other) {
    EXPECT_EQ(bench.refused(Enqueue{{all[other]}, "key"}), ErrorCode::conflict) << other;
  }
}

TEST_F(StorageActorEnqueue, with_a_delay_is_ready_when_it_is_over_and_not_before) {
  bench.hello(1);
  const JobId id = bench.enqueue(delayed(5000));
  EXPECT_EQ(bench.state(id), JobState::scheduled);
  bench.pass_ms(4999);
  EXPECT_EQ(bench.told_ready("email", "send"), 0);
  EXPECT_EQ(taken(1), Ids{});
  bench.pass_ms(1);
  EXPECT_EQ(bench.told_ready("email", "send"), 1);
  EXPECT_EQ(taken(2), Ids{id});
}

TEST_F(StorageActorEnqueue, with_a_delay_keeps_it_over_a_restart) {
  bench.hello(1);
  const JobId id = bench.enqueue(delayed(5000));
  bench.restart(std::chrono::seconds(2));
  bench.pass_ms(2999);
  EXPECT_EQ(taken(1), Ids{});
  bench.pass_ms(1);
  EXPECT_EQ(taken(2), Ids{id});
}

TEST_F(StorageActorEnqueue, delays_follow_the_monotonic_clock_whatever_the_wall_clock_does_rule_D10) {
  bench.hello(1);
  const JobId id = bench.enqueue(delayed(5000));
  bench.wall_now += 3'600'000;
  bench.pass_ms(4999);
  EXPECT_EQ(taken(1), Ids{});
  bench.wall_now -= 7'200'000;
  bench.pass_ms(1);
  EXPECT_EQ(taken(2), Ids{id});
}

TEST_F(StorageActorEnqueue, points_in_time_follow_the_wall_clock_when_it_jumps_ahead_rule_D10) {
  bench.hello(1);
  const JobId id = bench.enqueue(timed(3'600'000));
  bench.pass_ms(5000);
  EXPECT_EQ(taken(1), Ids{});
  bench.wall_now += 3'600'000;
  bench.pass_ms(1000);
  EXPECT_EQ(taken(2), Ids{id});
}

TEST_F(StorageActorEnqueue, points_in_time_follow_the_wall_clock_when_it_jumps_back_rule_D10) {
  bench.hello(1);
  const JobId id = bench.enqueue(timed(10'000));
  bench.wall_now -= 60'000;
  bench.pass_ms(69'000);
  EXPECT_EQ(taken(1), Ids{});
  bench.pass_ms(1000);
  EXPECT_EQ(taken(2), Ids{id});
}

TEST_F(StorageActorEnqueue, a_point_in_time_fires_once_though_the_wall_clock_goes_over_it_twice_rule_D10) {
  bench.hello(1);
  const JobId id = bench.enqueue(timed(10'000));
  bench.pass_ms(11'000);
  EXPECT_EQ(taken(1), Ids{id});
  bench.wall_now -= 60'000;
  ASSERT_TRUE(bench.finish(1, JobRun{id, 1}));
  bench.pass_ms(120'000);
  EXPECT_EQ(taken(2), Ids{});
}

// Its place was foreseen an hour ahead; those who came later must not pass it until then.
TEST_F(StorageActorEnqueue, a_job_made_due_by_a_jump_of_the_wall_clock_is_not_passed_by_later_ones_rule_D10) {
  bench.hello(1);
  const JobId timed_job = bench.enqueue(timed(3'600'000));
  bench.wall_now += 3'600'000;
  bench.pass_ms(1000);
  const JobId later_job = bench.enqueue();
  EXPECT_EQ(taken(1), (Ids{timed_job, later_job}));
}

TEST_F(StorageActorEnqueue,
       a_job_made_due_by_a_jump_while_the_server_was_down_is_not_passed_either_rule_D10) {
  bench.hello(1);
  const JobId timed_job = bench.enqueue(timed(3'600'000));
  bench.wall_now += 3'600'000;
  bench.restart();
  const JobId later_job = bench.enqueue();
  EXPECT_EQ(taken(1), (Ids{timed_job, later_job}));
}

TEST_F(StorageActorEnqueue, many_jobs_due_at_once_become_ready_over_several_turns) {
  bench.enqueue(std::vector<NewJob>(5000, delayed(1000)));
  bench.pass_ms(999);
  EXPECT_EQ(bench.stats().scheduled, 5000);
  bench.stall_ms(1);
  const std::int64_t after_one_turn = bench.told_ready("email", "send");
  EXPECT_GT(after_one_turn, 0);
  EXPECT_LT(after_one_turn, 5000);
  bench.pass_ms(1);
  EXPECT_EQ(bench.told_ready("email", "send"), 5000);
}

}  // namespace
}  // namespace stint
