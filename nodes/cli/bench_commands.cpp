#include "nodes/cli/commands.hpp"

namespace stint {

ExitStatus run(const BenchLimitsCommand& command, const Console& console) {
  return run_limits_bench(command.options, console);
}

ExitStatus run(const BenchWorkerCommand& command, const Console&) {
  return static_cast<ExitStatus>(run_bench_worker(command.options));
}

}  // namespace stint
