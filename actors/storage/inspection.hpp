// Inspection: what people ask to see. Lists come in pages that are bounded in rows, in values and in the work
// of finding them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "actors/kernel/turn.hpp"
#include "actors/storage/job_views.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class Inspection {
 public:
  Inspection(StorageState& state, JobViews& views) : state_(state), views_(views) {}

  void on(ListQueues&& request, Turn& turn);
  void on(ListWorkers&& request, Turn& turn);
  void on(ListJobs&& request, Turn& turn);
  void on(GetJob&& request, Turn& turn);
  void on(GetStats&& request, Turn& turn);

 private:
  using WorkerCounts = std::map<std::string, std::int64_t, std::less<>>;  // living sessions, by queue

  // Queues that have jobs, a living session that names them, or a setting: a limit, a pause, a `batch_max`.
  std::optional<std::string> next_queue(std::string_view after, const WorkerCounts& workers);
  std::optional<std::string> known_queue(const std::string& name, const WorkerCounts& workers);
  bool has_setting(const NamedLimit& named) const;
  QueueView queue_view(const std::string& name, const WorkerCounts& workers);
  WorkerView worker_view(const Session& session) const;
  WorkerCounts workers_by_queue();

  // One page of the jobs that have rows, or of those that have ended and are known from their logs.
  Status list_rows(const ListJobs& request, JobId after, Jobs& page);
  Status list_ended(const ListJobs& request, JobRun after, Jobs& page);

  StorageState& state_;
  JobViews& views_;
};

}  // namespace stint
