#include "tests/sim/world/turns.hpp"

#include <algorithm>
#include <utility>

namespace stint::sim {

void Turns::begin(NodeLoop& loop, ActorSystem& actors, NodeClock& clock, AfterTurn after_turn) {
  loop_ = &loop;
  actors_ = &actors;
  clock_ = &clock;
  after_turn_ = std::move(after_turn);
  ++life_;
  next_.reset();
  wake();
}

void Turns::end() {
  loop_ = nullptr;
  ++life_;
  next_.reset();
  still_until_ = Duration::zero();
}

void Turns::stand_still(Duration span) {
  if (!on()) return;
  still_until_ = std::max(still_until_, world_.now() + span);
  wake_at(still_until_);
}

void Turns::wake_at(Duration at) {
  if (!on()) return;
  at = std::max({at, world_.now(), busy_until_, still_until_});
  if (next_ && *next_ <= at && *next_ >= still_until_) return;
  next_ = at;
  world_.after(at - world_.now(), [this, life = life_, at] {
    if (life != life_ || next_ != at) return;
    next_.reset();
    if (stands_still()) return wake_at(still_until_);
    take_turn();
  });
}

void Turns::take_turn() {
  const std::uint64_t life = life_;
  const bool goes_on = loop_->turn();
  busy_until_ = world_.now();
  // A copy: it may end the node, and this with it.
  const AfterTurn after_turn = after_turn_;
  after_turn(goes_on);
  if (life == life_) plan_next();
}

void Turns::plan_next() {
  if (loop_->storage_is_out()) return wake_at(world_.now() + 50 * millisecond);
  if (const auto deadline = actors_->next_deadline()) {
    // A clock that stands elsewhere, but runs alike.
    wake_at(world_.now() + (*deadline - clock_->now()));
  }
}

}  // namespace stint::sim
