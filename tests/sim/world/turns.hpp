// Turns: when a simulated node has its turns: when it is woken or a timer is due, never while it stands
// still, and one after the other.
#pragma once

#include <functional>
#include <optional>

#include "actors/kernel/actor_system.hpp"
#include "nodes/runtime/clock.hpp"
#include "nodes/runtime/node_loop.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

class Turns {
 public:
  explicit Turns(World& world) : world_(world) {}
  Turns(const Turns&) = delete;

  // `after_turn` is called when a turn is over, with whether the loop goes on; it may end the node.
  using AfterTurn = std::function<void(bool goes_on)>;
  void begin(NodeLoop& loop, ActorSystem& actors, NodeClock& clock, AfterTurn after_turn);
  void end();
  bool on() const { return loop_ != nullptr; }
  void wake() { wake_at(world_.now()); }
  // The process stands still, as after SIGSTOP.
  void stand_still(Duration span);
  bool stands_still() const { return world_.now() < still_until_; }
  // Until then a turn goes on that has begun.
  Duration busy_until() const { return busy_until_; }

 private:
  void wake_at(Duration at);
  void take_turn();
  void plan_next();

  World& world_;
  NodeLoop* loop_ = nullptr;
  ActorSystem* actors_ = nullptr;
  NodeClock* clock_ = nullptr;
  AfterTurn after_turn_;
  std::uint64_t life_ = 0;
  std::optional<Duration> next_;  // the earliest turn that is planned
  Duration busy_until_{};
  Duration still_until_{};
};

}  // namespace stint::sim
