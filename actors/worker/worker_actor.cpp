#include "actors/worker/worker_actor.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

#include "actors/worker/queue_permits.hpp"
#include "actors/worker/request_tag.hpp"
#include "actors/worker/results.hpp"
#include "actors/worker/shares.hpp"
#include "protocol/time_words.hpp"

namespace stint {

namespace {

constexpr Duration hello_spacing = std::chrono::milliseconds(500);
constexpr Duration refused_pause = std::chrono::seconds(5);

std::map<std::string, std::int64_t> cut_permits(std::map<std::string, std::int64_t> permits) {
  std::int64_t left = WorkerOptions::most_permits;
  for (auto& [queue, count] : permits) left -= count = std::clamp<std::int64_t>(count, 0, left);
  std::erase_if(permits, [](const auto& queue) { return queue.second == 0; });
  return permits;
}

std::unique_ptr<Permits> permits_of(const WorkerOptions& options) {
  if (!options.workers) return std::make_unique<QueuePermits>(cut_permits(options.queues));
  const auto workers = std::min(*options.workers, WorkerOptions::most_permits);
  return std::make_unique<Shares>(workers, options.shares);
}

std::int64_t positive_or(std::int64_t value, std::int64_t otherwise) { return value > 0 ? value : otherwise; }

Instant retry_at(const Error& error, Instant now) {
  return now + from_ms(std::clamp<std::int64_t>(error.retry_in_ms.value_or(0), 10, 60'000));
}

std::string stopping_text(std::size_t runs, Duration grace) {
  if (runs == 0) return "stopping: nothing runs";
  return "stopping: " + (runs == 1 ? "1 run has" : std::to_string(runs) + " runs have") +
         " a grace time of " + span_text(to_ms(grace));
}

}  // namespace

WorkerActor::WorkerActor(WorkerOptions options) : options_(std::move(options)), asks_(permits_of(options_)) {
  if (options_.once) options_.max_jobs = 1;
  const Bounds bounds;
  const Defaults defaults;
  bounds_.result_bytes = bounds.result_bytes;
  bounds_.jobs_per_request = bounds.jobs_per_request;
  defaults_.lease_ms = defaults.lease_ms;
  defaults_.timeout_ms = defaults.timeout_ms;
  defaults_.wait_ms = defaults.wait_ms;
}

void WorkerActor::on(Started&&, Turn& turn) {
  if (options_.give_up_after) give_up_at_ = turn.now() + *options_.give_up_after;
  settle_later(turn);
}

void WorkerActor::on(WorkTick&&, Turn& turn) {
  settles_ = false;
  if (armed_at_ <= turn.now()) armed_at_ = never;
  settle(turn);
}

void WorkerActor::settle_later(Turn& turn) {
  if (std::exchange(settles_, true)) return;
  turn.send({Place::worker, 0}, WorkTick{});
}

// --- The session ---

void WorkerActor::on(Welcome&& welcome, Turn& turn) {
  if (phase_ == Phase::stopped || welcomed_) return;
  welcomed_ = was_welcomed_ = true;
  was_put_off_ = false;
  give_up_at_ = never;
  const Bounds bounds;
  bounds_.result_bytes = positive_or(welcome.bounds.result_bytes, bounds.result_bytes);
  bounds_.jobs_per_request = positive_or(welcome.bounds.jobs_per_request, bounds.jobs_per_request);
  const Defaults defaults;
  defaults_.lease_ms = positive_or(welcome.defaults.lease_ms, defaults.lease_ms);
  defaults_.timeout_ms = positive_or(welcome.defaults.timeout_ms, defaults.timeout_ms);
  defaults_.wait_ms = std::min(positive_or(welcome.defaults.wait_ms, defaults.wait_ms), Bounds::wait_ms);
  asks_.set_homes(welcome.homes);
  notice(WorkerNotice::Level::info, "welcomed",
         "welcomed by server " + welcome.server + ", version " + welcome.version, turn);
  repeat_all(turn.now());
  settle_later(turn);
}

void WorkerActor::introduce_again(Instant at) {
  welcomed_ = false;
  hello_.send_at(at);
}

void WorkerActor::repeat_all(Instant now) {
  asks_.repeat_all(now);
  reports_.repeat_all(now);
  parked_beat_ = 0;
  beat_due_at_ = now;
}

void WorkerActor::on(LinkUp&&, Turn& turn) {
  // What it told its runner may be undone too, where it shares a commit.
  if (phase_ == Phase::stopped) turn.send({Place::runner, 0}, WorkerStopped{});
  for (const JobRun& key : runs_.running()) {
    if (runs_.find(key)->stop != StopCause::none) turn.send({Place::runner, 0}, StopRun{key});
  }
  link_is_up_ = true;
  hello_.send_at(turn.now());
  repeat_all(turn.now());
  settle_later(turn);
}

void WorkerActor::on(LinkDown&&, Turn&) { link_is_up_ = false; }

void WorkerActor::on(StopWork&&, Turn& turn) {
  if (is_stopping_) {
    grace_ends_at_ = std::min(grace_ends_at_, turn.now());
  } else {
    begin_stop(turn);
  }
  settle_later(turn);
}

void WorkerActor::begin_stop(Turn& turn) {
  is_stopping_ = true;
  grace_ends_at_ = turn.now() + options_.grace;
  notice(WorkerNotice::Level::info, "stopping", stopping_text(runs_.running().size(), options_.grace), turn);
  for (const JobRun& key : runs_.arrived()) end_run(result_of(key, Outcome::released));
}

void WorkerActor::on(Farewell&&, Turn& turn) {
  if (phase_ == Phase::leaving) stop(turn);
}

void WorkerActor::on(Error&& error, Turn& turn) {
  if (phase_ == Phase::stopped) return;
  const auto [kind, number] = from_tag(turn.answer_to());
  if (kind == RequestKind::goodbye) return stop(turn);
  if (kind == RequestKind::hello) {
    if (!welcomed_) hello_failed(error, turn);
  } else if (error.code == ErrorCode::unknown_session) {
    if (welcomed_) introduce_again(std::max(turn.now(), hello_sent_at_ + hello_spacing));
  } else if (kind == RequestKind::ask) {
    ask_failed(number, error, turn);
  } else if (kind == RequestKind::finish) {
    finish_failed(number, error, turn);
  } else if (kind == RequestKind::heartbeat && number == parked_beat_) {
    beat_failed(error, turn);
  }
  settle_later(turn);
}

void WorkerActor::hello_failed(const Error& error, Turn& turn) {
  if (error.retry_in_ms) {
    if (!std::exchange(was_put_off_, true)) {
      notice(WorkerNotice::Level::warning, "hello_put_off",
             "the server cannot take this worker yet, trying on: " + error.message, turn);
    }
    return hello_.send_at(retry_at(error, turn.now()));
  }
  notice(WorkerNotice::Level::error, "hello_refused", error.message, turn);
  hello_.send_at(turn.now() + refused_pause);
  // One that runs jobs keeps trying: they go on, and an operator may put right what is wrong.
  if (was_welcomed_) return;
  summary_.refusal = error;
  leave(WorkEnd::refused, turn);
}

void WorkerActor::finish_failed(std::int64_t number, const Error& error, Turn& turn) {
  if (error.retry_in_ms) return reports_.repeat(number, retry_at(error, turn.now()));
  for (RunResult& result : reports_.close(number)) reject(std::move(result), error.message, turn);
}

void WorkerActor::beat_failed(const Error& error, Turn& turn) {
  parked_beat_ = 0;
  if (error.retry_in_ms) {
    beat_due_at_ = std::min(beat_due_at_, retry_at(error, turn.now()));
  } else {
    notice(WorkerNotice::Level::warning, "heartbeat_refused", error.message, turn);
  }
}

// --- Batches ---

void WorkerActor::on(Batch&& batch, Turn& turn) {
  const std::int64_t ask = from_tag(turn.answer_to()).number;
  const auto answered = asks_.answer(ask, batch, turn.now());
  // Leaving: the goodbye releases what is in it.
  if (phase_ != Phase::working) return;
  // Not open: the answer of a repeated ask came twice.
  if (!answered && (batch.jobs.empty() || !asks_.was_empty(ask))) return;
  if (batch.jobs.empty()) take_empty(*answered, batch, turn.now());
  for (LeasedJob& job : batch.jobs) take_job(std::move(job), turn);
  if (!batch.jobs.empty()) newest_batch_ = std::max(newest_batch_, ask);
  settle_later(turn);
}

void WorkerActor::take_job(LeasedJob&& job, Turn& turn) {
  const JobRun key{job.id, job.run};
  const std::string queue = job.queue;
  const auto handler = options_.handlers.find(job.handler);
  const bool is_served = handler != options_.handlers.end();
  std::int64_t timeout_ms = positive_or(job.timeout_ms.value_or(0), defaults_.timeout_ms);
  if (is_served) timeout_ms = std::min(timeout_ms, handler->second.timeout_ms.value_or(timeout_ms));
  const std::string handler_name = job.handler;
  beat_due_at_ = std::min(beat_due_at_, turn.now() + from_ms(job.lease_ms) / 3);
  if (!runs_.add(std::move(job), timeout_ms)) return;

  const bool has_permit = asks_.has_permit(queue);
  asks_.hold(queue);
  ++taken_;
  if (is_stopping_ || !has_permit) return end_run(result_of(key, Outcome::released));
  if (!is_served) {
    RunResult result =
        failed(key, "no_handler", "worker " + options_.worker + " serves no handler " + handler_name);
    tell_of_failure(result, turn);
    end_run(std::move(result));
  }
}

void WorkerActor::take_empty(const Asks::Closed& answered, const Batch& batch, Instant now) {
  const EmptyReason reason = batch.reason.value_or(EmptyReason::none);
  const bool is_held_back = reason == EmptyReason::limited || reason == EmptyReason::paused;
  // Of several homes, the one that had work tells more.
  if (!options_.once || is_held_back || !summary_.last_empty) summary_.last_empty = reason;

  const auto in = [&](std::int64_t otherwise_ms) {
    const std::int64_t pause_ms = batch.retry_in_ms.value_or(otherwise_ms);
    return now + from_ms(std::clamp<std::int64_t>(pause_ms, 10, 60'000));
  };
  if (options_.once) return asks_.hold_off(answered.queues, never);
  if (options_.drain) {
    // Work that may start later is not nothing, unless only an operator can tell when.
    const bool waits = reason == EmptyReason::limited || (is_held_back && batch.retry_in_ms);
    return asks_.hold_off(answered.queues, waits ? in(1000) : never);
  }
  // Who answers at once although it was asked to wait must not be asked at once again. One that was not asked
  // to wait was asked what there is, and an ask that waits follows.
  const bool is_early = answered.took < from_ms(answered.wait_ms) / 2;
  if (is_early) asks_.hold_off(answered.queues, in(100));
}

void WorkerActor::ask_failed(std::int64_t ask, const Error& error, Turn& turn) {
  if (error.retry_in_ms) return asks_.repeat(ask, retry_at(error, turn.now()));
  const auto closed = asks_.refuse(ask, turn.now());
  if (!closed) return;
  notice(WorkerNotice::Level::warning, "ask_refused", error.message, turn);
  asks_.hold_off(closed->queues, turn.now() + refused_pause);
  // The queues may have other homes by now: the welcome tells.
  introduce_again(turn.now());
}

void WorkerActor::notice(WorkerNotice::Level level, std::string event, std::string text, Turn& turn) {
  turn.send({Place::log, 0}, WorkerNotice{level, std::move(event), std::move(text)});
}

}  // namespace stint
