// How a weighted worker splits its workers among queues.
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "tests/actors/shares_bench.hpp"

using namespace stint;
using namespace std::chrono_literals;

namespace {

using SharesOfQueues = std::map<std::string, ShareOfWorkers>;

SharesOfQueues random_shares(std::mt19937& random, std::int64_t workers, bool with_min = true) {
  std::uniform_int_distribution<std::int64_t> draw(0, 1000);
  SharesOfQueues shares;
  const auto count = 2 + draw(random) % 5;
  for (std::int64_t at = 0; at < count; ++at) {
    shares["q" + std::to_string(at)] = {with_min ? draw(random) % (workers / count + 1) : 0,
                                        1 + draw(random) % 10};
  }
  return shares;
}

// What each queue should have when all have work: its `min`, and of the rest a share by weight.
std::map<std::string, double> expected_of(const SharesOfQueues& shares, std::int64_t workers) {
  std::int64_t rest = workers;
  std::int64_t weights = 0;
  for (const auto& [queue, share] : shares) {
    rest -= share.min;
    weights += share.weight;
  }
  std::map<std::string, double> expected;
  for (const auto& [queue, share] : shares) {
    expected[queue] = static_cast<double>(share.min) +
                      static_cast<double>(rest * share.weight) / static_cast<double>(weights);
  }
  return expected;
}

}  // namespace

// The bench checks after each step that no more is held and offered than there are workers.
TEST(Shares, never_offers_and_holds_more_than_its_workers_whatever_happens) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::int64_t> draw(0, 1000);
    const std::int64_t workers = 1 + draw(random) % 30;
    const auto shares = random_shares(random, workers);
    Permits::HomesOfQueues homes;
    for (const auto& [queue, share] : shares) homes[queue] = "home" + std::to_string(draw(random) % 3);
    SharesBench bench(workers, shares, homes, seed);
    for (int change = 0; change < 40; ++change) {
      for (const auto& [queue, share] : shares) {
        auto& work = bench[queue];
        if (draw(random) < 300) work.ready = draw(random) < 500 ? 0 : draw(random) / 10;
        if (draw(random) < 100) work.limited_until = bench.now() + from_ms(draw(random));
      }
      bench.pass(from_ms(draw(random)));
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
  }
}

TEST(Shares, reach_min_and_a_split_by_weight_when_all_queues_have_work) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const std::int64_t workers = 8 + static_cast<std::int64_t>(seed % 25);
    const auto shares = random_shares(random, workers);
    SharesBench bench(workers, shares, {}, seed);
    for (const auto& [queue, share] : shares) bench[queue].ready = SharesBench::endless;

    bench.pass(2s);
    const auto means = bench.measure(20s);

    // A worker is idle for a step or two of the twenty or so that a run takes.
    for (const auto& [queue, expected] : expected_of(shares, workers)) {
      EXPECT_NEAR(means.at(queue), expected, 0.5 + expected * 0.12) << queue << ", seed " << seed;
    }
  }
}

TEST(Shares, take_turns_by_weight_when_there_are_fewer_workers_than_queues) {
  SharesBench bench(1, {{"often", {0, 3}}, {"seldom", {0, 1}}});
  bench["often"].ready = bench["seldom"].ready = SharesBench::endless;

  bench.pass(60s);

  const double ratio =
      static_cast<double>(bench["often"].started) / static_cast<double>(bench["seldom"].started);
  EXPECT_NEAR(ratio, 3, 0.3);
}

TEST(Shares, give_a_queue_with_work_all_but_the_min_of_the_others) {
  SharesBench bench(10, {{"busy", {0, 1}}, {"empty", {2, 5}}});
  bench["busy"].ready = SharesBench::endless;
  bench["busy"].shortest_run = bench["busy"].longest_run = 1h;

  bench.pass(100ms);

  EXPECT_EQ(bench["busy"].running, 8);
}

TEST(Shares, give_a_queue_with_work_all_when_the_others_have_no_min) {
  SharesBench bench(10, {{"busy", {0, 1}}, {"empty", {0, 5}}, {"also_empty", {0, 1}}});
  bench["busy"].ready = SharesBench::endless;
  bench["busy"].shortest_run = bench["busy"].longest_run = 1h;

  bench.pass(100ms);

  EXPECT_EQ(bench["busy"].running, 10);
}

TEST(Shares, lack_only_the_permits_of_asks_that_wait_for_others_until_their_wait_is_over) {
  SharesBench bench(10, {{"a", {0, 1}}, {"b", {0, 1}}, {"c", {0, 1}}},
                    {{"a", "l1"}, {"b", "l2"}, {"c", "l3"}});
  bench.pass(1s);
  EXPECT_EQ(bench.open_asks(), 3u);
  bench["a"].ready = SharesBench::endless;
  bench["a"].shortest_run = bench["a"].longest_run = 1h;

  bench.pass(100ms);
  EXPECT_EQ(bench["a"].running, 8);
  bench.pass(31s);

  EXPECT_EQ(bench["a"].running, 10);
}

