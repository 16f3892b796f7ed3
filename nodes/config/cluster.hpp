// What a cluster's nodes must agree on, as one number: links carry it, and nodes that differ refuse each
// other.
#pragma once

#include <cstdint>

#include "nodes/config/config.hpp"

namespace stint {

// FNV-1a 64 of the storage's endpoint and of each limiter's name and endpoint, by name, each followed by a
// zero byte. The same text in two files gives the same number, whatever else stands in them.
std::uint64_t cluster_hash(const ClusterConfig& cluster);

// Where the node of this name and roles is reached; empty: the cluster says nothing of it.
std::string endpoint_in(const ClusterConfig& cluster, const std::string& name, const Roles& roles);

// Of all its nodes, the storage first. For a worker any of them will do: each passes on what is not its own.
std::vector<std::string> endpoints_of(const ClusterConfig& cluster);

}  // namespace stint
