// Storage and limiter together: what limits allow is reached, and shared fairly.
#include <cstdlib>
#include <gtest/gtest.h>

#include "tests/actors/limit_bench.hpp"
#include "tests/actors/limits_world.hpp"

namespace stint {
namespace {

using std::chrono::seconds;

LimitsWorld::WorkerPlan plan(std::map<std::string, std::int64_t> queues, std::vector<std::string> handlers,
                             Duration run_takes) {
  LimitsWorld::WorkerPlan plan;
  plan.queues = std::move(queues);
  plan.handlers = std::move(handlers);
  plan.run_takes = run_takes;
  return plan;
}

TEST(LimitsThroughput, reaches_99_of_100_of_a_buckets_rate_whatever_the_number_of_workers_rule_L2) {
  for (const int workers : {1, 4, 16}) {
    LimitsWorld world(static_cast<std::uint64_t>(workers));
    world.node.commit_takes = Duration(300);
    for (int worker = 0; worker < workers; ++worker)
      world.add_worker(plan({{"email", 20}}, {"send"}, from_ms(50)));
    world.ask<LimitState>(SetLimit{LimitScope::queue, "email", rate_limit(50, 10), SetAs::operated, {}});
    world.enqueue("email", "send", 1'000);
    world.pass(seconds(15));
    const auto starts = world.starts_of_queue("email");
    EXPECT_LE(test::excess_over_bucket(starts, 50, 10), 0) << workers << " workers";
    EXPECT_GE(test::total(starts), 0.99 * (50 * 15 + 10)) << workers << " workers";
  }
}

TEST(LimitsThroughput, reaches_97_of_100_of_what_a_window_of_completed_allows_rule_L3) {
  for (const Duration run_takes : {Duration(from_ms(50)), Duration(seconds(1))}) {
    for (const int workers : {1, 4, 16}) {
      LimitsWorld world(static_cast<std::uint64_t>(workers));
      world.node.commit_takes = Duration(300);
      for (int worker = 0; worker < workers; ++worker)
        world.add_worker(plan({{"email", 20}}, {"send"}, run_takes));
      world.ask<LimitState>(
          SetLimit{LimitScope::handler, "send", window_limit(10, 6'000), SetAs::operated, {}});
      world.enqueue("email", "send", 1'000);
      world.pass(seconds(120));
      std::vector<test::Starts> completed;
      for (const LimitsWorld::End& end : world.ends) completed.push_back({end.at, 1});
      EXPECT_LE(test::most_in_window(completed, seconds(6)), 10);
      const double cycle = 6 + static_cast<double>(run_takes.count()) / 1e6;
      EXPECT_GE(test::total(world.starts_of_handler("send")), 0.97 * 10 * 120 / cycle)
          << workers << " workers, runs of " << run_takes.count() << " us";
    }
  }
}

TEST(LimitsThroughput, lets_a_free_handler_run_as_fast_behind_50000_limited_jobs_of_a_better_priority) {
  std::vector<std::int64_t> served;
  for (const bool limited_in_front : {false, true}) {
    LimitsWorld world(1);
    world.add_worker(plan({{"email", 10}}, {"send", "free"}, from_ms(10)));
    world.ask<LimitState>(
        SetLimit{LimitScope::handler, "send", started_limit(1, 60'000), SetAs::operated, {}});
    NewJob first;
    first.queue = "email";
    first.handler = "send";
    first.priority = 0;
    if (limited_in_front) world.ask<Enqueued>(Enqueue{std::vector<NewJob>(50'000, first), {}});
    world.enqueue("email", "free", 5'000);
    world.pass(seconds(3));
    served.push_back(test::total(world.starts_of_handler("free")));
  }
  EXPECT_GE(static_cast<double>(served[1]), 0.95 * static_cast<double>(served[0]));
}

TEST(LimitsThroughput, shares_a_handlers_window_between_queues_and_wastes_none_of_it_rule_L11) {
  LimitsWorld world(3);
  for (const char* queue : {"a", "b", "c"}) {
    world.add_worker(plan({{queue, 20}}, {"send"}, from_ms(20)));
    world.enqueue(queue, "send", 500);
  }
  world.ask<LimitState>(SetLimit{LimitScope::handler, "send", started_limit(10, 1'000), SetAs::operated, {}});
  world.pass(seconds(60));
  const std::int64_t all = test::total(world.starts_of_handler("send"));
  EXPECT_GE(all, 60 * 10 * 0.95);
  for (const char* queue : {"a", "b", "c"})
    EXPECT_LE(std::abs(test::total(world.starts_of_queue(queue)) - all / 3), all / 10) << queue;
}

TEST(LimitsThroughput, shares_tokens_that_come_one_by_one_among_workers_by_a_batch_at_most) {
  LimitsWorld world(4);
  for (int worker = 0; worker < 5; ++worker) world.add_worker(plan({{"email", 50}}, {"send"}, from_ms(20)));
  world.ask<LimitState>(SetLimit{LimitScope::queue, "email", rate_limit(20, 1), SetAs::operated, {}});
  world.enqueue("email", "send", 1'000);
  world.pass(seconds(30));
  const std::int64_t all = test::total(world.starts_of_queue("email"));
  EXPECT_GE(all, 0.97 * 20 * 30);
  ASSERT_EQ(world.starts_of_worker.size(), 5U);
  for (const auto& [worker, starts] : world.starts_of_worker)
    EXPECT_LE(std::abs(starts - all / 5), 1) << worker;
}

// A backlog does not make it stop, or slow.
TEST(LimitsThroughput, goes_on_at_the_rate_with_500000_limited_jobs_waiting) {
  LimitsWorld world(5);
  world.add_worker(plan({{"email", 20}}, {"send"}, from_ms(20)));
  world.ask<LimitState>(SetLimit{LimitScope::queue, "email", rate_limit(100, 10), SetAs::operated, {}});
  for (int part = 0; part < 50; ++part) world.enqueue("email", "send", 10'000);
  const Instant began = world.node.now;
  world.pass(seconds(5));
  EXPECT_GE(test::total(world.starts_of_queue("email")),
            0.99 * 100 * static_cast<double>((world.node.now - began).count()) / 1e6);
}

}  // namespace
}  // namespace stint
