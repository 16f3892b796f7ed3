// What many samples, or the figures of several runs, come to.
#pragma once

#include <cstdint>
#include <vector>

namespace stint {

// Of several runs of the same.
struct Spread {
  double median = 0;  // the mean of the middle two where their number is even
  double least = 0;
  double most = 0;
};
Spread spread_of(std::vector<double> values);  // all 0 for none

// The least sample that at least this share of all do not exceed; `share` above 0 to 1; 0 for none.
std::int64_t quantile(const std::vector<std::int64_t>& ascending, double share);

// How long something took, over one run.
struct Latencies {
  std::int64_t count = 0;
  std::int64_t p50_us = 0;
  std::int64_t p99_us = 0;
  std::int64_t p999_us = 0;
};
Latencies latencies_of(std::vector<std::int64_t> samples_us);

}  // namespace stint
