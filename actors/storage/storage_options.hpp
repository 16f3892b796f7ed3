// StorageOptions: what the storage actor is told when it is made. Plain data from the config.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "actors/limits/homes.hpp"
#include "protocol/bounds.hpp"
#include "protocol/limit.hpp"
#include "protocol/version.hpp"

namespace stint {

struct StorageOptions {
  std::string server = "server";  // the node's name
  std::string version{stint_version};
  std::string events;  // the event stream's endpoint; empty: none
  Bounds bounds;
  Defaults defaults;
  std::map<std::string, std::int64_t, std::less<>> batch_max;  // of queues that have their own
  // The config layer (rule L8).
  std::map<std::string, Limit, std::less<>> queue_limits;
  std::map<std::string, Limit, std::less<>> handler_limits;
  // Who limits which queue; nothing: the limiter of this node all of them.
  std::optional<Homes> homes;
  NodeNumber self = 0;  // of the node that storage is on, in its cluster
};

}  // namespace stint
