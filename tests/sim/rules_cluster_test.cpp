// Rules L11 and L12, and all others over several nodes: a storage node and two or three that limit, each with
// a clock of its own. What must hold all the time, the checkers assert.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "tests/sim/seeds.hpp"
#include "tests/sim/world/steady.hpp"
#include "tests/sim/world/storm.hpp"

namespace stint::sim {
namespace {

constexpr LimitScope handler_scope = LimitScope::handler;
constexpr Duration link_latency = 5 * millisecond;  // there and back, and the turns between

// Two queues of two limiter nodes, whose jobs are of one handler. Everybody comes in at the storage node.
class TwoHomes {
 public:
  explicit TwoHomes(Scene& scene) : scene_(scene), producer_(start(scene)) {
    for (const auto& limiter : scene.limiter_nodes()) {
      queues_.push_back(scene.queue_at(*limiter, "queue"));
    }
  }

  const std::string& queue(std::size_t at) const { return queues_.at(at); }
  void add_workers(std::size_t at, int count) {
    for (; count > 0; --count) {
      WorkerSetup setup;
      setup.queues = {{queue(at), 20}};
      scene_.add_worker(std::move(setup));
    }
  }
  void enqueue(std::size_t at, int jobs) {
    while (jobs > 0) {
      std::vector<NewJob> some;
      for (; jobs > 0 && some.size() < 100; --jobs) some.push_back(producer_.job({}, queue(at)));
      producer_.enqueue(std::move(some));
    }
  }
  void limit_handler(const Limit& limit) {
    const auto client = scene_.make_client(99);
    const auto answer = client->ask(SetLimit{handler_scope, "work", limit, SetAs::operated, std::nullopt});
    ASSERT_TRUE(answer && std::holds_alternative<LimitState>(*answer));
  }
  std::int64_t starts(std::size_t at) const {
    return scene_.checker.limits.starts_of({LimitScope::queue, queue(at)});
  }
  // How long it takes until the next job of this queue starts, from now on.
  Duration time_to_start(std::size_t at) {
    const std::int64_t before = starts(at);
    const Duration from = scene_.world.now();
    EXPECT_TRUE(scene_.world.run_until([&] { return starts(at) > before; }, 60 * second));
    return scene_.world.now() - from;
  }

 private:
  static Producer& start(Scene& scene) {
    scene.enter_at_storage();
    scene.start_all();
    scene.world.run_for(1 * second);
    return scene.add_producer();
  }

