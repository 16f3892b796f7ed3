// FrameBudget: how many messages a turn takes. Its work should last about 4 ms, so that timers and heartbeats
// never wait long and groups still grow under load; on a disk whose commits take longer, as long as a commit,
// up to 10 ms. It learns from the turns that were.
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
    const double turn_us = std::clamp(commit_us_, shortest_us, longest_us);
    return std::clamp(static_cast<std::size_t>(turn_us / std::max(cost_us_, 0.1)), least, most);
  }

  // A turn took `frames` messages and worked so long on them, without its wait and its commit.
  void worked(std::size_t frames, Duration work) {
    if (frames == 0) return;
    const double cost_us = static_cast<double>(work.count()) / static_cast<double>(frames);
    // Much dearer messages count at once: a turn that is too long is worse than one too short.
    cost_us_ += (cost_us - cost_us_) * (cost_us > 2 * cost_us_ ? 0.5 : 0.1);
  }

  void committed(Duration commit) { commit_us_ += (static_cast<double>(commit.count()) - commit_us_) * 0.1; }

 private:
  static constexpr double shortest_us = 4'000;
  static constexpr double longest_us = 10'000;
  double cost_us_ = 100;
  double commit_us_ = 0;
};

}  // namespace stint