TEST(Shares, have_the_min_of_a_queue_ready_at_once_whatever_the_others_run) {
  SharesBench bench(10, {{"busy", {0, 9}}, {"urgent", {2, 1}}});
  bench["busy"].ready = SharesBench::endless;
  bench["busy"].shortest_run = bench["busy"].longest_run = 1h;
  bench.pass(10min);

  bench["urgent"].ready = 2;
  bench.pass(15ms);

  EXPECT_EQ(bench["urgent"].running, 2);
}

TEST(Shares, come_back_to_a_queue_that_has_work_again_as_runs_of_the_others_end) {
  SharesBench bench(12, {{"busy", {0, 1}}, {"back", {0, 2}}});
  bench["busy"].ready = SharesBench::endless;
  bench.pass(5s);
  EXPECT_GE(bench["busy"].running, 9);

  bench["back"].ready = SharesBench::endless;
  bench.pass(2s);
  const auto means = bench.measure(10s);

  EXPECT_NEAR(means.at("busy"), 4, 0.8);
  EXPECT_NEAR(means.at("back"), 8, 1.2);
}

TEST(Shares, find_the_work_of_a_queue_without_min_within_a_second_of_a_free_worker) {
  SharesBench bench(4, {{"busy", {0, 100}}, {"rare", {0, 1}}});
  bench["busy"].ready = SharesBench::endless;
  bench.pass(5s);

  bench["rare"].ready = 1;
  bench.pass(1300ms);

  EXPECT_EQ(bench["rare"].started, 1);
}

TEST(Shares, of_a_limited_queue_go_to_the_others_until_it_may_start_again) {
  SharesBench bench(12, {{"open", {1, 1}}, {"limited", {1, 1}}});
  bench["open"].ready = bench["limited"].ready = SharesBench::endless;
  bench.pass(2s);
  bench["limited"].limited_until = bench.now() + 20s;

  bench.pass(500ms);
  const auto limited = bench.measure(15s);
  bench.pass(6s);
  const auto again = bench.measure(10s);

  EXPECT_EQ(limited.at("limited"), 0);
  EXPECT_GE(limited.at("open"), 10);
  EXPECT_NEAR(again.at("open"), 6, 0.8);
  EXPECT_NEAR(again.at("limited"), 6, 0.8);
}

TEST(Shares, leave_a_queue_that_may_start_little_what_it_may_start) {
  SharesBench bench(10, {{"open", {0, 1}}, {"limited", {0, 1}}});
  bench["open"].ready = bench["limited"].ready = SharesBench::endless;
  bench["limited"].spacing = 200ms;
  bench.pass(2s);
  const std::int64_t before = bench["limited"].started;

  const auto means = bench.measure(20s);

  // Each waits for a run of the other queue to end, and for a step or two.
  EXPECT_GE(bench["limited"].started - before, 85);
  EXPECT_GE(means.at("open"), 7.5);
}

TEST(Shares, without_work_are_asked_for_by_few_asks_that_wait) {
  SharesBench bench(50, {{"a", {5, 1}}, {"b", {0, 1}}, {"c", {0, 1}}});
  bench.pass(1s);
  const std::int64_t first = bench.asks();
  EXPECT_LE(first, 6);

  bench.pass(10min);

  // Two asks, each once in 30 s.
  EXPECT_LE(bench.asks() - first, 42);
}

TEST(Shares, are_watched_in_turn_when_there_are_more_homes_than_free_workers) {
  SharesOfQueues shares;
  Permits::HomesOfQueues homes;
  for (int at = 0; at < 6; ++at) {
    const std::string queue = "q" + std::to_string(at);
    shares[queue] = {};
    homes[queue] = "home" + std::to_string(at);
  }
  SharesBench bench(2, shares, homes);
  bench.pass(5s);

  for (const auto& [queue, share] : shares) {
    bench[queue].ready = 1;
    bench.pass(8s);
    EXPECT_EQ(bench[queue].started, 1) << queue;
  }
}

TEST(Shares, name_every_queue_of_a_home_in_one_ask_though_they_have_fewer_workers) {
  SharesBench bench(2, {{"a", {}}, {"b", {}}, {"c", {}}, {"d", {}}, {"e", {}}});
  bench.pass(1s);

  for (const std::string queue : {"e", "a", "d"}) {
    bench[queue].ready = 1;
    bench.pass(20ms);
    EXPECT_EQ(bench[queue].started, 1) << queue;
    bench.pass(500ms);
  }
}

TEST(Shares, cut_the_min_that_is_more_than_there_are_workers) {
  SharesBench bench(3, {{"a", {2, 1}}, {"b", {2, 1}}});
  bench["a"].ready = bench["b"].ready = SharesBench::endless;

  bench.pass(100ms);

  EXPECT_EQ(bench["a"].running, 2);
  EXPECT_EQ(bench["b"].running, 1);
}
