// Seeds: each rule is tried with a number of seeds; STINT_SIM_SEEDS names another number of them.
#pragma once

#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>

#include "tests/sim/world/scene.hpp"

namespace stint::sim {

inline std::uint64_t seeds_or(std::uint64_t otherwise) {
  const char* named = std::getenv("STINT_SIM_SEEDS");
  return named == nullptr ? otherwise : std::strtoull(named, nullptr, 10);
}

// Stops at the first seed that breaks a rule, and shows its trace.
inline void for_each_seed(std::uint64_t seeds, const std::function<void(Scene&)>& play,
                          const Defaults& defaults = short_defaults(), int limiter_nodes = 0) {
  for (std::uint64_t seed = 1; seed <= seeds_or(seeds); ++seed) {
    Scene scene(seed, defaults, limiter_nodes);
    play(scene);
    if (!scene.world.failures().empty() || ::testing::Test::HasFailure()) {
      FAIL() << scene.world.report();
    }
  }
}

}  // namespace stint::sim
