// The benchmark `backlog`: whether jobs that wait slow down the others: throughput and the time to start
// beside more and more of them, the server's memory, and how soon it works again after a kill.
#pragma once

#include <cstdint>
#include <vector>

#include "nodes/bench/bench_basics.hpp"

namespace stint {

struct BacklogBenchOptions {
  BenchBasics basics;  // its own nodes only: the waiting jobs stay behind
  std::vector<std::int64_t> waiting{0, 1'000'000};
  std::int64_t batch = 100;
  std::int64_t payload = 100;  // of the jobs that wait too
  std::int64_t outstanding = 64;
  std::int64_t pickup_jobs = 500;  // a run
};

// Prints a table, or JSON. Refused (1): not every job that was to end ended once.
ExitStatus run_backlog_bench(const BacklogBenchOptions& options, const Console& console);

}  // namespace stint
