// The benchmark `fanout`: what many worker connections, and subscribers to all events, cost.
#pragma once

#include <cstdint>
#include <vector>

#include "nodes/bench/bench_basics.hpp"

namespace stint {

struct FanoutBenchOptions {
  BenchBasics basics;
  std::vector<std::int64_t> connections{1, 16, 256};  // rows without a subscriber
  std::vector<std::int64_t> subscribers{2, 10};       // rows with as many connections as the first
  std::int64_t batch = 100;
  std::int64_t payload = 100;
  std::int64_t outstanding = 64;
};

// Prints a table, or JSON. Refused (1): not every job ended once.
ExitStatus run_fanout_bench(const FanoutBenchOptions& options, const Console& console);

}  // namespace stint
