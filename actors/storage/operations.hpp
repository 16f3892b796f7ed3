// Operations: what people do to single jobs: try again, cancel, delete.
#pragma once

#include "actors/kernel/turn.hpp"
#include "actors/storage/heartbeats.hpp"
#include "actors/storage/job_views.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class Operations {
 public:
  Operations(StorageState& state, JobViews& views, Heartbeats& heartbeats)
      : state_(state), views_(views), heartbeats_(heartbeats) {}

  void on(RetryJob&& request, Turn& turn);
  void on(CancelJob&& request, Turn& turn);
  void on(DeleteJob&& request, Turn& turn);

 private:
  Status retry(JobId id);
  Status cancel(JobId id);
  Status remove(JobId id);
  // The row of a job that has one; else, what became of it, as an error.
  Result<JobRow> row_of(JobId id);

  void cancel_waiting(const JobRow& row);
  void take_off_board(const JobRow& row);
  void add_event(EventKind kind, const JobRow& row);
  void reply_details(const Status& status, JobId id, Turn& turn);

  StorageState& state_;
  JobViews& views_;
  Heartbeats& heartbeats_;
};

}  // namespace stint
