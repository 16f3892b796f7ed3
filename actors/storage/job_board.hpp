// JobBoard: where each job is that has not ended well: in a lane, delayed, running or dead; and how many are
// where. Part of StorageState; it changes nothing on disk.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "actors/jobs/delayed_jobs.hpp"
#include "actors/jobs/lanes.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"
#include "storage/store.hpp"

namespace stint {

class JobBoard {
 public:
  Lanes lanes;
  DelayedJobs delayed;

  // Sums over all queues.
  const JobCounts& totals() const { return totals_; }

  // A job that waits, in its lane or for its time to come. When it waits for a retry, that is what it counts
  // as.
  void wait(LaneGroup& group, const JobRow& row, Instant now, WallMs wall_now);
  // Takes a job out of its lane or its delay. False: it is in neither.
  bool withdraw(const JobRow& row);
  // Moves at most `most` delayed jobs that are due into their lanes. Gives those that must be stored with
  // another `ready_at` than they have: see corrected_place().
  std::vector<LanePosition> move_due(Instant now, WallMs wall_now, std::int64_t most);
  // When move_due() is to be called again at the latest; nothing: no job is delayed.
  std::optional<Instant> next_due(Instant now, WallMs wall_now) const;

  // The first jobs over these queues and handlers that `admit` lets pass; they wait no more. `put_back`
  // undoes one.
  std::vector<LaneHead> take(const std::vector<QueueCap>& queues, std::int64_t most, const NameSet& served,
                             const Lanes::Admit& admit);
  void put_back(const LaneHead& taken);

  void add_running(LaneGroup& group, std::int64_t difference);
  void bury(LaneGroup& group, const JobRow& row);
  void exhume(LaneGroup& group, const JobRow& row);
  // The job that died first, if that was before `before_ms`.
  std::optional<JobId> dead_before(WallMs before_ms) const;

  // For loading: wait() and the others do not sort lanes while it goes on.
  void begin_load() { loading_ = true; }
  void end_load();

 private:
  void count(LaneGroup& group, std::int64_t JobCounts::*which, std::int64_t difference);
  void insert(LaneGroup& group, int priority, const LanePosition& position);

  JobCounts totals_;
  std::set<std::pair<WallMs, JobId>> dead_;
  bool loading_ = false;
};

// Whether the job is not due yet.
bool is_delayed(const JobRow& row, Instant now, WallMs wall_now);
// Of a delayed job: whether it waits for another attempt, rather than for the time its sender named.
bool is_retry(const JobRow& row);
LanePosition position_of(const JobRow& row);

// A job that became due by the wall clock has the place that was foreseen for it. Where the wall clock has
// jumped ahead since, that lies in the future, and others would pass the job until then: its place is now
// instead.
std::optional<Instant> corrected_place(Instant foreseen, Instant now);

}  // namespace stint
