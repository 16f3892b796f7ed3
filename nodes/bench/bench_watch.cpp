#include "nodes/bench/bench_watch.hpp"

#include <algorithm>
#include <poll.h>

namespace stint {

Result<Done, Failure> BenchWatch::pass(std::int64_t span_ms) {
  pollfd signals{stop_.fd(), POLLIN, 0};
  poll(&signals, 1, static_cast<int>(span_ms));
  if (stop_.take() == 0) return Done{};
  return Failure{.status = ExitStatus::limited, .message = "stopped before it was done"};
}

void BenchWatch::reached(double share) {
  const auto part = static_cast<std::int64_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(units));
  progress_.advance_to(std::min(steps_ * units, ended_ * units + part));
}

void BenchWatch::end_step() {
  ++ended_;
  reached(0);
}

}  // namespace stint
