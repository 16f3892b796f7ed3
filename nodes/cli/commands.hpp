// What each command does with its arguments. Data goes to the console's `out`; failures are told on `err`.
#pragma once

#include "nodes/cli/arguments.hpp"
#include "nodes/cli/console.hpp"

namespace stint {

ExitStatus run(const NodeCommand& command, const Console& console);
ExitStatus run(const WorkCommand& command, const Console& console);
ExitStatus run(const EnqueueCommand& command, const Console& console);
ExitStatus run(const JobListCommand& command, const Console& console);
ExitStatus run(const JobShowCommand& command, const Console& console);
ExitStatus run(const JobChangeCommand& command, const Console& console);
ExitStatus run(const QueueListCommand& command, const Console& console);
ExitStatus run(const QueueShowCommand& command, const Console& console);
ExitStatus run(const JobExplainCommand& command, const Console& console);
ExitStatus run(const WorkerListCommand& command, const Console& console);
ExitStatus run(const HandlerListCommand& command, const Console& console);
ExitStatus run(const HandlerShowCommand& command, const Console& console);
ExitStatus run(const LimitSetCommand& command, const Console& console);
ExitStatus run(const LimitShowCommand& command, const Console& console);
ExitStatus run(const LimitClearCommand& command, const Console& console);
ExitStatus run(const LimitCheckCommand& command, const Console& console);
ExitStatus run(const PauseCommand& command, const Console& console);
ExitStatus run(const ResumeCommand& command, const Console& console);
ExitStatus run(const TailCommand& command, const Console& console);
ExitStatus run(const StatusCommand& command, const Console& console);
ExitStatus run(const PingCommand& command, const Console& console);
ExitStatus run(const ConfigCheckCommand& command, const Console& console);
ExitStatus run(const BenchLimitsCommand& command, const Console& console);
ExitStatus run(const BenchThroughputCommand& command, const Console& console);
ExitStatus run(const BenchLatencyCommand& command, const Console& console);
ExitStatus run(const BenchBacklogCommand& command, const Console& console);
ExitStatus run(const BenchFanoutCommand& command, const Console& console);
ExitStatus run(const BenchWorkerCommand& command, const Console& console);
ExitStatus run(const BenchProduceCommand& command, const Console& console);
ExitStatus run(const BenchConsumeCommand& command, const Console& console);
ExitStatus run(const BenchSubscribeCommand& command, const Console& console);
ExitStatus run(const VersionCommand& command, const Console& console);

// All of `stint`: parses, runs, and returns how the process should exit.
ExitStatus run_command_line(int count, const char* const* arguments, const Console& console);

}  // namespace stint
