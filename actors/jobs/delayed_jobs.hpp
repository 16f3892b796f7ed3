// DelayedJobs: jobs that are due later: delays and retries by the monotonic clock, points in time that people
// named by the wall clock (rule D10). Owned by the storage actor's JobBoard.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "actors/jobs/lanes.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

struct DelayedJob {
  LaneGroup* group = nullptr;
  int priority = 5;
  bool is_retry = false;
  LanePosition position;  // `ready_at`: when it is due; of a job due by the wall clock, what that looked like
  std::optional<WallMs> run_at_ms{};
};

class DelayedJobs {
 public:
  void insert(const DelayedJob& job);
  // Nothing: it was not there.
  std::optional<DelayedJob> remove(const LanePosition& position, std::optional<WallMs> run_at_ms);

  bool empty() const { return by_clock_.empty() && by_wall_.empty(); }
  // The first by the monotonic clock, and whether it is due by either.
  std::optional<Instant> next_due() const;
  std::optional<WallMs> next_run_at() const;

  // Takes out at most `most` of those that are due, the longest due first.
  std::vector<DelayedJob> take_due(Instant now, WallMs wall_now, std::int64_t most);

 private:
  std::map<LanePosition, DelayedJob> by_clock_;
  std::map<std::pair<WallMs, JobId>, DelayedJob> by_wall_;
};

}  // namespace stint
