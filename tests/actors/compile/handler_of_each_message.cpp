// Compiled by two tests: as it stands it compiles; with WITHOUT_A_HANDLER it must not, for the class then
// lists a message that it does not handle.
#include "actors/kernel/actor.hpp"

namespace stint {

class Listener : public Handles<Listener, Started, LinkUp> {
 public:
  void on(Started&&, Turn&) {}
#ifndef WITHOUT_A_HANDLER
  void on(LinkUp&&, Turn&) {}
#endif
};

Listener one_listener() { return {}; }

}  // namespace stint
