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
  events,   // the event stream's subscribers
  count_,
};

// A node of the cluster, the same number on every node; 0: where such a place is by default, the storage node
// for storage and this node for all else.
using NodeNumber = std::uint16_t;

struct Address {
  Place place = Place::nobody;
  // What the place needs to tell one conversation from another: of a door the open request, of a worker the
  // tag it gave its request; comes back as `to.id` of the answer.
  std::uint64_t id = 0;
  NodeNumber node = 0;
  friend bool operator==(const Address&, const Address&) = default;
};

}  // namespace stint
