#include "protocol/limit.hpp"

#include <cmath>

#include "protocol/words.hpp"

namespace stint {

namespace {

std::optional<LimitFault> out_of(std::string field, std::optional<std::int64_t> value, std::int64_t least,
                                 std::int64_t most) {
  if (!value || (*value >= least && *value <= most)) return std::nullopt;
  return LimitFault{std::move(field), "must be " + std::to_string(least) + " to " + std::to_string(most)};
}

std::optional<LimitFault> fault_of_rate(const Limit& limit) {
  if (limit.max) return LimitFault{"max", "is for handlers; a queue has rate and burst"};
  if (limit.window_ms) return LimitFault{"window_ms", "is for handlers; a queue has rate and burst"};
  if (limit.count != CountPolicy::completed)
    return LimitFault{"count", "is for handlers; a queue has rate and burst"};
  if (limit.rate && !(*limit.rate >= Limit::least_rate && *limit.rate <= Limit::most_rate)) {
    return LimitFault{"rate", "must be a number above 0, from 0.000001 to 1000000 starts a second"};
  }
  if (!limit.rate && limit.burst != 0) return LimitFault{"burst", "needs a rate"};
  return out_of("burst", limit.burst, 0, Limit::most_starts);
}

std::optional<LimitFault> fault_of_window(const Limit& limit) {
  if (limit.rate) return LimitFault{"rate", "is for queues; a handler has max and window_ms"};
  if (limit.burst != 0) return LimitFault{"burst", "is for queues; a handler has max and window_ms"};
  if (limit.max && !limit.window_ms) return LimitFault{"window_ms", "is required with max"};
  if (limit.window_ms && !limit.max) return LimitFault{"max", "is required with window_ms"};
  if (!limit.max && limit.count != CountPolicy::completed)
    return LimitFault{"count", "needs max and window_ms"};
  if (auto fault = out_of("max", limit.max, 1, Limit::most_starts)) return fault;
  return out_of("window_ms", limit.window_ms, 1, Limit::longest_window_ms);
}

}  // namespace

std::optional<LimitFault> fault_of(const Limit& limit, LimitScope scope) {
  auto fault = scope == LimitScope::queue ? fault_of_rate(limit) : fault_of_window(limit);
  if (!fault) fault = out_of("max_running", limit.max_running, 1, Limit::most_starts);
  if (fault) return fault;
  const bool limits = limit.has_rate_part() || limit.max_running;
  if (limit.unlimited && limits) return LimitFault{"unlimited", "lifts every limit: nothing else with it"};
  if (limit.unlimited || limits) return std::nullopt;
  return LimitFault{"", scope == LimitScope::queue ? "needs rate, max_running or unlimited"
                                                   : "needs max and window_ms, max_running or unlimited"};
}

std::string_view to_string(LimitScope scope) { return word_of(scope); }
std::string_view to_string(CountPolicy count) { return word_of(count); }
std::string_view to_string(LimitSource source) { return word_of(source); }

}  // namespace stint