  Scene& scene_;
  Producer& producer_;
  std::vector<std::string> queues_;
};

void with_two_homes(const std::function<void(Scene&, TwoHomes&)>& play) {
  for_each_seed(
      4,
      [&](Scene& scene) {
        TwoHomes homes(scene);
        play(scene, homes);
      },
      short_defaults(), 2);
}

// --- L11 ---

TEST(RuleL11, the_room_of_a_shared_handler_goes_round_whatever_node_a_queue_is_at_home_at) {
  with_two_homes([](Scene& scene, TwoHomes& homes) {
    homes.limit_handler(window_limit(5, 500, CountPolicy::started));
    homes.enqueue(0, 400);
    homes.enqueue(1, 400);
    homes.add_workers(0, 4);
    homes.add_workers(1, 1);
    scene.world.run_for(2 * second);
    const std::int64_t before[] = {homes.starts(0), homes.starts(1)};
    for (int times = 0; times < 20; ++times) {
      scene.world.run_for(1 * second);
      const std::int64_t since[] = {homes.starts(0) - before[0], homes.starts(1) - before[1]};
      ASSERT_LE(std::abs(since[0] - since[1]), 5) << "the room of one window";
    }
    EXPECT_GE(homes.starts(0) + homes.starts(1) - before[0] - before[1], 200 * 9 / 10);
  });
}

TEST(RuleL11, a_queue_that_comes_late_waits_for_one_window_and_not_for_the_others_backlog) {
  with_two_homes([](Scene& scene, TwoHomes& homes) {
    homes.limit_handler(window_limit(5, 500, CountPolicy::started));
    homes.add_workers(0, 4);
    homes.add_workers(1, 1);
    homes.enqueue(0, 400);
    scene.world.run_for(5 * second);
    homes.enqueue(1, 1);
    EXPECT_LE(homes.time_to_start(1), 2 * 500 * millisecond + 100 * millisecond);
  });
}

TEST(RuleL11, a_queue_whose_home_is_dead_does_not_stop_the_others) {
  with_two_homes([](Scene& scene, TwoHomes& homes) {
    homes.limit_handler(window_limit(5, 500, CountPolicy::started));
    homes.enqueue(0, 400);
    homes.enqueue(1, 400);
    homes.add_workers(0, 1);
    homes.add_workers(1, 1);
    scene.world.run_for(5 * second);
    scene.limiter_nodes()[1]->kill();
    scene.world.run_for(2 * second);
    const std::int64_t before = homes.starts(0);
    scene.world.run_for(10 * second);
    EXPECT_GE(homes.starts(0) - before, 100 * 9 / 10);
  });
}

// --- L12 ---

TEST(RuleL12, what_was_told_while_the_link_was_broken_is_known_when_it_is_back) {
  with_two_homes([](Scene& scene, TwoHomes& homes) {
    homes.add_workers(0, 1);
    homes.enqueue(0, 1);
    scene.world.run_for(2 * second);
    const NodeNumber limiter = scene.limiter_nodes()[0]->place().self;
    scene.fabric.break_link(ClusterMap::storage, limiter, 1 * second);
    scene.world.run_for(500 * millisecond);
    homes.enqueue(0, 1);
    ASSERT_TRUE(scene.world.run_until([&] { return scene.fabric.all_up(); }, 5 * second));
    // Where storage's end of the link comes up later, its answer is lost, and the next head tells.
    EXPECT_LE(homes.time_to_start(0), 1 * second + 100 * millisecond);
  });
}

TEST(RuleL12, what_storage_knows_is_told_anew_by_each_of_its_lives) {
  with_two_homes([](Scene& scene, TwoHomes& homes) {
    homes.add_workers(0, 1);
    homes.enqueue(0, 1);
    scene.world.run_for(2 * second);
    for (int times = 0; times < 5; ++times) {
      scene.limiter_nodes()[0]->kill();
      homes.enqueue(0, 1);
      scene.world.run_for(100 * millisecond);
      scene.server.kill();
      scene.server.start();
      scene.limiter_nodes()[0]->start();
      EXPECT_LE(homes.time_to_start(0), 5 * second) << "a worker's ask is repeated";
    }
  });
}

TEST(RuleL12, a_delta_that_is_lost_is_missed_by_the_next_head) {
  with_two_homes([](Scene& scene, TwoHomes& homes) {
    homes.add_workers(0, 1);
    homes.enqueue(0, 1);
    scene.world.run_for(2 * second);
    scene.checker.idle.set_patience(1'500 * millisecond);
    scene.fabric.lose_next("limiter_delta");
    homes.enqueue(0, 1);
    EXPECT_LE(homes.time_to_start(0), 1 * second + 4 * link_latency);
    EXPECT_EQ(scene.fabric.to_lose(), 0U);
  });
}

TEST(RuleL12, a_claim_that_is_lost_or_its_answer_is_repeated_after_200_ms) {
  with_two_homes([](Scene& scene, TwoHomes& homes) {
    homes.add_workers(0, 2);
    homes.enqueue(0, 1);
    scene.world.run_for(2 * second);
    scene.fabric.lose_next("claim");
    homes.enqueue(0, 1);
    const Duration repeated = homes.time_to_start(0);
    EXPECT_GE(repeated, 200 * millisecond);
    EXPECT_LE(repeated, 200 * millisecond + 4 * link_latency);

    scene.world.run_for(1 * second);
    scene.fabric.lose_next("claimed");
    homes.enqueue(0, 1);
    EXPECT_LE(homes.time_to_start(0), 4 * link_latency);
    homes.enqueue(0, 1);
    EXPECT_LE(homes.time_to_start(0), 200 * millisecond + 4 * link_latency);
    EXPECT_EQ(scene.fabric.to_lose(), 0U);
  });
}

TEST(RuleL12, limits_hold_and_everything_drains_whichever_nodes_and_links_fail) {
  for (const int limiter_nodes : {2, 3}) {
    for_each_seed(
        8, [](Scene& scene) { run_storm(scene, storm_of_a_cluster()); }, short_defaults(), limiter_nodes);
  }
}

}  // namespace
}  // namespace stint::sim
