// Turn: all that an actor may touch besides its message and itself. Time stands still within a turn; what is
// sent leaves after the turn's commit.
#pragma once

#include <cstdint>
#include <random>
#include <utility>

#include "actors/kernel/message.hpp"
#include "protocol/time.hpp"

namespace stint {

class ActorSystem;

class Turn {
 public:
  Turn(ActorSystem& system, Address self, Address sender) : system_(system), self_(self), sender_(sender) {}

  Instant now() const;
  WallMs wall_now() const;
  std::mt19937_64& random();

  // Who sent the message that is being handled: keep it to answer later.
  const Address& sender() const { return sender_; }

  // `tag` comes back as `answer_to()` when the other side answers.
  void send(const Address& to, Message message, std::uint64_t tag = 0);
  void reply(Message message) { send(sender_, std::move(message)); }
  // The tag under which the message that is being handled was asked for; 0: none.
  std::uint64_t answer_to() const { return self_.id; }

  // Sends `message` to this actor itself, not before `delay` has passed.
  void after(Duration delay, Message message);

 private:
  ActorSystem& system_;
  Address self_;
  Address sender_;
};

}  // namespace stint
