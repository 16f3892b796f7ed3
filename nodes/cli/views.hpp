// What people are shown of queues, workers and jobs: the tables and screens of the inspecting commands.
#pragma once

#include <string>
#include <vector>

#include "nodes/cli/console.hpp"
#include "protocol/messages.hpp"

namespace stint {

std::string queue_table(const std::vector<QueueView>& queues, const Console& console);
std::string queue_screen(const QueueView& queue, const Console& console);
std::string worker_table(const std::vector<WorkerView>& workers, WallMs now_ms, const Console& console);
std::string job_table(const std::vector<JobView>& jobs, WallMs now_ms, const Console& console);
// `whole`: payloads and results are not cut.
std::string job_screen(const JobDetails& details, WallMs now_ms, bool whole, const Console& console);
std::string status_screen(const Stats& stats, const std::vector<QueueView>& queues,
                          const std::vector<WorkerView>& workers, WallMs now_ms, const std::string& endpoint,
                          const Console& console);

}  // namespace stint
