// LeaseClock: the clock of leases' deadlines. It stands still while the server stood still (rule D6): a gap
// between two readings is left out, so all deadlines move by it at once. Owned by Leases.
#pragma once

#include "protocol/time.hpp"

namespace stint {

class LeaseClock {
 public:
  // Two readings further apart than this are a gap.
  static constexpr Duration longest_step = std::chrono::milliseconds(100);

  explicit LeaseClock(Duration grace) : grace_(grace) {}

  // Called with every reading of the clock while leases are held; restart() before the first after a pause.
  void read(Instant now) {
    const Duration step = now - last_;
    last_ = now;
    if (step <= longest_step) return;
    left_out_ += step;
    no_end_before_ = now + grace_;
  }
  void restart(Instant now) { last_ = now; }

  Instant at(Instant now) const { return now - left_out_; }
  // After a gap no lease ends for a while: heartbeats that waited are to be heard first.
  bool may_end(Instant now) const { return now >= no_end_before_; }

 private:
  Duration grace_;
  Duration left_out_{};
  Instant last_{};
  Instant no_end_before_{};
};

}  // namespace stint
