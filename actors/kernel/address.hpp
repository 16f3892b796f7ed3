// Address: where a message goes. No actor knows whether a place is in its own process.
#pragma once

#include <cstdint>
#include <functional>

namespace stint {

enum class Place : std::uint8_t {
  nobody,
  storage,  // the storage actor
  limiter,  // the limiter actor
  worker,   // the worker actor of this node
  server,   // whoever answers requests: the actor a request is for, or a server that passes it on
  door,     // a client's open request at the front door; `id` is the request
  runner,   // what runs handlers, outside the actors
  log,      // what the node tells people
  count_,
};

struct Address {
  Place place = Place::nobody;
  // What the place needs to tell one conversation from another: of a door the open request, of a worker the
  // tag it gave its request; comes back as `to.id` of the answer.
  std::uint64_t id = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

}  // namespace stint
