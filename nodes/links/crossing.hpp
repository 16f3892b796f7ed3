// Which messages may come over a link, from whom and to whom: a link does not let one node speak for another.
#pragma once

#include "actors/kernel/message.hpp"
#include "nodes/links/cluster_map.hpp"

namespace stint {

// `peer`: the node at the link's other end.
bool may_cross(const Address& from, const Address& to, const Message& message, const ClusterNode& peer);

}  // namespace stint
