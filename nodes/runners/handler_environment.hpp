// What a command handler finds in its environment.
#pragma once

#include <string>
#include <vector>

#include "protocol/messages/worker.hpp"
#include "protocol/time.hpp"

namespace stint {

// The environment of this process and the STINT_ variables of the job. `deadline_ms`: when its time is over.
std::vector<std::string> handler_environment(const LeasedJob& job, WallMs deadline_ms);

}  // namespace stint
