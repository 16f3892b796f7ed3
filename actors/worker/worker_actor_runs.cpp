// What becomes of the runs a worker holds: how they end, are reported, lost or cancelled.
#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "actors/worker/request_tag.hpp"
#include "actors/worker/results.hpp"
#include "actors/worker/worker_actor.hpp"
#include "protocol/time_words.hpp"

namespace stint {

namespace {

std::string name_of(const JobRun& run) {
  return "job " + std::to_string(run.id) + " run " + std::to_string(run.run);
}

// What a run that was told to stop is reported as: how it ended is the stop's doing, unless it says
// otherwise. What it said of its queue or handler holds all the same.
RunResult after_stop(RunResult&& result, const HeldRun& run) {
  if (result.outcome != Outcome::failed) return std::move(result);
  const JobRun key{result.id, result.run};
  const auto pause = result.pause;
  switch (run.stop) {
    case StopCause::timeout:
      result = failed(key, "timeout", "ran longer than its " + span_text(run.timeout_ms));
      break;
    case StopCause::cancelled:
      result = failed(key, "cancelled", "the job was cancelled");
      break;
    case StopCause::leaving:
      result = result_of(key, Outcome::released);
      break;
    case StopCause::none:
    case StopCause::lost:
      break;
  }
  result.pause = pause;
  return std::move(result);
}

// What stint itself says of the end. A handler's own words may hold some of the payload: `stint job show` has
// them, no log.
std::string reason_of(const RunResult& result) {
  constexpr std::array<std::string_view, 5> own{"timeout", "no_handler", "not_started", "stopped",
                                                "result_too_large"};
  if (!result.error) return std::string(to_string(result.outcome));
  const RunError& error = *result.error;
  if (std::find(own.begin(), own.end(), error.type) != own.end()) return error.message;
  return error.type.empty() ? "for a reason that it told the server" : error.type;
}

}  // namespace

void WorkerActor::on(RunProgress&& progress, Turn&) {
  if (HeldRun* run = runs_.find(progress.run))
    run->progress = std::clamp<std::int64_t>(progress.progress, 0, 100);
}

void WorkerActor::on(WorkerNotice&& notice, Turn& turn) { turn.send({Place::log, 0}, std::move(notice)); }

void WorkerActor::on(RunEnded&& ended, Turn& turn) {
  const JobRun key{ended.result.id, ended.result.run};
  const HeldRun* run = runs_.find(key);
  if (run == nullptr || run->state != HeldRun::State::running) return;
  settle_later(turn);
  if (run->stop == StopCause::lost) {
    ++summary_.unwanted;
    return forget(key);
  }
  RunResult result = after_stop(std::move(ended.result), *run);
  tell_of_failure(result, turn);
  end_run(std::move(result));
}

void WorkerActor::tell_of_failure(const RunResult& result, Turn& turn) {
  const bool is_failure = result.outcome == Outcome::failed || result.outcome == Outcome::dead;
  const HeldRun* run = runs_.find({result.id, result.run});
  assert(run != nullptr);
  if (!is_failure || run->stop == StopCause::cancelled) return;
  const bool is_last = result.outcome == Outcome::dead || run->attempt >= run->max_attempts;
  notice(WorkerNotice::Level::warning, "run_failed",
         name_of({result.id, result.run}) + " of handler " + run->handler + " failed at attempt " +
             std::to_string(run->attempt) + " of " + std::to_string(run->max_attempts) +
             (is_last ? ", the job is dead: " : ": ") + reason_of(result),
         turn);
}

void WorkerActor::stop_run(const JobRun& key, StopCause cause, Turn& turn) {
  HeldRun* run = runs_.find(key);
  assert(run != nullptr && run->state == HeldRun::State::running);
  const bool is_stopping = run->stop != StopCause::none;
  if (!is_stopping || cause == StopCause::lost) run->stop = cause;
  if (!is_stopping) turn.send({Place::runner, 0}, StopRun{key});
}

void WorkerActor::end_run(RunResult&& result) {
  runs_.end({result.id, result.run});
  result = fit_for_report(std::move(result), bounds_.result_bytes);
  switch (result.outcome) {
    case Outcome::completed:
      ++summary_.completed;
      break;
    case Outcome::failed:
      ++summary_.failed;
      break;
    case Outcome::dead:
      ++summary_.dead;
      break;
    case Outcome::snoozed:
      ++summary_.snoozed;
      break;
    case Outcome::released:
      ++summary_.released;
      break;
  }
  reports_.add(std::move(result));
}

// The server has taken the report, or never will.
void WorkerActor::close_run(RunResult&& result) {
  const JobRun key{result.id, result.run};
  if (const HeldRun* run = runs_.find(key)) undo_.closed.emplace_back(*run, std::move(result));
  forget(key);
}

void WorkerActor::committed(Instant) { undo_ = {}; }

void WorkerActor::rolled_back(Turn&) {
  // Their batches were undone with the turn, and the runner has not heard of them.
  for (const JobRun& key : undo_.started) forget(key);
  taken_ -= std::ssize(undo_.started);
  for (auto& [run, result] : undo_.closed) {
    asks_.hold(run.queue);
    runs_.put_back({result.id, result.run}, std::move(run));
    reports_.add(std::move(result));
  }
  undo_ = {};
}

// The server is done with the run, or never wants to hear of it: its permit is free.
void WorkerActor::forget(const JobRun& key) {
  const HeldRun* run = runs_.find(key);
  if (run == nullptr) return;
  asks_.give_back(run->queue);
  runs_.erase(key);
  // Its end may have made a job ready: who drains must look again.
  if (options_.drain && !options_.once) asks_.allow_all();
}

// --- Reports ---

void WorkerActor::on(Finished&& finished, Turn& turn) {
  std::vector<RunResult> results = reports_.close(from_tag(turn.answer_to()).number);
  std::vector<bool> is_settled(results.size());
  const auto settle_one = [&](std::int64_t at) -> RunResult* {
    if (at < 0 || at >= std::ssize(results) || is_settled[static_cast<std::size_t>(at)]) return nullptr;
    is_settled[static_cast<std::size_t>(at)] = true;
    return &results[static_cast<std::size_t>(at)];
  };
  for (const std::int64_t at : finished.accepted) {
    if (RunResult* result = settle_one(at)) close_run(std::move(*result));
  }
  for (const StaleResult& stale : finished.stale) {
    RunResult* result = settle_one(stale.at);
    if (result == nullptr) continue;
    const JobRun key{result->id, result->run};
    ++summary_.stale;
    notice(WorkerNotice::Level::warning, "result_stale",
           "the server refused the result of " + name_of(key) + " as stale: " + stale.reason, turn);
    close_run(std::move(*result));
  }
  for (const Finish::Faulty& fault : finished.rejected) {
    if (RunResult* result = settle_one(fault.at)) {
      reject(std::move(*result), fault.field + (fault.field.empty() ? "" : ": ") + fault.message, turn);
    }
  }
  for (std::size_t at = 0; at < results.size(); ++at) {
    if (!is_settled[at]) reports_.add(std::move(results[at]));
  }
  settle_later(turn);
}

// A result the server cannot take is told as a failure once, so that its job ends with the reason and not as
// lost.
void WorkerActor::reject(RunResult&& result, const std::string& why, Turn& turn) {
  const JobRun key{result.id, result.run};
  notice(WorkerNotice::Level::error, "result_rejected",
         "the server rejected the result of " + name_of(key) + ": " + why, turn);
  if (result.error && result.error->type == "result_rejected") return forget(key);
  reports_.add(failed(key, "result_rejected", "the server rejected the result: " + why));
}

// --- Heartbeats ---

void WorkerActor::on(HeartbeatOk&& beat, Turn& turn) {
  if (phase_ != Phase::working) return;
  if (from_tag(turn.answer_to()).number == parked_beat_) {
    parked_beat_ = 0;
    // Something that keeps changing must not keep both sides busy with heartbeats.
    beat_due_at_ = std::min(beat_due_at_, std::max(turn.now(), beat_sent_at_ + beat_interval() / 20));
  }
  for (const JobRun& key : beat.lost) lose(key, turn);
  for (const JobRun& key : beat.cancel) cancel(key, turn);
  is_quiet_ = beat.state == SessionState::quiet;
  if (beat.state == SessionState::stop && !is_stopping_) begin_stop(turn);
  settle_later(turn);
}

void WorkerActor::lose(const JobRun& key, Turn& turn) {
  const HeldRun* run = runs_.find(key);
  // Of one that has ended the answer to its report tells: it may have been accepted meanwhile.
  if (run == nullptr || run->state == HeldRun::State::ended || run->stop == StopCause::lost) return;
  notice(WorkerNotice::Level::warning, "lease_lost",
         name_of(key) + " is stopped: its lease has ended, its result is no longer wanted", turn);
  if (run->state == HeldRun::State::arrived) return forget(key);
  stop_run(key, StopCause::lost, turn);
}

void WorkerActor::cancel(const JobRun& key, Turn& turn) {
  const HeldRun* run = runs_.find(key);
  if (run == nullptr || run->state == HeldRun::State::ended) return;
  if (run->state == HeldRun::State::arrived)
    return end_run(failed(key, "cancelled", "the job was cancelled"));
  stop_run(key, StopCause::cancelled, turn);
}

}  // namespace stint
