// Results of runs as a worker makes them; for the worker actor and the runners.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages/worker.hpp"
#include "protocol/values.hpp"

namespace stint {

RunResult result_of(const JobRun& run, Outcome outcome);
RunResult failed(const JobRun& run, std::string type, std::string message);

// Makes a result one that the server takes: within `result_bytes` (or failed, saying so), text in UTF-8,
// error cut.
RunResult fit_for_report(RunResult&& result, std::int64_t result_bytes);

}  // namespace stint
