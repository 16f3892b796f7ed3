#include "actors/jobs/delayed_jobs.hpp"

namespace stint {

namespace {

template <class Map>
std::optional<DelayedJob> remove_from(Map& map, const typename Map::key_type& key) {
  const auto node = map.extract(key);
  if (node.empty()) return std::nullopt;
  return node.mapped();
}

}  // namespace

void DelayedJobs::insert(const DelayedJob& job) {
  if (job.run_at_ms) {
    by_wall_.emplace(std::pair{*job.run_at_ms, job.position.id}, job);
  } else {
    by_clock_.emplace(job.position, job);
  }
}

std::optional<DelayedJob> DelayedJobs::remove(const LanePosition& position, std::optional<WallMs> run_at_ms) {
  return run_at_ms ? remove_from(by_wall_, {*run_at_ms, position.id}) : remove_from(by_clock_, position);
}

std::optional<Instant> DelayedJobs::next_due() const {
  if (by_clock_.empty()) return std::nullopt;
  return by_clock_.begin()->first.ready_at;
}

std::optional<WallMs> DelayedJobs::next_run_at() const {
  if (by_wall_.empty()) return std::nullopt;
  return by_wall_.begin()->first.first;
}

std::vector<DelayedJob> DelayedJobs::take_due(Instant now, WallMs wall_now, std::int64_t most) {
  std::vector<DelayedJob> due;
  while (std::ssize(due) < most && !by_clock_.empty() && by_clock_.begin()->first.ready_at <= now) {
    due.push_back(by_clock_.extract(by_clock_.begin()).mapped());
  }
  while (std::ssize(due) < most && !by_wall_.empty() && by_wall_.begin()->first.first <= wall_now) {
    due.push_back(by_wall_.extract(by_wall_.begin()).mapped());
  }
  return due;
}

}  // namespace stint
