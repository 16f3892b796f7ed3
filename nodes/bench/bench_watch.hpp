// BenchWatch: what a benchmark shows of itself while it runs, and whether somebody wants it to end. Made
// before any other thread; owned by the benchmark.
#pragma once

#include <cstdint>
#include <string>

#include "nodes/cli/console.hpp"
#include "nodes/cli/exit_status.hpp"
#include "nodes/cli/progress.hpp"
#include "nodes/runtime/stop_source.hpp"
#include "protocol/result.hpp"

namespace stint {

class BenchWatch {
 public:
  // So many steps, all as long as far as anybody knows.
  BenchWatch(const Console& console, std::int64_t steps)
      : progress_(console, "measuring", steps * units), steps_(steps) {}

  // Lets so long pass. Errors: limited, somebody wants it to end.
  Result<Done, Failure> pass(std::int64_t span_ms);

  // What share of the step that is on is done.
  void reached(double share);
  // It is over.
  void end_step();

 private:
  static constexpr std::int64_t units = 100;  // a step

  SignalStop stop_;
  Progress progress_;
  std::int64_t steps_;
  std::int64_t ended_ = 0;
};

}  // namespace stint
