// ClusterMap: who is in a cluster, with the numbers that addresses carry: the same on each of its nodes. A
// value from the configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/kernel/actor_system.hpp"
#include "nodes/config/config.hpp"
#include "protocol/result.hpp"

namespace stint {

struct ClusterNode {
  NodeNumber number = 0;
  std::string name;  // of a storage node that limits nothing: "storage", whatever it calls itself
  std::string endpoint;
  bool is_storage = false;
  bool is_limiter = false;
};

class ClusterMap {
 public:
  static constexpr NodeNumber storage = 1;

  explicit ClusterMap(const ClusterConfig& config);

  // The storage node is 1, the limiters follow in the order of their names. A limiter at the storage's own
  // endpoint is the storage node.
  const std::vector<ClusterNode>& nodes() const { return nodes_; }
  // Nothing: there is no such node.
  const ClusterNode* find(NodeNumber number) const;
  const ClusterNode* limiter(std::string_view name) const;

  Routes routes_of(NodeNumber self) const;

  // Which of these nodes one with this name and these roles is. Errors (bad_message): its roles do not fit
  // the cluster.
  Result<NodeNumber> place_of(std::string_view name, const Roles& roles) const;

 private:
  std::vector<ClusterNode> nodes_;
};

}  // namespace stint
