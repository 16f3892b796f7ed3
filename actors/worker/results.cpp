#include "actors/worker/results.hpp"

#include <cstddef>
#include <utility>

#include "protocol/bounds.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

void cut_error(RunError& error) {
  auto left = static_cast<std::size_t>(Bounds::error_bytes);
  for (std::string* part : {&error.type, &error.message, &error.trace}) {
    *part = std::string(cut_utf8(to_utf8(*part), left));
    left -= part->size();
  }
}

}  // namespace

RunResult result_of(const JobRun& run, Outcome outcome) {
  RunResult result;
  result.id = run.id;
  result.run = run.run;
  result.outcome = outcome;
  return result;
}

RunResult failed(const JobRun& run, std::string type, std::string message) {
  RunResult result = result_of(run, Outcome::failed);
  result.error = RunError{std::move(type), std::move(message), ""};
  return result;
}

RunResult fit_for_report(RunResult&& result, std::int64_t result_bytes) {
  if (result.result && std::ssize(result.result->bytes) > result_bytes) {
    const auto pause = result.pause;
    result = failed({result.id, result.run}, "result_too_large",
                    "the result has " + std::to_string(result.result->bytes.size()) +
                        " bytes, more than the " + std::to_string(result_bytes) + " that the server takes");
    result.pause = pause;
  }
  if (result.result && result.result->is_text) result.result->is_text = is_utf8(result.result->bytes);
  if (result.error) cut_error(*result.error);
  return std::move(result);
}

}  // namespace stint
