// NodeTime: the clock of a simulated machine. Reading it takes time, so a turn of a node lasts.
#pragma once

#include <utility>

#include "nodes/runtime/clock.hpp"
#include "nodes/runtime/ports.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

class NodeTime : public Clock {
 public:
  // `booted_at`: when the machine's clock stood at zero.
  explicit NodeTime(World& world, Duration booted_at = Duration::zero())
      : world_(world), booted_at_(booted_at) {}

  Duration since_boot() override {
    world_.spend(world_.between(5 * microsecond, 100 * microsecond));
    if (stall_ > Duration::zero() && --readings_left_ <= 0) world_.spend(std::exchange(stall_, {}));
    return world_.now() - booted_at_;
  }
  WallMs wall_now() override { return world_.wall_now(); }
  // The node stands still for so long right before it reads the clock for the `reading`th time from now on.
  void stall_before(int reading, Duration span) {
    readings_left_ = reading;
    stall_ = span;
  }

 private:
  World& world_;
  Duration booted_at_;
  int readings_left_ = 0;
  Duration stall_{};
};

// The simulation calls a node's turn only when there is something to do.
class NoWaiter : public Waiter {
 public:
  int stops = 0;
  int wait(std::optional<Instant>) override { return std::exchange(stops, 0); }
};

}  // namespace stint::sim
