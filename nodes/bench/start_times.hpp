// What the times at which jobs started say of the limit they were under. Times are microseconds of one clock,
// in ascending order.
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

// The most starts in any span of this length, its end left out.
std::int64_t most_in_any(const std::vector<std::int64_t>& starts_us, std::int64_t span_us);

// By how many starts the worst span, of whatever length, is above `burst` + `rate` × its length; below 0: it
// never was.
double worst_excess(const std::vector<std::int64_t>& starts_us, double rate, std::int64_t burst);

}  // namespace stint
