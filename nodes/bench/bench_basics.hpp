// What the benchmarks of speed have in common: their options, the fleet each of them starts, and how they
// end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nodes/bench/bench_fleet.hpp"
#include "nodes/bench/load_driver.hpp"
#include "nodes/cli/console.hpp"
#include "nodes/cli/exit_status.hpp"

namespace stint {

struct BenchBasics {
  std::string server;     // empty: nodes of its own
  std::int64_t runs = 3;  // of each row
  std::int64_t jobs = 0;  // a run; 0: as many as there is time for
  double seconds = 3;     // a run, if it does not count jobs
  bool json = false;
};

// A fresh one; errors: no_server, nothing answers at `server`.
Result<std::unique_ptr<BenchFleet>, Failure> open_fleet(const BenchBasics& basics);

// How much is to be done, as the options say; everything else as in `shape`.
Load load_of(const BenchBasics& basics, Load shape);

// Whether so many jobs of this size fit into one message.
bool fits_a_message(std::int64_t batch, std::int64_t payload);

// Prints, and says whether every job that was enqueued ended once: else the status is `refused`.
ExitStatus finish_bench(const Console& console, const std::string& text, bool is_whole);
ExitStatus fail_bench(const Console& console, const Failure& failure);

}  // namespace stint
