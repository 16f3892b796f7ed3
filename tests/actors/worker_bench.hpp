// WorkerBench: one worker actor, a clock that the test turns, and a test that plays server and runner.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actors/kernel/actor_system.hpp"
#include "actors/worker/worker_actor.hpp"

namespace stint {

// A message that left the worker, and where its answer goes.
template <class T>
struct Sent {
  T message;
  Address from;
};

inline WorkerOptions email_worker(std::int64_t permits = 10) {
  WorkerOptions options;
  options.worker = "w1";
  options.client = "test";
  options.session.bytes[0] = 7;
  options.handlers["send"] = {};
  options.queues["email"] = permits;
  return options;
}

inline WorkerOptions weighted_worker(std::int64_t workers, std::map<std::string, ShareOfWorkers> shares) {
  WorkerOptions options = email_worker();
  options.queues.clear();
  options.workers = workers;
  options.shares = std::move(shares);
  return options;
}

inline LeasedJob email_job(JobId id, std::int64_t run = 1) {
  LeasedJob job;
  job.id = id;
  job.run = run;
  job.attempt = run;
  job.max_attempts = 25;
  job.queue = "email";
  job.handler = "send";
  job.payload.bytes = "payload";
  job.lease_ms = 30'000;
  return job;
}

class WorkerBench {
 public:
  explicit WorkerBench(WorkerOptions options = email_worker()) : worker_(std::move(options)) {
    system_.host(Place::worker, worker_);
    turn();
  }

  // --- Playing the server and the runner ---
  void turn() {
    system_.run(now_, 0);
    for (Envelope& envelope : system_.take_outgoing()) left_.push_back(std::move(envelope));
    system_.committed(now_);
  }
  void turn_that_is_undone() {
    system_.run(now_, 0);
    system_.rolled_back(now_, 0);
  }
  void tell(Message message, Address to = {Place::worker, 0}) {
    ASSERT_TRUE(system_.post({{}, to, std::move(message)}));
  }
  void hear(Message message) {
    tell(std::move(message));
    turn();
  }
  template <class T>
  void answer(const Sent<T>& request, Message message) {
    tell(std::move(message), request.from);
    turn();
  }
  // Lets time pass, with a turn whenever a timer is due.
  void pass(Duration duration) {
    const Instant end = now_ + duration;
    for (int turns = 0; system_.next_deadline() && *system_.next_deadline() <= end; ++turns) {
      ASSERT_LT(turns, 10'000) << "the worker keeps its node busy";
      now_ = std::max(now_, *system_.next_deadline());
      turn();
    }
    now_ = end;
    turn();
  }
  // The process is stopped: time goes by without a turn.
  void stand_still(Duration duration) { now_ += duration; }

  // --- What has left, in order; each is taken once ---
  template <class T>
  std::optional<Sent<T>> take() {
    for (auto at = left_.begin(); at != left_.end(); ++at) {
      if (T* message = std::get_if<T>(&at->message)) {
        Sent<T> sent{std::move(*message), at->from};
        left_.erase(at);
        return sent;
      }
    }
    return std::nullopt;
  }
  template <class T>
  Sent<T> expect() {
    auto sent = take<T>();
    EXPECT_TRUE(sent.has_value());
    return sent ? std::move(*sent) : Sent<T>{};
  }
  template <class T>
  std::size_t count() const {
    std::size_t found = 0;
    for (const Envelope& envelope : left_) found += std::holds_alternative<T>(envelope.message);
    return found;
  }
  // Where in the order of all that has left the first of these is.
  template <class T>
  std::ptrdiff_t position() const {
    for (std::size_t at = 0; at < left_.size(); ++at) {
      if (std::holds_alternative<T>(left_[at].message)) return static_cast<std::ptrdiff_t>(at);
    }
    return -1;
  }
  void forget_what_left() { left_.clear(); }

  // --- Steps that many tests begin with ---
  void welcome(std::map<std::string, std::string> homes = {}) {
    Welcome welcome;
    welcome.server = "s1";
    welcome.defaults.lease_ms = 30'000;
    welcome.defaults.timeout_ms = 1'800'000;
    welcome.defaults.wait_ms = 30'000;
    welcome.homes = std::move(homes);
    answer(expect<Hello>(), welcome);
  }
  Sent<RequestBatch> welcome_and_take_ask() {
    welcome();
    return expect<RequestBatch>();
  }
  void give(const Sent<RequestBatch>& ask, std::vector<LeasedJob> jobs) {
    answer(ask, Batch{ask.message.ask, std::move(jobs), {}, {}});
  }
  void give_nothing(const Sent<RequestBatch>& ask, EmptyReason reason = EmptyReason::none,
                    std::optional<std::int64_t> retry_in_ms = {}) {
    answer(ask, Batch{ask.message.ask, {}, reason, retry_in_ms});
  }
  // Welcomed, with these jobs running, and all that has left forgotten.
  void run_jobs(std::vector<LeasedJob> jobs) {
    give(welcome_and_take_ask(), std::move(jobs));
    forget_what_left();
  }
  void end(JobId id, Outcome outcome = Outcome::completed, std::int64_t run = 1) {
    RunResult result;
    result.id = id;
    result.run = run;
    result.outcome = outcome;
    if (outcome == Outcome::completed) result.result = Payload{"done", true};
    hear(RunEnded{result});
  }
  void accept(const Sent<Finish>& report) {
    Finished finished;
    for (std::size_t at = 0; at < report.message.results.size(); ++at) {
      finished.accepted.push_back(static_cast<std::int64_t>(at));
    }
    answer(report, finished);
  }

  const WorkSummary& summary() const { return worker_.summary(); }
  Instant now() const { return now_; }

 private:
  ActorSystem system_{1};
  WorkerActor worker_;
  Instant now_{std::chrono::hours(1)};
  std::deque<Envelope> left_;
};

}  // namespace stint
