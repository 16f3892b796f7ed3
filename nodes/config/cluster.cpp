#include "nodes/config/cluster.hpp"

#include <string_view>

namespace stint {

namespace {

constexpr std::uint64_t offset_basis = 0xcbf29ce484222325ULL;
constexpr std::uint64_t prime = 0x100000001b3ULL;

// The zero byte, which no name or endpoint holds, keeps neighbours apart.
std::uint64_t add(std::uint64_t hash, std::string_view text) {
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
  return hash * prime;
}

}  // namespace

std::uint64_t cluster_hash(const ClusterConfig& cluster) {
  std::uint64_t hash = add(offset_basis, cluster.storage);
  for (const auto& [name, endpoint] : cluster.limiters) hash = add(add(hash, name), endpoint);
  return hash;
}

std::string endpoint_in(const ClusterConfig& cluster, const std::string& name, const Roles& roles) {
  if (roles.storage) return cluster.storage;
  const auto limiter = cluster.limiters.find(name);
  return roles.limiter && limiter != cluster.limiters.end() ? limiter->second : "";
}

std::vector<std::string> endpoints_of(const ClusterConfig& cluster) {
  std::vector<std::string> endpoints{cluster.storage};
  for (const auto& [name, endpoint] : cluster.limiters) {
    if (endpoint != cluster.storage) endpoints.push_back(endpoint);
  }
  return endpoints;
}

}  // namespace stint
