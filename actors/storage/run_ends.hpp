// RunEnds: the one way in which runs end, whoever says so: a report, a goodbye, a takeover, or time.
#pragma once

#include <random>

#include "actors/storage/storage_state.hpp"
#include "actors/storage/verdict.hpp"

namespace stint {

class RunEnds {
 public:
  explicit RunEnds(StorageState& state) : state_(state) {}

  // Ends the run that is on of this job: log, row, lane, receipt, event, and the news for its session.
  void end(JobId job, EndOfRun end, std::mt19937_64& random);
  // The worker is gone, or was never reached (rule D3): lost, or undelivered if its batch was not
  // acknowledged.
  void end_lost(JobId job, std::mt19937_64& random);
  // Its batch could not even leave.
  void end_undelivered(JobId job, std::mt19937_64& random);
  // The time of its lease or its own is over (rule D7).
  void end_overdue(JobId job, std::mt19937_64& random);

 private:
  void write_log(const Leases::Ended& ended, const Verdict& verdict, EndOfRun& end, const Session* session,
                 std::int64_t attempt);
  void move_job(const Lease& lease, const Verdict& verdict);
  void close_receipt(const Leases::Ended& ended, Session* session);
  void add_event(const Lease& lease, const Verdict& verdict, const Session* session, std::int64_t attempt);
  void tell_lost(Session& session, const JobRun& run);
  void count(const Verdict& verdict);

  StorageState& state_;
};

// What of a row is stored anew.
JobChange change_of(const JobRow& row);

}  // namespace stint
