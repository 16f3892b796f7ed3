#include "actors/storage/job_board.hpp"

#include <algorithm>

#include "actors/jobs/backoff.hpp"

namespace stint {

namespace {

// The wall clock may jump at any time; it is looked at this often while a job waits for it.
constexpr Duration wall_look = std::chrono::seconds(1);

std::int64_t JobCounts::*counted_as(bool is_retry) {
  return is_retry ? &JobCounts::retrying : &JobCounts::scheduled;
}

}  // namespace

void JobBoard::wait(LaneGroup& group, const JobRow& row, Instant now, WallMs wall_now) {
  if (!is_delayed(row, now, wall_now)) return insert(group, row.priority, position_of(row));
  delayed.insert({&group, row.priority, is_retry(row), position_of(row), row.run_at_ms});
  count(group, counted_as(is_retry(row)), 1);
}

bool JobBoard::withdraw(const JobRow& row) {
  LaneGroup* group = lanes.find(row.queue, row.handler);
  if (group == nullptr) return false;
  if (lanes.remove(*group, row.priority, position_of(row))) {
    --totals_.waiting;
    return true;
  }
  const auto job = delayed.remove(position_of(row), row.run_at_ms);
  if (!job) return false;
  count(*group, counted_as(job->is_retry), -1);
  return true;
}

std::vector<LanePosition> JobBoard::move_due(Instant now, WallMs wall_now, std::int64_t most) {
  std::vector<LanePosition> corrected;
  for (DelayedJob& job : delayed.take_due(now, wall_now, most)) {
    count(*job.group, counted_as(job.is_retry), -1);
    if (const auto place = corrected_place(job.position.ready_at, now)) {
      job.position.ready_at = *place;
      corrected.push_back(job.position);
    }
    insert(*job.group, job.priority, job.position);
  }
  return corrected;
}

std::optional<Instant> JobBoard::next_due(Instant now, WallMs wall_now) const {
  std::optional<Instant> next = delayed.next_due();
  if (const auto run_at_ms = delayed.next_run_at()) {
    const Instant by_wall = std::min(later(now, *run_at_ms - wall_now), now + wall_look);
    next = next ? std::min(*next, by_wall) : by_wall;
  }
  return next;
}

std::vector<LaneHead> JobBoard::take(const std::vector<QueueCap>& queues, std::int64_t most,
                                     const NameSet& served, const Lanes::Admit& admit) {
  std::vector<LaneHead> taken = lanes.take(queues, most, served, admit);
  totals_.waiting -= std::ssize(taken);
  return taken;
}

void JobBoard::put_back(const LaneHead& taken) { insert(*taken.group, taken.priority, taken.position); }

void JobBoard::add_running(LaneGroup& group, std::int64_t difference) {
  count(group, &JobCounts::running, difference);
}

void JobBoard::bury(LaneGroup& group, const JobRow& row) {
  dead_.insert({row.ended_at_ms, row.id});
  count(group, &JobCounts::dead, 1);
}

void JobBoard::exhume(LaneGroup& group, const JobRow& row) {
  dead_.erase({row.ended_at_ms, row.id});
  count(group, &JobCounts::dead, -1);
}

std::optional<JobId> JobBoard::dead_before(WallMs before_ms) const {
  if (dead_.empty() || dead_.begin()->first >= before_ms) return std::nullopt;
  return dead_.begin()->second;
}

void JobBoard::end_load() {
  loading_ = false;
  lanes.loaded();
}

void JobBoard::count(LaneGroup& group, std::int64_t JobCounts::*which, std::int64_t difference) {
  group.counts.*which += difference;
  totals_.*which += difference;
  lanes.touch(group);
}

void JobBoard::insert(LaneGroup& group, int priority, const LanePosition& position) {
  ++totals_.waiting;
  if (loading_) {
    lanes.load(group, priority, position);
  } else {
    lanes.insert(group, priority, position);
  }
}

bool is_delayed(const JobRow& row, Instant now, WallMs wall_now) {
  return row.run_at_ms ? *row.run_at_ms > wall_now : row.ready_at > now;
}

bool is_retry(const JobRow& row) { return row.attempts > 0; }

LanePosition position_of(const JobRow& row) { return {row.ready_at, row.id}; }

std::optional<Instant> corrected_place(Instant foreseen, Instant now) {
  // Clocks that drift apart a little are no jump.
  if (foreseen <= now + wall_look) return std::nullopt;
  return now;
}

}  // namespace stint
