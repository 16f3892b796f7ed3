// The clock that all processes of a benchmark share.
#pragma once

#include <cstdint>
#include <ctime>

namespace stint {

// Since the boot of the machine.
inline std::int64_t bench_now_us() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
}

}  // namespace stint
