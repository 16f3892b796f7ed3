#include "nodes/cli/commands.hpp"

namespace stint {

ExitStatus run(const BenchLimitsCommand& command, const Console& console) {
  return run_limits_bench(command.options, console);
}

ExitStatus run(const BenchThroughputCommand& command, const Console& console) {
  return run_throughput_bench(command.options, console);
}

ExitStatus run(const BenchLatencyCommand& command, const Console& console) {
  return run_latency_bench(command.options, console);
}

ExitStatus run(const BenchBacklogCommand& command, const Console& console) {
  return run_backlog_bench(command.options, console);
}

ExitStatus run(const BenchFanoutCommand& command, const Console& console) {
  return run_fanout_bench(command.options, console);
}

ExitStatus run(const BenchWorkerCommand& command, const Console&) {
  return static_cast<ExitStatus>(run_bench_worker(command.options));
}

ExitStatus run(const BenchProduceCommand& command, const Console&) {
  return static_cast<ExitStatus>(run_bench_producer(command.options));
}

ExitStatus run(const BenchConsumeCommand& command, const Console&) {
  return static_cast<ExitStatus>(run_bench_consumer(command.options));
}

ExitStatus run(const BenchSubscribeCommand& command, const Console&) {
  return static_cast<ExitStatus>(run_bench_subscriber(command.options));
}

}  // namespace stint
