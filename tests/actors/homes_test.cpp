#include "actors/limits/homes.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace stint {
namespace {

Homes homes_of(int limiters) {
  std::vector<Homes::Limiter> all;
  for (int number = 1; number <= limiters; ++number)
    all.push_back({"limiter-" + std::to_string(number), static_cast<NodeNumber>(number)});
  return Homes(std::move(all));
}

std::string queue(int number) { return "queue-" + std::to_string(number); }

// Worked out by another implementation. Nodes of different versions must agree on them for ever.
TEST(Homes, are_the_same_on_every_node_of_every_version) {
  const Homes three = homes_of(3);
  EXPECT_EQ(three.of("default").name, "limiter-3");
  EXPECT_EQ(three.of("email").name, "limiter-2");
  EXPECT_EQ(three.of("images").name, "limiter-1");
  EXPECT_EQ(three.of("a").name, "limiter-1");
  EXPECT_EQ(three.of("0").name, "limiter-2");
  EXPECT_EQ(three.of("queue.with:every_kind-of.sign").name, "limiter-1");
  EXPECT_EQ(three.of(std::string(128, 'x')).name, "limiter-3");
  const Homes two({{"server", 1}, {"limiter-2", 2}});
  EXPECT_EQ(two.of("default").name, "server");
  EXPECT_EQ(two.of("email").name, "limiter-2");
}

TEST(Homes, do_not_depend_on_the_order_in_which_limiters_are_named) {
  const Homes one({{"a", 1}, {"b", 2}, {"c", 3}});
  const Homes other({{"c", 3}, {"a", 1}, {"b", 2}});
  for (int number = 0; number < 1'000; ++number)
    ASSERT_EQ(one.of(queue(number)).name, other.of(queue(number)).name);
}

TEST(Homes, share_queues_evenly) {
  for (const int limiters : {2, 3, 5, 8}) {
    const Homes homes = homes_of(limiters);
    std::map<std::string, int> queues;
    for (int number = 0; number < 10'000; ++number) ++queues[homes.of(queue(number)).name];
    ASSERT_EQ(std::ssize(queues), limiters);
    const double share = 10'000.0 / limiters;
    for (const auto& [limiter, count] : queues) EXPECT_NEAR(count, share, share * 0.1) << limiter;
  }
}

TEST(Homes, move_to_a_new_limiter_only_the_queues_that_are_its_own) {
  const Homes before = homes_of(3);
  const Homes after = homes_of(4);
  int moved = 0;
  for (int number = 0; number < 10'000; ++number) {
    const std::string& home = after.of(queue(number)).name;
    if (home == before.of(queue(number)).name) continue;
    ASSERT_EQ(home, "limiter-4");
    ++moved;
  }
  EXPECT_NEAR(moved, 2'500, 250);
}

TEST(Homes, of_one_limiter_are_all_its_own) {
  const Homes homes = homes_of(1);
  EXPECT_EQ(homes.of("email").name, "limiter-1");
  EXPECT_EQ(homes.limiter_of("email"), (Address{Place::limiter, 0, 1}));
}

}  // namespace
}  // namespace stint
