// What a worker does about what it has heard: everything that is due leaves, in the order that rule D3 wants.
#include <algorithm>
#include <utility>

#include "actors/worker/request_tag.hpp"
#include "actors/worker/results.hpp"
#include "actors/worker/worker_actor.hpp"

namespace stint {

namespace {

constexpr Address server{Place::server, 0};
constexpr Address runner{Place::runner, 0};

}  // namespace

void WorkerActor::settle(Turn& turn) {
  if (phase_ == Phase::stopped) return;
  end_overdue(turn);
  if (phase_ == Phase::working && link_is_up_ && !welcomed_) say_hello(turn);
  if (phase_ == Phase::working && link_is_up_ && welcomed_) {
    send_reports(turn);
    send_asks(turn);
    send_heartbeat(turn);
    // Only now: what was sent above has told the server that the jobs arrived.
    start_runs(turn);
  }
  leave_if_done(turn);
  arm(turn);
}

void WorkerActor::end_overdue(Turn& turn) {
  const Instant now = turn.now();
  for (const JobRun& key : runs_.take_overdue(now)) stop_run(key, StopCause::timeout, turn);
  if (!is_stopping_ || now < grace_ends_at_) return;
  for (const JobRun& key : runs_.running()) {
    stop_run(key, StopCause::leaving, turn);
    // A thread may not listen. The process ends anyway, and with it the thread.
    if (now < grace_ends_at_ + stop_bound) continue;
    if (runs_.find(key)->stop == StopCause::lost) {
      forget(key);
    } else {
      end_run(result_of(key, Outcome::released));
    }
  }
}

void WorkerActor::say_hello(Turn& turn) {
  if (!hello_.is_due(turn.now())) return;
  hello_.sent(turn.now());
  hello_sent_at_ = turn.now();
  Hello hello;
  hello.client = options_.client;
  hello.worker = options_.worker;
  hello.session = options_.session;
  for (const auto& [name, handler] : options_.handlers) hello.handlers[name].limit = handler.limit;
  hello.queues = asks_.queues();
  hello.takeover = options_.takes_over;
  hello.hostname = options_.hostname;
  hello.pid = options_.pid;
  hello.labels = options_.labels;
  turn.send(server, std::move(hello), to_tag(RequestKind::hello, ++hellos_));
}

std::int64_t WorkerActor::told_got() { return told_got_ = asks_.got(); }

void WorkerActor::send_reports(Turn& turn) {
  for (auto& report : reports_.take_due(turn.now(), bounds_.jobs_per_request)) {
    report.finish.session = options_.session;
    report.finish.got = told_got();
    turn.send(server, std::move(report.finish), to_tag(RequestKind::finish, report.number));
  }
}

bool WorkerActor::has_taken_enough() const { return options_.max_jobs && taken_ >= *options_.max_jobs; }

bool WorkerActor::may_ask() const { return !is_stopping_ && !is_quiet_ && !has_taken_enough(); }

void WorkerActor::send_asks(Turn& turn) {
  if (may_ask()) {
    const bool waits = !options_.once && !options_.drain;
    std::optional<std::int64_t> most;
    if (options_.max_jobs) most = *options_.max_jobs - taken_;
    asks_.open_new(turn.now(), waits ? defaults_.wait_ms : 0, most);
  }
  // Who stops does not repeat its asks: it wants no answer.
  if (is_stopping_) return;
  for (auto& ask : asks_.take_due(turn.now())) {
    ask.session = options_.session;
    ask.got = told_got();
    const std::int64_t number = ask.ask;
    turn.send(server, std::move(ask), to_tag(RequestKind::ask, number));
  }
}

Duration WorkerActor::beat_interval() const {
  return std::max(from_ms(runs_.shortest_lease_ms(defaults_.lease_ms)) / 3, from_ms(1));
}

void WorkerActor::send_heartbeat(Turn& turn) {
  const bool is_due = turn.now() >= beat_due_at_;
  const bool must_acknowledge = newest_batch_ > told_got_;
  newest_batch_ = 0;
  if (!is_due && !must_acknowledge) return;
  Heartbeat beat{.session = options_.session, .got = told_got(), .jobs = runs_.leased(), .wait_ms = 0};
  ++beats_;
  if (is_due) {
    const Duration interval = beat_interval();
    // Answered a little before the next is due, so that one is parked at nearly all times.
    beat.wait_ms = std::min<std::int64_t>((interval - interval / 8).count() / 1000, Bounds::wait_ms);
    parked_beat_ = beats_;
    beat_sent_at_ = turn.now();
    beat_due_at_ = turn.now() + interval;
  }
  turn.send(server, std::move(beat), to_tag(RequestKind::heartbeat, beats_));
}

void WorkerActor::start_runs(Turn& turn) {
  for (const JobRun& key : runs_.take_new()) {
    turn.send(runner, StartRun{runs_.start(key, turn.now())});
    undo_.started.push_back(key);
  }
}

void WorkerActor::leave_if_done(Turn& turn) {
  const Instant now = turn.now();
  if (phase_ == Phase::leaving && now >= farewell_due_at_) return stop(turn);
  if (phase_ != Phase::working) return;
  if (is_stopping_) {
    if (runs_.empty() || now >= grace_ends_at_ + stop_bound + report_bound) leave(WorkEnd::told_to, turn);
  } else if (!was_welcomed_ && now >= give_up_at_) {
    leave(WorkEnd::no_server, turn);
  } else if (runs_.empty() && asks_.none_open() && has_taken_enough()) {
    leave(WorkEnd::enough, turn);
  } else if (runs_.empty() && (options_.drain || options_.once) && asks_.all_quiet()) {
    leave(WorkEnd::drained, turn);
  }
}

void WorkerActor::leave(WorkEnd end, Turn& turn) {
  summary_.end = end;
  if (!runs_.empty()) {
    notice(WorkerNotice::Level::warning, "results_undelivered",
           std::to_string(runs_.size()) + " runs end without the server having taken their reports", turn);
  }
  phase_ = Phase::leaving;
  farewell_due_at_ = turn.now() + farewell_bound;
  if (!welcomed_ || !link_is_up_) return stop(turn);
  turn.send(server, Goodbye{options_.session}, to_tag(RequestKind::goodbye, 1));
}

void WorkerActor::stop(Turn& turn) {
  if (std::exchange(phase_, Phase::stopped) != Phase::stopped) turn.send(runner, WorkerStopped{});
}

// The next end of a stage of stopping.
Instant WorkerActor::next_bound(Instant now) const {
  for (const Instant end :
       {grace_ends_at_, grace_ends_at_ + stop_bound, grace_ends_at_ + stop_bound + report_bound}) {
    if (now < end) return end;
  }
  return never;
}

Instant WorkerActor::next_due(Instant now) const {
  if (phase_ == Phase::leaving) return farewell_due_at_;
  Instant due = std::min(runs_.next_deadline(), was_welcomed_ ? never : give_up_at_);
  if (is_stopping_) due = std::min(due, next_bound(now));
  if (!link_is_up_) return due;
  if (!welcomed_) return std::min(due, hello_.at());
  due = std::min({due, beat_due_at_, reports_.next_due()});
  if (!is_stopping_) due = std::min(due, asks_.next_repeat());
  if (may_ask()) due = std::min(due, asks_.next_opening());
  return due;
}

// One timer is set for all; those that an earlier one has overtaken find nothing to do.
void WorkerActor::arm(Turn& turn) {
  if (phase_ == Phase::stopped) return;
  const Instant due = next_due(turn.now());
  if (due >= armed_at_) return;
  armed_at_ = due;
  turn.after(due - turn.now(), WorkTick{});
}

}  // namespace stint
