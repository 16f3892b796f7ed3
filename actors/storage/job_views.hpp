// JobViews: jobs as people see them, from rows, leases and logs.
#pragma once

#include <vector>

#include "actors/storage/storage_state.hpp"
#include "protocol/messages/inspect.hpp"
#include "protocol/result.hpp"

namespace stint {

class JobViews {
 public:
  explicit JobViews(StorageState& state) : state_(state) {}

  JobState state_of(const JobRow& row);
  JobView view(const JobRow& row);
  // Of a job that has ended, from the log that says so.
  JobView view(const LogRow& last) const;
  // Errors: not_found; storage_unavailable.
  Result<JobDetails> details(JobId id);

  // Whether this log is a job's last: the job has no row any more.
  static bool ends_job(const LogRow& log);
  // not_found, or conflict with what became of the job that has no row.
  Result<LogRow> ended(JobId id);

 private:
  std::string worker_of(const JobRow& row, const Lease* lease);

  StorageState& state_;
};

}  // namespace stint
