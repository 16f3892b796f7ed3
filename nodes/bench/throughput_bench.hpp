// The benchmark `throughput`: whole job lives a second, from an enqueue's sending to the acknowledgement that
// its run has finished, with batches, payloads and messages on the way of several sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "nodes/bench/bench_basics.hpp"

namespace stint {

struct ThroughputBenchOptions {
  BenchBasics basics;
  std::vector<std::int64_t> batch{1, 10, 100, 1'000};
  std::vector<std::int64_t> payload{100};
  std::vector<std::int64_t> outstanding{64};
};

// Prints a table, or JSON. Refused (1): not every job ended once.
ExitStatus run_throughput_bench(const ThroughputBenchOptions& options, const Console& console);

}  // namespace stint
