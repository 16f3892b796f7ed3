// How long a server is away when it is killed.
#pragma once

#include "nodes/bench/bench_fleet.hpp"

namespace stint {

// Kills the fleet's storage node and starts it again. Milliseconds from the new start until a worker of this
// queue and handler has its first batch; there must be a job for it, which is given back.
Result<double, Failure> measure_restart(BenchFleet& fleet, const std::string& queue,
                                        const std::string& handler);

}  // namespace stint
