// What a handler written in C++ is: a function of a job. For programs that link the worker library.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "protocol/messages/worker.hpp"
#include "protocol/values.hpp"

namespace stint {

// How a run ended. An exception that leaves the function is failed() with its text.
struct HandlerResult {
  Outcome outcome = Outcome::completed;
  std::optional<Payload> result{};
  std::optional<RunError> error{};
  std::optional<std::int64_t> retry_in_ms{};
  std::optional<PauseReport> pause{};

  static HandlerResult completed() { return {}; }
  static HandlerResult completed(std::string text) { return {.result = Payload{std::move(text), true}}; }
  static HandlerResult completed(Payload result) { return {.result = std::move(result)}; }
  // Again later, if attempts are left: after `retry_in_ms`, or as the job's backoff says.
  static HandlerResult failed(std::string message, std::optional<std::int64_t> retry_in_ms = {}) {
    return {.outcome = Outcome::failed,
            .error = RunError{"", std::move(message), ""},
            .retry_in_ms = retry_in_ms};
  }
  // Never again: trying once more would not help.
  static HandlerResult dead(std::string message) {
    return {.outcome = Outcome::dead, .error = RunError{"", std::move(message), ""}};
  }
  // Again after `retry_in_ms`, no attempt spent.
  static HandlerResult snoozed(std::int64_t retry_in_ms) {
    return {.outcome = Outcome::snoozed, .retry_in_ms = retry_in_ms};
  }

  // Besides, no job of the handler or queue starts anywhere for `for_ms`, as an API asked for:
  //   return HandlerResult::snoozed(30'000).and_pause(LimitScope::handler, 30'000);
  // 1 ms to ten years. It holds from when the server takes the result; of two pauses the later end wins.
  HandlerResult and_pause(LimitScope scope, std::int64_t for_ms) const {
    HandlerResult copy = *this;
    copy.pause = PauseReport{scope, for_ms};
    return copy;
  }
};

// What a running function may ask and tell.
class RunContext {
 public:
  virtual ~RunContext() = default;
  // The job's time is over, it was cancelled, or the worker ends: return soon, the result is of little use.
  virtual bool stop_requested() const = 0;
  // In percent; goes with the next heartbeat.
  virtual void report_progress(std::int64_t percent) = 0;
};

using HandlerFunction = std::function<HandlerResult(const LeasedJob&, RunContext&)>;

}  // namespace stint
