// Alarm: makes sure that a timer comes at some moment or before, without setting one timer for each wish.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "actors/kernel/turn.hpp"

namespace stint {

class Alarm {
 public:
  // Moments this close count as the same, so that the number of pending timers stays bounded.
  static constexpr Duration grain = std::chrono::milliseconds(1);

  // `message` will come to the actor by `at`: it may come earlier, for a moment that was asked for before.
  void ring_at(Instant at, Message message, Turn& turn) {
    if (set_for_ && *set_for_ <= at + grain) return;
    set_for_ = at;
    turn.after(at - turn.now(), std::move(message));
  }

  // To be called when the message comes.
  void rang(Instant now) {
    if (set_for_ && *set_for_ <= now) set_for_.reset();
  }

 private:
  std::optional<Instant> set_for_;
};

}  // namespace stint
