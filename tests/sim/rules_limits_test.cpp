// The rules of limits, L1 to L10, each in the simulator over many seeds. The checkers assert all of them all
// the time; each test stirs up what could break the one it is named after, and makes sure that it was stirred
// up. Of several nodes: rules_cluster_test.cpp.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/sim/seeds.hpp"
#include "tests/sim/world/steady.hpp"
#include "tests/sim/world/storm.hpp"

namespace stint::sim {
namespace {

constexpr LimitScope queue_scope = LimitScope::queue;
constexpr LimitScope handler_scope = LimitScope::handler;

StormOptions calm_with_limits() {
  StormOptions options = storm_of_limits();
  options.server_dies = options.server_dies_between_commit_and_send = options.server_reboots = 0;
  options.server_stands_still = options.server_stalls_in_turn = options.disk_fails = options.disk_is_full = 0;
  options.worker_dies = options.worker_stands_still = options.worker_stops = options.worker_is_cut = 0;
  options.connection_drops = options.wall_jumps = 0;
  options.restored = 0;
  options.most_rogues = 0;
  options.silent_faults = 0;
  return options;
}

// --- L1 ---

TEST(RuleL1, spans_hold_at_the_send_however_long_a_turn_stalls) {
  std::int64_t starts = 0;
  for_each_seed(6, [&](Scene& scene) {
    StormOptions options = calm_with_limits();
    options.server_stalls_in_turn = 4;
    options.server_stands_still = 1;
    options.mean_pause = 150 * millisecond;
    run_storm(scene, options);
    starts += scene.checker.limits.starts();
  });
  EXPECT_GT(starts, 1'000);
}

// --- L2 ---

TEST(RuleL2, a_backlog_is_started_at_the_rate_and_not_above_it) {
  for_each_seed(4, [](Scene& scene) {
    for (const auto& [rate, burst] : {std::pair{10.0, 2}, {50.0, 10}, {200.0, 8}}) {
      Steady steady(scene, static_cast<int>(rate * 12) + 50);
      steady.limit({queue_scope, steady.queue()}, rate_limit(rate, burst));
      scene.world.run_for(1 * second);
      const double reached = steady.starts_in(10 * second) / (rate * 10);
      EXPECT_GE(reached, 0.99) << "of " << rate << " a second";
      steady.end();
    }
  });
}

// --- L3 ---

TEST(RuleL3, every_slot_of_a_window_is_used_by_a_backlog_and_no_more) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 400);
    steady.limit({handler_scope, steady.handler()}, window_limit(10, 1'000, CountPolicy::started));
    scene.world.run_for(500 * millisecond);  // to the middle between two of its ends
    EXPECT_GE(steady.starts_in(10 * second), 10 * 10 * 0.99);
    steady.limit({handler_scope, steady.handler()}, window_limit(10, 1'000, CountPolicy::completed));
    scene.world.run_for(2 * second);
    // A slot is held for the run, then for the window.
    EXPECT_GE(steady.starts_in(10 * second), 10 * 10 / 1.02 * 0.97);
  });
}

// --- L4 ---

TEST(RuleL4, running_counts_are_the_leases_whatever_happens) {
  for_each_seed(6, [](Scene& scene) {
    run_storm(scene, storm_of_limits());
    EXPECT_TRUE(scene.checker.all_are_final());
    for (const auto& [name, told] : scene.checker.limits.told()) {
      EXPECT_EQ(scene.checker.limits.running(name), 0) << to_string(name);
    }
    // The server's own counts, too.
    const auto client = scene.make_client(7);
    ASSERT_TRUE(client->wait_for_connection());
    for (const auto& [name, told] : scene.checker.limits.told()) {
      const auto state = client->ask(GetLimit{name.first, name.second});
      ASSERT_TRUE(state && std::holds_alternative<LimitState>(*state));
      EXPECT_EQ(std::get<LimitState>(*state).running, 0) << to_string(name);
    }
  });
}

// --- L5 ---

TEST(RuleL5, nothing_starts_before_the_latest_end_of_a_pause_or_its_resume) {
  std::int64_t pauses = 0;
  for_each_seed(6, [&](Scene& scene) {
    StormOptions options = storm_of_limits();
    options.reported = 0.1;
    run_storm(scene, options);
    pauses += scene.checker.limits.pauses();
  });
  EXPECT_GT(pauses, 100);
}

// --- L6 ---

TEST(RuleL6, jobs_that_are_held_back_cost_no_commit) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 200);
    steady.limit({handler_scope, steady.handler()}, window_limit(1, 3'600'000, CountPolicy::started));
    steady.limit({queue_scope, steady.queue()}, rate_limit(0.001, 1));
    scene.world.run_for(2 * second);
    const std::int64_t before = scene.server.disk().commits;
    EXPECT_LE(steady.starts_in(60 * second), 0);
    EXPECT_LE(scene.server.disk().commits - before, 4) << "each session's last message, once a minute";
  });
}

