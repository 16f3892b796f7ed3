// What a cluster's nodes must agree on, as one number: links carry it, and nodes that differ refuse each
// other.
#pragma once

#include <cstdint>

#include "nodes/config/config.hpp"

namespace stint {

// FNV-1a 64 of the storage's endpoint and of each limiter's name and endpoint, by name, each followed by a
// zero byte. The same text in two files gives the same number, whatever else stands in them.
std::uint64_t cluster_hash(const ClusterConfig& cluster);

}  // namespace stint
