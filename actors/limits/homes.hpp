// Homes: which limiter owns which queue. The same on every node of a cluster; a value from its configuration.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/kernel/address.hpp"

namespace stint {

class Homes {
 public:
  struct Limiter {
    std::string name;  // its node's
    NodeNumber node = 0;
  };

  // At least one.
  explicit Homes(std::vector<Limiter> limiters);

  // By rendezvous hash (Thaler and Ravishankar 1998): FNV-1a 64 of `queue/node`, then a finaliser, without
  // which the shares are uneven. A limiter that is added or removed moves only its own queues.
  const Limiter& of(std::string_view queue) const;
  Address limiter_of(std::string_view queue) const { return {Place::limiter, 0, of(queue).node}; }
  const std::vector<Limiter>& all() const { return limiters_; }

 private:
  std::vector<Limiter> limiters_;
};

}  // namespace stint
