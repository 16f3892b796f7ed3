#include "nodes/links/cluster_map.hpp"

#include <algorithm>
#include <cassert>

namespace stint {

ClusterMap::ClusterMap(const ClusterConfig& config) {
  assert(config.any());
  nodes_.push_back({storage, "storage", config.storage, true, config.limiters.empty()});
  for (const auto& [name, endpoint] : config.limiters) {
    if (endpoint == config.storage) {
      nodes_.front().name = name;
      nodes_.front().is_limiter = true;
    } else {
      nodes_.push_back({static_cast<NodeNumber>(nodes_.size() + 1), name, endpoint, false, true});
    }
  }
}

const ClusterNode* ClusterMap::find(NodeNumber number) const {
  return number >= 1 && number <= nodes_.size() ? &nodes_[number - 1u] : nullptr;
}

const ClusterNode* ClusterMap::limiter(std::string_view name) const {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const ClusterNode& node) {
    return node.is_limiter && node.name == name;
  });
  return found != nodes_.end() ? &*found : nullptr;
}

Routes ClusterMap::routes_of(NodeNumber self) const {
  std::vector<Homes::Limiter> limiters;
  for (const ClusterNode& node : nodes_) {
    if (node.is_limiter) limiters.push_back({node.name, node.number});
  }
  return {self, storage, Homes(std::move(limiters))};
}

Result<NodeNumber> ClusterMap::place_of(std::string_view name, const Roles& roles) const {
  const auto misfit = [&](std::string message) {
    return Error{.code = ErrorCode::bad_message, .message = "node " + std::string(name) + " " + message};
  };
  const ClusterNode& first = nodes_.front();
  if (roles.storage) {
    if (roles.limiter == first.is_limiter) return storage;
    return roles.limiter ? misfit("has the role limiter, but [cluster] limiters does not name its endpoint")
                         : misfit("needs the role limiter too: [cluster] names no other at its endpoint");
  }
  const ClusterNode* own = limiter(name);
  if (own == nullptr) return misfit("is not among the limiters of [cluster]");
  if (own->is_storage) return misfit("needs the role storage too: it has the storage's endpoint");
  return own->number;
}

}  // namespace stint
