// WatchedBucket: the starts of one queue as an observer sees them, and whether any span of time holds more of
// them than its limits allow (rules L2, L9). Shares no code with the bucket it watches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/sim/world/world.hpp"

namespace stint::sim {

struct WatchedRate {
  double per_second = 0;
  double burst = 1;
  friend bool operator==(const WatchedRate&, const WatchedRate&) = default;
};

// Starts in any span are at most the largest burst that was in force in it, plus the rate's integral. While
// no rate is in force nothing counts, and the last one goes on filling.
class WatchedBucket {
 public:
  // A turn that began at `began` and is on at `now` changes what is in force. For that turn the more generous
  // of both holds: which of its starts came first cannot be seen.
  void change(std::optional<WatchedRate> rate, Duration began, Duration now, std::uint64_t turn);

  // A start that left at `at` in this turn. By how many the worst span that ends with it is over its bound;
  // not above 0: within it.
  double start(Duration at, std::uint64_t turn);

  bool counts() const { return rate_.has_value(); }
  const std::optional<WatchedRate>& rate() const { return rate_; }
  // Of all spans so far, the most starts against what its limits allowed.
  double worst_ratio() const { return worst_ratio_; }

 private:
  // While one burst was in force: the start of it from which on the most had been filled against the fewest
  // starts before.
  struct Epoch {
    double burst = 0;
    std::optional<double> filled{};
    double starts_before = 0;
    double lead() const { return *filled - starts_before; }
  };

  void settle(std::uint64_t turn);
  void advance(Duration to);
  void begin_epoch(double burst);

  std::optional<WatchedRate> rate_;
  std::optional<std::uint64_t> changing_in_;  // the turn, while it is on
  bool spares_ = false;                       // starts of that turn may be of a time without a rate
  double filling_ = 0;                        // starts a second, now
  Duration filled_at_{};
  double filled_ = 0;
  double starts_ = 0;
  std::vector<Epoch> epochs_;
  double worst_ratio_ = 0;
};

}  // namespace stint::sim
