// run_node: a node as a process: from its config until SIGTERM or SIGINT, or until its worker has done its
// work.
#pragma once

#include "nodes/cli/exit_status.hpp"
#include "nodes/config/config.hpp"
#include "protocol/result.hpp"

namespace stint {

// To be called before the process has other threads: it blocks these signals for all that are started from
// then on. Errors: why the node could not start, or what its worker was refused.
Result<Done, Failure> run_node(const NodeConfig& config);

}  // namespace stint
