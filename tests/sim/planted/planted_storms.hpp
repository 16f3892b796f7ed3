// The storms in which planted bugs are looked for: those of stint_sim, and some that stir up what is rare
// there.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tests/sim/world/scene.hpp"

namespace stint::sim {

struct PlantedStorm {
  int limiter_nodes = 0;  // beside the server; 0: it limits, too
  std::function<void(Scene&)> rage;
};

// By the name that a .bug file gives.
const std::map<std::string, PlantedStorm>& planted_storms();

}  // namespace stint::sim
