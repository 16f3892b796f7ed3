// What each watch makes of a start on a restored backup (rule L10). Of jobs, sessions and records it knows
// from then on what the copy holds. Of starts it knows all that there were: they count against limits
// wherever they were made.
#include <algorithm>
#include <functional>

#include "tests/sim/world/checker.hpp"

namespace stint::sim {

namespace {

using test::MemoryDisk;

// Each run that was on when the copy was taken, with its batch.
void each_run(const MemoryDisk& copy, const std::function<void(const JobRun&, const ReceiptRow&)>& visit) {
  for (const auto& [id, receipt] : copy.receipts) {
    for (const JobRun& run : receipt.runs) {
      const auto job = copy.jobs.find(run.id);
      if (job != copy.jobs.end() && job->second.runs + 1 == run.run) visit(run, receipt);
    }
  }
}

// Whether a job of the copy is ready. The clock goes on from the stamp that the copy knows: what was ready
// after that may have to wait for it.
bool is_ready(const MemoryDisk& copy, JobId id, Instant now) {
  const auto job = copy.jobs.find(id);
  return job != copy.jobs.end() && job->second.ready_at <= now;
}

}  // namespace

// --- Checker ---

void Checker::restored(const MemoryDisk& copy) {
  void_logs();
  void_runs_after(copy);
  void_jobs_after(copy.header.last_job);
  take_rows(copy);
  over_now_ = {};
  got_now_.clear();
  named_now_.clear();
  batches_.clear();
}

void Checker::void_logs() {
  for (const auto& [id, job] : jobs_) {
    for (const auto& [run, log] : job.logs) void_logs_.insert({log.run, session_ids_[log.session]});
  }
}

// Producers may still hear that they were taken: nobody says more of them.
void Checker::void_jobs_after(JobId last) {
  for (auto job = jobs_.upper_bound(last); job != jobs_.end(); job = jobs_.erase(job)) {
    void_jobs_.insert(job->first);
    tokens_.erase(job->second.token);
  }
  std::erase_if(acknowledged_, [&](JobId id) { return id > last; });
  for (auto& [key, sent] : sent_) {
    if (sent.ids && !sent.ids->empty() && sent.ids->back() > last) sent.ids.reset();
  }
}

// Runs that the copy does not know of may be handed out again, under the same numbers, and to the same
// session.
void Checker::void_runs_after(const MemoryDisk& copy) {
  std::set<JobRun> on;
  each_run(copy, [&](const JobRun& run, const ReceiptRow&) { on.insert(run); });
  const auto is_void = [&](const JobRun& run) {
    if (run.id > copy.header.last_job) return true;
    const auto job = copy.jobs.find(run.id);
    return job != copy.jobs.end() && run.run > job->second.runs && !on.contains(run);
  };
  for (auto handed = handed_out_.begin(); handed != handed_out_.end();) {
    const auto& [run, session] = *handed;
    if (!is_void(run)) {
      ++handed;
      continue;
    }
    void_runs_[{run, session}] = {arrived_.erase(run) > 0, started_.erase(run) > 0};
    handed = handed_out_.erase(handed);
  }
}

void Checker::take_rows(const MemoryDisk& copy) {
  for (const auto& [id, row] : copy.jobs) {
    JobRecord& job = jobs_.at(id);
    job.runs = row.runs;
    job.attempts = row.attempts;
    job.lost = row.lost;
    job.undelivered = row.undelivered;
    job.cancelled = row.cancel_requested;
    job.deleted = false;
    job.receipt.reset();
    job.final.reset();
    if (row.dead) job.final = JobState::dead;
    std::erase_if(job.logs, [&](const auto& log) { return !copy.logs.contains(log.second.run); });
  }
  receipts_.clear();
  for (const auto& [id, row] : copy.receipts) receipts_[id].row = row;
  each_run(copy, [&](const JobRun& run, const ReceiptRow& row) {
    receipts_.at(row.id).open.insert(run);
    jobs_.at(run.id).receipt = row.id;
  });
  session_ids_.clear();
  for (const auto& [number, row] : copy.sessions) session_ids_[number] = row.id;
}

// A worker that holds such a run of before need not begin with it again, but it may.
void Checker::hand_out(const std::set<JobRun>& batch, const SessionId& session) {
  for (const JobRun& run : batch) {
    handed_out_[run] = session;
    const auto before = void_runs_.extract({run, session});
    if (before.empty()) continue;
    if (before.mapped().arrived) arrived_.insert(run);
    if (before.mapped().started && started_.insert(run).second) may_start_twice_.insert(run);
  }
}

// --- Limits ---

void LimitChecker::restored(const MemoryDisk& copy) {
  for (auto& [name, named] : watched_) {
    std::erase_if(named.records, [](const auto& record) { return record.first != LimitSource::config; });
    named.running = 0;
    named.paused_until = {};
    named.window.void_runs();
  }
  for (const auto& [key, row] : copy.limits) watched({row.scope, row.name}).records[row.source] = row.limit;
  for (const auto& [key, row] : copy.gates) apply(row);
  for (auto& [name, named] : watched_) resolve(name, named);
  std::erase_if(jobs_, [&](const auto& job) { return job.first > copy.header.last_job; });
  const Instant now(world_.now() + ahead_);
  for (auto& [lane, ids] : lanes_) std::erase_if(ids, [&](JobId id) { return !is_ready(copy, id, now); });
  for (const auto& [id, row] : copy.jobs) {
    jobs_.at(id).runs = row.runs;
    jobs_.at(id).attempts = row.attempts;
  }
  each_run(copy, [this](const JobRun& run, const ReceiptRow&) {
    const Job& job = jobs_.at(run.id);
    ++watched({LimitScope::queue, job.queue}).running;
    ++watched({LimitScope::handler, job.handler}).running;
  });
}

void IdleWatch::restored(const MemoryDisk& copy) {
  restored_at_ = world_.now();
  awaits_first_commit_ = true;
  sessions_.clear();
  const Instant now(world_.now() + ahead_);
  for (auto& [lane, ids] : ready_) std::erase_if(ids, [&](JobId id) { return !is_ready(copy, id, now); });
  for (auto& [name, room] : rooms_) room.running = 0;
  each_run(copy, [this](const JobRun& run, const ReceiptRow&) {
    const Job& job = jobs_.at(run.id);
    ++rooms_[{LimitScope::queue, job.queue}].running;
    ++rooms_[{LimitScope::handler, job.handler}].running;
  });
}

// --- Time ---

void EarlyWatch::restored(const MemoryDisk& copy) {
  const Instant now = at(world_.now());
  for (auto& [group, waiting] : waiting_) {
    std::erase_if(waiting, [&](const auto& job) { return !is_ready(copy, job.second, now); });
  }
  for (const auto& [id, row] : copy.jobs) {
    Job& job = jobs_.at(id);
    job.due.reset();
    if (!row.run_at_ms) job.due = row.ready_at;
  }
}

void LeaseWatch::restored(const MemoryDisk& copy) {
  last_void_ = std::max(last_void_, copy.header.last_session);
  for (const auto& [number, session] : sessions_) {
    void_sessions_.insert(session.row.id);
    last_void_ = std::max(last_void_, number);
  }
  sessions_.clear();
  leases_.clear();
}

}  // namespace stint::sim
