// FrameBudget: how many messages a turn takes, so that it lasts about 4 ms: timers and heartbeats never wait
// long, and groups still grow under load. It learns from the turns that were.
#pragma once

#include <algorithm>
#include <cstddef>

#include "protocol/time.hpp"

namespace stint {

class FrameBudget {
 public:
  static constexpr std::size_t least = 8;
  static constexpr std::size_t most = 1000;

  std::size_t frames() const {
    const auto expected = static_cast<std::size_t>(turn_us / std::max(cost_us_, 0.1));
    return std::clamp(expected, least, most);
  }

  // A turn took `frames` messages and needed so long for them, without its wait and its commit.
  void measured(std::size_t frames, Duration work) {
    if (frames == 0) return;
    const double cost_us = static_cast<double>(work.count()) / static_cast<double>(frames);
    // Dearer messages count at once, cheaper ones slowly: a turn that is too long is worse than one too
    // short.
    cost_us_ += (cost_us - cost_us_) * (cost_us > cost_us_ ? 0.5 : 0.1);
  }

 private:
  static constexpr double turn_us = 4'000;
  double cost_us_ = 100;
};

}  // namespace stint
