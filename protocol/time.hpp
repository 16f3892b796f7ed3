// Time in stint. Every promise follows one monotonic clock (rule D10); the wall clock is only for what people
// read and for points in time that people name (`run_at_ms`). Instants never cross the wire, durations do.
#pragma once

#include <chrono>
#include <cstdint>

namespace stint {

// The monotonic clock of a storage file: CLOCK_BOOTTIME plus an offset kept in the file, so that instants
// that were stored stay comparable over restarts. It has no now(): the time is a thing one is given.
struct StintClock {
  using rep = std::int64_t;
  using period = std::micro;
  using duration = std::chrono::microseconds;
  using time_point = std::chrono::time_point<StintClock>;
  static constexpr bool is_steady = true;
};

using Duration = StintClock::duration;
using Instant = StintClock::time_point;

constexpr Duration from_ms(std::int64_t ms) { return std::chrono::milliseconds(ms); }

// Rounded up: who waits that long finds the moment reached.
constexpr std::int64_t to_ms(Duration duration) {
  return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

// A point in time as people know it: milliseconds of UTC since 1970.
using WallMs = std::int64_t;

}  // namespace stint
