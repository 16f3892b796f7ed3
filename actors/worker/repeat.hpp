// When a request that was not answered is sent again (rule D9). The server may be stopped for long: the
// pauses grow, so that what is repeated does not pile up in front of it.
#pragma once

#include <algorithm>

#include "protocol/time.hpp"

namespace stint {

inline constexpr Instant never = Instant::max();

class Repeat {
 public:
  static constexpr Duration first_pause = std::chrono::seconds(2);
  static constexpr Duration longest_pause = std::chrono::seconds(30);

  explicit Repeat(Instant first_at) : at_(first_at) {}

  Instant at() const { return at_; }
  bool is_due(Instant now) const { return now >= at_; }

  // It leaves now; its answer may take `wait` longer than a plain one.
  void sent(Instant now, Duration wait = Duration::zero()) {
    at_ = now + wait + pause_;
    pause_ = std::min(pause_ * 2, longest_pause);
  }

  // It is sent at `at` instead: the connection came back, or the server named the time.
  void send_at(Instant at) {
    at_ = at;
    pause_ = first_pause;
  }

 private:
  Instant at_;
  Duration pause_ = first_pause;
};

}  // namespace stint
