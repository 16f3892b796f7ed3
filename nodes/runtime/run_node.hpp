// run_node: a node as a process: from its config until SIGTERM or SIGINT, or until its worker has done its
// work.
#pragma once

#include <memory>

#include "nodes/cli/exit_status.hpp"
#include "nodes/config/config.hpp"
#include "nodes/runners/runner.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/stop_source.hpp"
#include "protocol/result.hpp"

namespace stint {

// To be called before the process has other threads: it blocks these signals for all that are started from
// then on. Errors: why the node could not start, or what its worker was refused.
Result<Done, Failure> run_node(const NodeConfig& config);

// The same inside another program: until `stop` says so. `runner`: of the worker's handlers, as in
// Node::open().
Result<Done, Failure> run_node(const NodeConfig& config, StopSource& stop, Log& log,
                               std::unique_ptr<Runner> runner);

}  // namespace stint
