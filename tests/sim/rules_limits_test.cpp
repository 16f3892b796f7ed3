// The rules of limits, L1 to L12, each in the simulator over many seeds. The checkers assert all of them all
// the time; each test stirs up what could break the one it is named after, and makes sure that it was stirred
// up.
#include <gtest/gtest.h>

#include "tests/sim/seeds.hpp"
#include "tests/sim/world/storm.hpp"

namespace stint::sim {
namespace {

TEST(RuleL9, no_change_of_a_limit_lets_more_start_than_it_allows_whatever_happens) {
  std::int64_t changes = 0;
  for_each_seed(20, [&](Scene& scene) {
    run_storm(scene, storm_of_limits());
    changes += scene.checker.limits.changes();
  });
  EXPECT_GT(changes, 200);
}

}  // namespace
}  // namespace stint::sim
