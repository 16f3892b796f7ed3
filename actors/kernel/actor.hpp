// Actor: a state machine that is told messages and answers with messages. It has no socket, clock, thread or
// file.
#pragma once

#include <cassert>
#include <type_traits>
#include <utility>
#include <variant>

#include "actors/kernel/message.hpp"
#include "actors/kernel/turn.hpp"

namespace stint {

class Actor {
 public:
  virtual ~Actor() = default;
  virtual void deliver(Message&& message, Turn& turn) = 0;
  // The turn's messages are all handled: the last moment to change what the commit will hold, and to send to
  // places outside this node's actors.
  virtual void before_commit(Turn& turn) { static_cast<void>(turn); }
  // The turn's commit is on disk and its messages have left; `now` was read after that (rule L1). Nothing may
  // be sent.
  virtual void committed(Instant now) { static_cast<void>(now); }
  // The turn's commit failed: nothing of it was kept or sent (rule D2).
  virtual void rolled_back(Turn& turn) { static_cast<void>(turn); }
};

// The head of an actor's class: `class LimiterActor : public Handles<LimiterActor, RequestBatch, Claimed>`.
// Each message that is listed needs an `on(Message&&, Turn&)`, or the class does not compile; any other is a
// bug of the sender.
template <class Self, class... Handled>
class Handles : public Actor {
 public:
  template <class Any>
  static constexpr bool handles = (std::is_same_v<Any, Handled> || ...);

  void deliver(Message&& message, Turn& turn) final {
    std::visit(
        [&](auto&& part) {
          if constexpr (handles<std::decay_t<decltype(part)>>) {
            static_cast<Self*>(this)->on(std::move(part), turn);
          } else {
            assert(!"a message that this actor does not handle");
          }
        },
        std::move(message));
  }
};

}  // namespace stint