TEST(RuleL6, who_is_refused_by_one_limit_is_charged_by_none) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 200);
    steady.limit({handler_scope, steady.handler()}, window_limit(1, 3'600'000, CountPolicy::started));
    steady.limit({queue_scope, steady.queue()}, rate_limit(2, 5));
    scene.world.run_for(10 * second);
    const auto client = scene.make_client(7);
    ASSERT_TRUE(client->wait_for_connection());
    const auto state = client->ask(GetLimit{queue_scope, steady.queue()});
    ASSERT_TRUE(state && std::holds_alternative<LimitState>(*state));
    EXPECT_EQ(std::get<LimitState>(*state).available, 5);
  });
}

// --- L7 ---

TEST(RuleL7, a_batch_that_is_answered_again_is_a_start_again) {
  std::int64_t again = 0;
  for_each_seed(8, [&](Scene& scene) {
    StormOptions options = calm_with_limits();
    options.silent_faults = 1;
    options.lost = 0.5;
    options.doubled = 0.3;
    options.server_dies_between_commit_and_send = 2;
    options.connection_drops = 2;
    run_storm(scene, options);
    again += scene.checker.limits.starts_again();
  });
  EXPECT_GT(again, 50);
}

// --- L8 ---

TEST(RuleL8, what_an_operator_is_told_holds_whoever_has_set_it) {
  std::int64_t changes = 0;
  for_each_seed(8, [&](Scene& scene) {
    StormOptions options = storm_of_limits();
    options.operators_pause = 100 * millisecond;
    options.declared = 0.6;
    options.brought = 0.3;
    options.worker_dies = 4;
    run_storm(scene, options);
    changes += scene.checker.limits.changes();
  });
  EXPECT_GT(changes, 300);
}

// --- L9 ---

TEST(RuleL9, no_change_lets_more_start_than_the_limits_in_force_allow) {
  std::int64_t changes = 0;
  for_each_seed(8, [&](Scene& scene) {
    StormOptions options = calm_with_limits();
    options.operators_pause = 60 * millisecond;
    options.enqueues = 60;
    run_storm(scene, options);
    changes += scene.checker.limits.changes();
  });
  EXPECT_GT(changes, 500);
}

// --- L10 ---

TEST(RuleL10, no_restart_gives_a_fresh_burst_wherever_in_a_turn_it_comes) {
  for_each_seed(10, [](Scene& scene) {
    StormOptions options = storm_of_limits();
    options.server_dies = options.server_dies_between_commit_and_send = 3;
    options.server_reboots = options.disk_fails = options.wall_jumps = 1;
    options.mean_pause = 250 * millisecond;
    run_storm(scene, options);
  });
}

TEST(RuleL10, a_boot_with_another_wall_clock_makes_nothing_older) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 200);
    steady.limit({queue_scope, steady.queue()}, rate_limit(0.01, 20));
    steady.limit({handler_scope, steady.handler()}, window_limit(30, 3'600'000, CountPolicy::started));
    scene.world.run_for(3 * second);
    for (int times = 0; times < 3; ++times) {
      scene.world.jump_wall(scene.world.between(-7'200'000, 7'200'000));
      scene.server.reboot_after(1 * second);
      scene.world.run_for(10 * second);
    }
    EXPECT_LE(steady.starts(), 21) << "of twenty at once and one in a hundred seconds";
  });
}

TEST(RuleL10, every_limit_holds_under_a_server_that_is_killed_every_two_seconds) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 1'000);
    steady.limit({queue_scope, steady.queue()}, rate_limit(20, 5));
    for (int times = 0; times < 10; ++times) {
      scene.world.run_for(2 * second);
      scene.server.kill();
      scene.server.start();
    }
    EXPECT_GT(steady.starts(), 20 * 20 / 2);
  });
}

// --- Fairness ---

TEST(RuleL2, equal_waiting_workers_differ_by_at_most_one_batch) {
  for_each_seed(4, [](Scene& scene) {
    Steady steady(scene, 400, 5);
    steady.limit({queue_scope, steady.queue()}, rate_limit(20, 1));
    scene.world.run_for(1 * second);
    const std::vector<std::int64_t> before = steady.starts_of_workers();
    for (int times = 0; times < 20; ++times) {
      scene.world.run_for(500 * millisecond);
      std::vector<std::int64_t> since = steady.starts_of_workers();
      for (std::size_t at = 0; at < since.size(); ++at) since[at] -= before[at];
      const auto [least, most] = std::minmax_element(since.begin(), since.end());
      ASSERT_LE(*most - *least, 1);
    }
  });
}

}  // namespace
}  // namespace stint::sim
