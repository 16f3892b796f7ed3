// Rule L10 of restored backups, in the simulator over many seeds: whatever the original has done since the
// backup was taken, the server that is restored from it gives no more than one that had never stopped.
#include <gtest/gtest.h>

#include "tests/sim/seeds.hpp"
#include "tests/sim/world/steady.hpp"
#include "tests/sim/world/storm.hpp"

namespace stint::sim {
namespace {

constexpr const char* was_restored = "server restored from a backup";

void run_storm_with_a_restore(Scene& scene, StormOptions options) {
  options.restored = 1;
  run_storm(scene, options);
  EXPECT_EQ(scene.world.counts().at(was_restored), 1);
}

void restore(Scene& scene, Duration after_backup) {
  scene.server.back_up();
  scene.world.run_for(after_backup);
  scene.server.restore_after(1 * second);
  scene.world.run_for(1 * second);
}

TEST(RuleL10, holds_of_a_restored_backup_in_a_storm_of_limits) {
  for_each_seed(10, [](Scene& scene) { run_storm_with_a_restore(scene, storm_of_limits()); });
}

TEST(RuleL10, holds_of_a_restored_backup_in_a_cluster) {
  const auto play = [](Scene& scene) { run_storm_with_a_restore(scene, storm_of_a_cluster()); };
  for_each_seed(6, play, short_defaults(), 2);
}

TEST(RuleL10, holds_of_a_restored_backup_while_nothing_is_limited) {
  for_each_seed(10, [](Scene& scene) { run_storm_with_a_restore(scene, {}); });
}

TEST(RuleL10, a_restored_bucket_is_empty) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 20);
    steady.limit({LimitScope::queue, steady.queue()}, rate_limit(0.1, 20));
    scene.world.run_for(220 * second);
    EXPECT_EQ(steady.starts(), 20) << "which leaves the bucket full, and nothing to start";
    scene.server.back_up();
    steady.enqueue(40);
    scene.world.run_for(3 * second);
    EXPECT_EQ(steady.starts(), 40);
    scene.server.restore_after(1 * second);
    scene.world.run_for(2 * second);
    steady.enqueue(40);
    scene.world.run_for(8 * second);
    EXPECT_LE(steady.starts(), 41);
    scene.world.run_for(60 * second);
    EXPECT_GE(steady.starts(), 45) << "it fills as ever";
  });
}

TEST(RuleL10, a_restored_window_is_full_for_its_whole_length) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 200);
    steady.limit({LimitScope::handler, steady.handler()}, window_limit(10, 60'000, CountPolicy::started));
    scene.world.run_for(1 * second);
    EXPECT_EQ(steady.starts(), 10);
    restore(scene, 62 * second);
    const std::int64_t starts = steady.starts();
    EXPECT_EQ(starts, 20);
    scene.world.run_for(58 * second);
    EXPECT_EQ(steady.starts(), starts);
    scene.world.run_for(5 * second);
    EXPECT_EQ(steady.starts(), starts + 10);
  });
}

TEST(RuleL10, a_limit_that_the_backup_does_not_know_has_neither_burst_nor_room_when_it_is_set_again) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 400);
    scene.server.back_up();
    steady.limit({LimitScope::queue, steady.queue()}, rate_limit(0.01, 20));
    scene.world.run_for(2 * second);
    EXPECT_EQ(steady.starts(), 20);
    scene.server.restore_after(1 * second);
    scene.world.run_for(3 * second);
    steady.limit({LimitScope::queue, steady.queue()}, rate_limit(0.01, 20));
    scene.world.run_for(10 * second);
    EXPECT_LE(steady.starts(), 21);
  });
}

TEST(RuleL10, sessions_of_the_original_are_unknown_and_workers_go_on_under_new_ones) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 400);
    steady.limit({LimitScope::queue, steady.queue()}, rate_limit(20, 5));
    scene.world.run_for(2 * second);
    restore(scene, 2 * second);
    const std::int64_t before = steady.starts();
    scene.world.run_for(5 * second);
    EXPECT_GT(steady.starts(), before + 60);
    for (const auto& [number, session] : scene.server.disk().sessions)
      EXPECT_GT(number, std::int64_t{1} << 32);
  });
}

}  // namespace
}  // namespace stint::sim
