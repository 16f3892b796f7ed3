#include "tests/sim/world/early_watch.hpp"

namespace stint::sim {

namespace {

// Storage counts from the beginning of its turn.
constexpr Duration tolerance = 5 * millisecond;
// Less than any job is delayed by.
constexpr Duration shortest_delay = 900 * microsecond;

std::string name_of(JobId id) { return "job " + std::to_string(id); }
std::optional<Instant> due(Instant ready_at, const std::optional<WallMs>& run_at_ms) {
  return run_at_ms ? std::nullopt : std::optional(ready_at);
}

std::string in_ms(Duration span) { return std::to_string(span / millisecond) + " ms"; }

}  // namespace

void EarlyWatch::committed(const std::vector<StoreChange>& changes) {
  failed_.clear();
  for (const StoreChange& change : changes) {
    std::visit([&](const auto& one) { apply(one); }, change);
  }
}

void EarlyWatch::apply(const JobInserted& inserted) {
  const JobRow& row = inserted.row;
  const Job job{row.queue, row.handler, row.priority, due(row.ready_at, row.run_at_ms)};
  if (job.due && *job.due <= at(world_.turn_began()) + shortest_delay) {
    waiting_[{job.queue, job.handler}].insert({job.priority, row.id});
  }
  jobs_[row.id] = job;
}

void EarlyWatch::apply(const JobChange& change) {
  Job& job = jobs_.at(change.id);
  job.due = due(change.ready_at, change.run_at_ms);
  if (change.dead) {
    waiting_[{job.queue, job.handler}].erase({job.priority, change.id});
  } else if (failed_.contains(change.id)) {
    check_retry(job, change.id);
  }
}

void EarlyWatch::apply(const JobDeleted& deleted) {
  const Job& job = jobs_.at(deleted.id);
  waiting_[{job.queue, job.handler}].erase({job.priority, deleted.id});
}

void EarlyWatch::apply(const LogRow& row) {
  if (row.end == RunEnd::failed || row.end == RunEnd::timed_out) failed_.insert(row.run.id);
}

void EarlyWatch::apply(const ReceiptRow& row) {
  for (const JobRun& run : row.runs) {
    const Job& job = jobs_.at(run.id);
    if (job.due && *job.due > at(world_.now()) + tolerance) {
      world_.fail("D10", name_of(run.id) + " is handed out " + in_ms(*job.due - at(world_.now())) +
                             " before it is due");
    }
    check_order(job, run.id);
  }
}

// Nobody here says when a job that failed is to be tried again.
void EarlyWatch::check_retry(const Job& job, JobId id) {
  const double first_ms = static_cast<double>(defaults_.backoff_first_ms);
  const auto shortest_ms = static_cast<std::int64_t>(first_ms * (1 - defaults_.backoff_jitter));
  const Instant now = at(world_.turn_began());
  if (!job.due || *job.due >= now + shortest_ms * millisecond - tolerance) return;
  world_.fail("D7", name_of(id) + " is tried again " + in_ms(*job.due - now) + " after it failed");
}

// A more urgent one of the same queue and handler passes the same limits, and the same workers serve it.
void EarlyWatch::check_order(const Job& job, JobId id) {
  auto& waiting = waiting_[{job.queue, job.handler}];
  if (waiting.erase({job.priority, id}) == 0 || waiting.empty()) return;
  const auto [priority, first] = *waiting.begin();
  if (priority >= job.priority) return;
  world_.fail("L6", name_of(id) + " of priority " + std::to_string(job.priority) + " starts before " +
                        name_of(first) + " of priority " + std::to_string(priority));
}

}  // namespace stint::sim
