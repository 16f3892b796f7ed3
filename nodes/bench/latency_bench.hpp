// The benchmark `latency`: how long it takes from sending a job to starting its handler, on a server that has
// nothing else to do and on one under half the load that it can carry; beside what the disk and the way to
// the server alone take.
#pragma once

#include <cstdint>

#include "nodes/bench/bench_basics.hpp"

namespace stint {

struct LatencyBenchOptions {
  BenchBasics basics;
  std::int64_t batch = 1;
  std::int64_t payload = 100;
  std::int64_t outstanding = 64;   // where the load that it can carry is measured, and asks
  std::int64_t load_percent = 50;  // of that
  std::int64_t idle_jobs = 1'000;  // a run
};

// Prints a table, or JSON. Refused (1): not every job ended once.
ExitStatus run_latency_bench(const LatencyBenchOptions& options, const Console& console);

}  // namespace stint
