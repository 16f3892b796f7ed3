// Limit: what somebody sets for a queue or a handler (rules L2 to L4), and what is allowed to be set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stint {

enum class LimitScope : std::uint8_t { queue, handler };

enum class CountPolicy : std::uint8_t {
  completed,  // a slot is held while the run lasts, and becomes an entry only if it completes
  started,    // an entry at the start, whatever the outcome
};

// Who set it; the first of these that has a record decides (rule L8).
enum class LimitSource : std::uint8_t { operated, config, declared, enqueue };

// A rate part (`rate` and `burst` of a queue; `max`, `window_ms` and `count` of a handler), a running limit,
// or both; or `unlimited`, which lifts both.
struct Limit {
  // The bounds of every way in.
  static constexpr double most_rate = 1e6;
  static constexpr double least_rate = 1e-6;
  static constexpr std::int64_t most_starts = 1'000'000;  // of burst, max and max_running
  static constexpr std::int64_t longest_window_ms = 366LL * 24 * 3'600'000;

  std::optional<double> rate;  // starts a second
  std::int64_t burst = 0;      // starts at once at most; 0: a second's worth
  std::optional<std::int64_t> max;
  std::optional<std::int64_t> window_ms;
  CountPolicy count = CountPolicy::completed;
  std::optional<std::int64_t> max_running;
  bool unlimited = false;

  bool has_rate_part() const { return rate.has_value() || max.has_value(); }
  friend bool operator==(const Limit&, const Limit&) = default;
};

// What is wrong with a limit that nobody may set: which of its fields, and what was expected.
struct LimitFault {
  std::string field;  // "rate"; empty: the limit as a whole
  std::string message;
};

// Nothing: it may be set for a name of this scope. Takes any values, NaN and infinities too.
std::optional<LimitFault> fault_of(const Limit& limit, LimitScope scope);

// The wire's words.
std::string_view to_string(LimitScope scope);
std::string_view to_string(CountPolicy count);
std::string_view to_string(LimitSource source);

}  // namespace stint
