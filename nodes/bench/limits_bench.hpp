// The benchmark `limits`: how exactly limits hold, and how much of what they allow is reached, with more and
// more worker processes over several limiter nodes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nodes/cli/console.hpp"
#include "nodes/cli/exit_status.hpp"

namespace stint {

struct LimitsBenchOptions {
  std::vector<int> workers{1, 2, 4, 8, 16};
  int limiters = 3;
  std::int64_t seconds = 20;  // a row
  bool json = false;
};

// Prints a table, or JSON. Refused (1): a limit was exceeded.
ExitStatus run_limits_bench(const LimitsBenchOptions& options, const Console& console);

// The worker that it starts: each run takes `run_ms`, and its result is the moment it began at, in
// microseconds of CLOCK_BOOTTIME and of the wall clock.
struct BenchWorkerOptions {
  std::string server;
  std::map<std::string, std::int64_t> queues;
  std::string handler;
  std::int64_t run_ms = 0;
};
int run_bench_worker(const BenchWorkerOptions& options);

}  // namespace stint
