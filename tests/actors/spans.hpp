// Spans: an independent look at a list of starts, which knows nothing of how they were decided: the worst
// span of it against a bucket, and against a window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "protocol/time.hpp"

namespace stint::test {

// Starts that left at one moment. Lists of them are in the order of time.
struct Starts {
  Instant at{};
  std::int64_t count = 0;
};

inline Instant at_seconds(double seconds) {
  return Instant(Duration(static_cast<std::int64_t>(seconds * 1e6)));
}

// By how many starts the worst span T exceeds burst + rate * T (rule L2). Not above 0: the bound holds.
inline double excess_over_bucket(const std::vector<Starts>& starts, double per_second, std::int64_t burst) {
  long double before = 0;      // starts before the span
  long double lowest = 1e30L;  // of starts before, less what the rate allowed until then
  long double worst = -1e30L;
  for (const Starts& each : starts) {
    const auto allowed = static_cast<long double>(per_second) * each.at.time_since_epoch().count() / 1e6L;
    lowest = std::min(lowest, before - allowed);
    before += static_cast<long double>(each.count);
    worst = std::max(worst, before - allowed - lowest);
  }
  // A double's own inexactness, over long times, is not a start.
  return static_cast<double>(worst - static_cast<long double>(burst) - 1e-6L);
}

// The most starts in any span of the window's length; two that are exactly so far apart are never in one.
inline std::int64_t most_in_window(const std::vector<Starts>& starts, Duration window) {
  std::deque<Starts> within;
  std::int64_t count = 0;
  std::int64_t most = 0;
  for (const Starts& each : starts) {
    while (!within.empty() && within.front().at + window <= each.at) {
      count -= within.front().count;
      within.pop_front();
    }
    within.push_back(each);
    count += each.count;
    most = std::max(most, count);
  }
  return most;
}

inline std::int64_t total(const std::vector<Starts>& starts) {
  std::int64_t total = 0;
  for (const Starts& each : starts) total += each.count;
  return total;
}

}  // namespace stint::test
