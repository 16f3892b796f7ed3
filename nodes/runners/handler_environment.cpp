#include "nodes/runners/handler_environment.hpp"

#include <map>
#include <string_view>
#include <unistd.h>

#include "nodes/runners/child_process.hpp"
#include "nodes/runners/handler_json.hpp"

namespace stint {

std::vector<std::string> handler_environment(const LeasedJob& job, WallMs deadline_ms) {
  const std::map<std::string_view, std::string> of_job = {
      {"STINT_JOB_ID", std::to_string(job.id)},
      {"STINT_QUEUE", job.queue},
      {"STINT_HANDLER", job.handler},
      {"STINT_RUN", std::to_string(job.run)},
      {"STINT_ATTEMPT", std::to_string(job.attempt)},
      {"STINT_MAX_ATTEMPTS", std::to_string(job.max_attempts)},
      {"STINT_DEADLINE_MS", std::to_string(deadline_ms)},
      {"STINT_META", to_json(job.meta)},
      {"STINT_REPORT_FD", std::to_string(child_report_fd)},
  };
  std::vector<std::string> environment;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable = *at;
    if (!of_job.contains(variable.substr(0, variable.find('=')))) environment.emplace_back(variable);
  }
  for (const auto& [name, value] : of_job) environment.push_back(std::string(name) + "=" + value);
  return environment;
}

}  // namespace stint
