// TurnObserver: sees all that an ActorSystem is given and all that leaves it. With the same actors, the same
// seed and the same words in the same order, another system decides the same.
#pragma once

#include <vector>

#include "actors/kernel/message.hpp"
#include "protocol/time.hpp"

namespace stint {

class TurnObserver {
 public:
  virtual ~TurnObserver() = default;

  // As it was given, before it is known where it goes.
  virtual void posted(const Envelope& envelope) = 0;
  virtual void begins(Instant now, WallMs wall_now) = 0;
  // The turn's commit has succeeded; what leaves, in its order.
  virtual void leaves(const std::vector<Envelope>& outgoing) = 0;
  virtual void committed(Instant now) = 0;
  virtual void rolled_back(Instant now, WallMs wall_now) = 0;
};

}  // namespace stint
