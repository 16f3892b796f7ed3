#include "storage/pruner.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace stint {

namespace {

constexpr std::int64_t page_bytes = 8192;
// Free pages are kept for what comes next; only when they are many, and a large share, the file is made
// smaller.
constexpr std::int64_t free_pages_kept = 1024;
constexpr std::int64_t free_share_kept = 4;  // a quarter of the file
constexpr std::int64_t pages_given_back = 128;
constexpr std::int64_t runs_kept = 100;  // of a job that has not ended well

}  // namespace

void Pruner::spend(std::int64_t bytes) { budget_ -= 1 + bytes / page_bytes; }

Pruner::Outcome Pruner::run(const PruneLimits& limits) {
  const auto changes = database_.changes();
  budget_ = std::max<std::int64_t>(limits.rows, 1);
  pages_moved_ = false;
  while (budget_ > 0 && stage_ != Stage::over && run_stage(limits)) {
    stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
  }
  const bool over = stage_ == Stage::over;
  if (over) stage_ = Stage::events;
  return {.more = !over, .changed = pages_moved_ || database_.changes() != changes};
}

bool Pruner::run_stage(const PruneLimits& limits) {
  switch (stage_) {
    case Stage::events:
      return prune_events(limits);
    case Stage::topics:
      return prune_topics();
    case Stage::batch_keys:
      return prune_batch_keys(limits);
    case Stage::sessions:
      return prune_sessions(limits);
    case Stage::dead_jobs:
      return prune_dead_jobs(limits);
    case Stage::logs:
      return prune_logs(limits);
    case Stage::free_pages:
      return give_back_pages();
    case Stage::over:
      break;
  }
  return true;
}

// A row's own stamp is that of the commit before it; the row after it tells when it was written. So the
// newest row is never deleted, as nothing tells its age.
bool Pruner::prune_events(const PruneLimits& limits) {
  std::int64_t all_bytes = 0;
  if (auto rows = newest_events_.query(); rows.next()) all_bytes = rows.integer();
  std::int64_t last_to_go = 0;
  bool over = true;
  std::int64_t previous = 0;
  std::int64_t bytes_from_previous = 0;
  for (auto rows = oldest_events_.query(budget_ + 1); rows.next();) {
    const auto seq = rows.integer();
    const auto stamp_ms = rows.integer();
    const auto bytes_from_here = all_bytes - rows.integer();
    if (previous != 0) {
      const bool too_old = stamp_ms < limits.events_before_ms;
      const bool too_many = bytes_from_previous > limits.events_bytes;
      if (!too_old && !too_many) break;
      last_to_go = previous;
      spend(bytes_from_previous - bytes_from_here);
      over = budget_ > 0;
      if (!over) break;
    }
    previous = seq;
    bytes_from_previous = bytes_from_here;
  }
  if (last_to_go != 0) erase_events_.run(last_to_go);
  return over;
}

// A topic whose newest message is no longer kept: nobody can read that message any more.
bool Pruner::prune_topics() {
  std::vector<std::string> old;
  bool over = true;
  const std::string from = topic_cursor_;
  for (auto rows = topics_.query(from, budget_); rows.next();) {
    topic_cursor_ = rows.bytes();
    if (rows.boolean()) old.push_back(topic_cursor_);
    spend(0);
    over = budget_ > 0;
  }
  for (const auto& topic : old) erase_topic_.run(topic);
  if (over) topic_cursor_.clear();
  return over;
}

// Keys are numbered as they came, so the oldest and those beyond the number kept are at one end.
bool Pruner::prune_batch_keys(const PruneLimits& limits) {
  std::int64_t last_to_go = 0;
  bool over = true;
  for (auto rows = oldest_keys_.query(budget_); rows.next();) {
    const auto number = rows.integer();
    const auto at = rows.instant();
    const auto newest = rows.integer();
    if (at >= limits.batch_keys_before && newest - number < limits.batch_keys) break;
    last_to_go = number;
    spend(0);
    over = budget_ > 0;
  }
  if (last_to_go != 0) erase_keys_.run(last_to_go);
  return over;
}

// A session that still has a receipt is kept: its leases may live on after a long rest of the server.
bool Pruner::prune_sessions(const PruneLimits& limits) {
  std::vector<SessionNumber> old;
  bool over = true;
  for (auto rows = sessions_.query(limits.sessions_before, session_cursor_, budget_); rows.next();) {
    session_cursor_ = rows.integer();
    if (rows.boolean()) old.push_back(session_cursor_);
    spend(0);
    over = budget_ > 0;
  }
  std::set<SessionNumber> busy;
  if (!old.empty()) {
    for (auto rows = busy_sessions_.query(); rows.next();) busy.insert(rows.integer());
  }
  for (const auto number : old) {
    if (!busy.contains(number)) erase_session_.run(number);
  }
  if (over) session_cursor_ = 0;
  return over;
}

bool Pruner::prune_dead_jobs(const PruneLimits& limits) {
  if (limits.dead_before_ms <= 0) return true;
  std::vector<JobId> old;
  bool over = true;
  for (auto rows = jobs_.query(limits.dead_before_ms, job_cursor_, budget_); rows.next();) {
    job_cursor_ = rows.integer();
    const bool to_go = rows.boolean();
    if (to_go) old.push_back(job_cursor_);
    spend(to_go ? rows.integer() : 0);
    over = budget_ > 0;
    if (!over) break;
  }
  for (const auto id : old) {
    erase_job_.run(id);
    erase_payload_.run(id);
    erase_logs_of_.run(id);
  }
  if (over) job_cursor_ = 0;
  return over;
}

// Of a job that is still there, dead or alive, the newest runs stay: they tell what was wrong. Not all: a job
// may snooze for ever.
bool Pruner::prune_logs(const PruneLimits& limits) {
  std::vector<JobRun> old;
  bool over = true;
  for (auto rows = logs_.query(limits.logs_before_ms, runs_kept, log_cursor_.id, log_cursor_.run, budget_);
       rows.next();) {
    log_cursor_.id = rows.integer();
    log_cursor_.run = rows.integer();
    const bool to_go = rows.boolean();
    if (to_go) old.push_back(log_cursor_);
    spend(to_go ? rows.integer() : 0);
    over = budget_ > 0;
    if (!over) break;
  }
  for (const auto& run : old) erase_log_.run(run.id, run.run);
  if (over) log_cursor_ = JobRun{};
  return over;
}

bool Pruner::give_back_pages() {
  const auto free = database_.integer_of("PRAGMA freelist_count");
  const auto all = database_.integer_of("PRAGMA page_count");
  if (free <= free_pages_kept || free * free_share_kept <= all) return true;
  database_.execute("PRAGMA incremental_vacuum(" + std::to_string(pages_given_back) + ")");
  pages_moved_ = true;
  budget_ = 0;
  return false;
}

}  // namespace stint
