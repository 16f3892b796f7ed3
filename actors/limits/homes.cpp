#include "actors/limits/homes.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stint {

namespace {

std::uint64_t fnv1a(std::uint64_t hash, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return hash;
}

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t finalise(std::uint64_t hash) {
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
  return hash ^ (hash >> 31);
}

std::uint64_t weight(std::string_view queue, std::string_view node) {
  return finalise(fnv1a(fnv1a(fnv1a(0xcbf29ce484222325ULL, queue), "/"), node));
}

}  // namespace

Homes::Homes(std::vector<Limiter> limiters) : limiters_(std::move(limiters)) { assert(!limiters_.empty()); }

const Homes::Limiter& Homes::of(std::string_view queue) const {
  if (limiters_.size() == 1) return limiters_.front();
  return *std::max_element(limiters_.begin(), limiters_.end(), [&](const Limiter& a, const Limiter& b) {
    const auto one = weight(queue, a.name);
    const auto other = weight(queue, b.name);
    return one != other ? one < other : a.name < b.name;
  });
}

}  // namespace stint
