// LimitBench: a StorageBench with short forms for limits, and worker session 1 at hand. Its queue is "email",
// its handler "send".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tests/actors/spans.hpp"
#include "tests/actors/storage_bench.hpp"

namespace stint {

inline Limit rate_limit(double rate, std::int64_t burst = 0) {
  Limit limit;
  limit.rate = rate;
  limit.burst = burst;
  return limit;
}
inline Limit window_limit(std::int64_t max, std::int64_t window_ms,
                          CountPolicy count = CountPolicy::completed) {
  Limit limit;
  limit.max = max;
  limit.window_ms = window_ms;
  limit.count = count;
  return limit;
}
inline Limit started_limit(std::int64_t max, std::int64_t window_ms) {
  return window_limit(max, window_ms, CountPolicy::started);
}
inline Limit running_limit(std::int64_t max_running) {
  Limit limit;
  limit.max_running = max_running;
  return limit;
}
inline Limit no_limit() {
  Limit limit;
  limit.unlimited = true;
  return limit;
}

class LimitBench : public StorageBench {
 public:
  explicit LimitBench(StorageOptions options = {}) : StorageBench(std::move(options)) {
    commit_takes = at_once;
    hello(1);
  }
  // No clock stands still over two turns.
  static constexpr Duration at_once{1};

  LimitState limit(LimitScope scope, const std::string& name, const Limit& limit,
                   SetAs as = SetAs::operated) {
    return ask<LimitState>(SetLimit{scope, name, limit, as, {}});
  }
  LimitState limit_queue(const Limit& limit_to) { return limit(LimitScope::queue, "email", limit_to); }
  LimitState limit_handler(const Limit& limit_to) { return limit(LimitScope::handler, "send", limit_to); }
  LimitState queue(const std::string& name = "email") {
    return ask<LimitState>(GetLimit{LimitScope::queue, name});
  }
  LimitState handler(const std::string& name = "send") {
    return ask<LimitState>(GetLimit{LimitScope::handler, name});
  }
  LimitState clear(LimitScope scope, const std::string& name, bool all = false) {
    return ask<LimitState>(ClearLimit{scope, name, all});
  }
  void enqueue_many(int count, const std::string& handler = "send", const std::string& queue = "email") {
    enqueue(std::vector<NewJob>(static_cast<std::size_t>(count), new_job(handler, queue)));
  }

  // One claim of session 1, under an ask of its own: what was handed out.
  Batch take(std::int64_t most = 100, const std::string& queue = "email") {
    const Batch batch = claim(1, ++last_ask, {{queue, most}}, most);
    return batch;
  }
  std::int64_t started(std::int64_t most = 100, const std::string& queue = "email") {
    return std::ssize(take(most, queue).jobs);
  }
  void finish_all(const Batch& batch, Outcome outcome = Outcome::completed) {
    for (const LeasedJob& job : batch.jobs) EXPECT_TRUE(finish(1, job, outcome));
  }
  Claimed last_claimed() const { return all_to_limiter<Claimed>().back(); }

  std::int64_t last_ask = 0;
};

}  // namespace stint
