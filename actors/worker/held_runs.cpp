#include "actors/worker/held_runs.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stint {

bool HeldRuns::add(LeasedJob&& job, std::int64_t timeout_ms) {
  const auto [at, added] = runs_.try_emplace(JobRun{job.id, job.run});
  if (!added) return false;
  HeldRun& run = at->second;
  run.queue = job.queue;
  run.handler = job.handler;
  run.attempt = job.attempt;
  run.max_attempts = job.max_attempts;
  run.lease_ms = job.lease_ms;
  run.timeout_ms = timeout_ms;
  run.progress = job.progress;
  run.job = std::move(job);
  new_.push_back(at->first);
  return true;
}

HeldRun* HeldRuns::find(const JobRun& run) {
  const auto found = runs_.find(run);
  return found == runs_.end() ? nullptr : &found->second;
}

void HeldRuns::erase(const JobRun& key) {
  const auto found = runs_.find(key);
  if (found == runs_.end()) return;
  deadlines_.erase({found->second.deadline, key});
  runs_.erase(found);
}

LeasedJob HeldRuns::start(const JobRun& key, Instant now) {
  HeldRun& run = runs_.at(key);
  assert(run.state == HeldRun::State::arrived && run.job);
  run.state = HeldRun::State::running;
  run.deadline = now + from_ms(run.timeout_ms);
  deadlines_.emplace(run.deadline, key);
  LeasedJob job = std::move(*run.job);
  run.job.reset();
  job.timeout_ms = run.timeout_ms;
  return job;
}

void HeldRuns::end(const JobRun& key) {
  HeldRun& run = runs_.at(key);
  deadlines_.erase({run.deadline, key});
  run.state = HeldRun::State::ended;
  run.job.reset();
}

std::vector<JobRun> HeldRuns::take_new() {
  std::vector<JobRun> arrived = std::exchange(new_, {});
  std::erase_if(arrived, [&](const JobRun& key) {
    const HeldRun* run = find(key);
    return run == nullptr || run->state != HeldRun::State::arrived;
  });
  return arrived;
}

std::vector<JobRun> HeldRuns::take_overdue(Instant now) {
  std::vector<JobRun> overdue;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    overdue.push_back(deadlines_.begin()->second);
    deadlines_.erase(deadlines_.begin());
  }
  return overdue;
}

std::vector<RunningJob> HeldRuns::leased() const {
  std::vector<RunningJob> jobs;
  for (const auto& [key, run] : runs_) {
    if (run.stop != StopCause::lost) jobs.push_back({key.id, key.run, run.progress});
  }
  return jobs;
}

std::int64_t HeldRuns::shortest_lease_ms(std::int64_t otherwise) const {
  for (const auto& [key, run] : runs_) otherwise = std::min(otherwise, run.lease_ms);
  return otherwise;
}

std::vector<JobRun> HeldRuns::arrived() const { return in_state(HeldRun::State::arrived); }
std::vector<JobRun> HeldRuns::running() const { return in_state(HeldRun::State::running); }

std::vector<JobRun> HeldRuns::in_state(HeldRun::State state) const {
  std::vector<JobRun> found;
  for (const auto& [key, run] : runs_) {
    if (run.state == state) found.push_back(key);
  }
  return found;
}

}  // namespace stint
