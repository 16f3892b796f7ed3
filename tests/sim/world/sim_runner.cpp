#include "tests/sim/world/sim_runner.hpp"

#include <utility>

namespace stint::sim {

namespace {

RunResult result_of(const LeasedJob& job, const JobPlan& plan) {
  RunResult result;
  result.id = job.id;
  result.run = job.run;
  if (plan.pause_ms > 0 && job.run == 1) {
    result.pause = PauseReport{plan.pauses_queue ? LimitScope::queue : LimitScope::handler, plan.pause_ms};
  }
  switch (plan.deed) {
    case Deed::fail:
      if (job.attempt > plan.times) break;
      result.outcome = Outcome::failed;
      result.error = RunError{"planned", "attempt " + std::to_string(job.attempt), ""};
      return result;
    case Deed::give_up:
      result.outcome = Outcome::dead;
      return result;
    case Deed::snooze:
      if (job.run > plan.times) break;
      result.outcome = Outcome::snoozed;
      result.retry_in_ms = 200;
      return result;
    case Deed::release:
      if (job.run > plan.times) break;
      result.outcome = Outcome::released;
      return result;
    default:
      break;
  }
  result.outcome = Outcome::completed;
  result.result = Payload{plan.token, true};
  return result;
}

}  // namespace

void SimRunner::start(StartRun&& start) {
  const LeasedJob& job = start.job;
  const JobRun run{job.id, job.run};
  const JobPlan plan = from_payload(job.payload);
  world_.trace("session " + to_string(session_).substr(0, 6) + " starts job " + std::to_string(run.id) +
               " run " + std::to_string(run.run));
  checker_.started(session_, run);
  running_.emplace(run, plan);
  const Duration took = plan.took_ms * millisecond;
  if (plan.deed == Deed::hang && job.attempt <= plan.times) return;
  if (plan.deed != Deed::kill) return end_after(took, run, result_of(job, plan));
  world_.after(took, [this, alive = alive_] {
    if (*alive) node_.kill();
  });
}

void SimRunner::stop(const JobRun& run) {
  if (!running_.contains(run)) return;
  RunResult result;
  result.id = run.id;
  result.run = run.run;
  result.outcome = Outcome::failed;
  result.error = RunError{"stopped", "it was told to stop", ""};
  end_after(1 * millisecond, run, std::move(result));
}

void SimRunner::end_after(Duration delay, const JobRun& run, RunResult result) {
  world_.after(delay, [this, run, result = std::move(result), alive = alive_] {
    if (!*alive || running_.erase(run) == 0) return;
    said_.push_back(RunEnded{result});
    node_.wake();
  });
}

}  // namespace stint::sim
