// `stint status --watch`: the server once a second, until interrupted.
#pragma once

#include "nodes/cli/arguments.hpp"
#include "nodes/cli/console.hpp"

namespace stint {

ExitStatus watch(const StatusCommand& command, const Console& console);

}  // namespace stint
