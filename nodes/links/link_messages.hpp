// What two nodes say to each other about their link, before actors speak over it. Each node opens one to each
// other node, and what it has to say to that node goes over its own.
#pragma once

#include <cstdint>
#include <string>

#include "actors/kernel/address.hpp"

namespace stint {

// Of what is said over links; nodes that differ refuse each other.
inline constexpr std::int64_t link_version = 1;

// The first message of each connection. The other side welcomes it, or says in an error why not.
struct LinkHello {
  std::int64_t version = link_version;
  std::string name;
  std::int64_t number = 0;  // in the cluster
  bool is_storage = false;
  bool is_limiter = false;
  std::uint64_t cluster = 0;  // cluster_hash() of its configuration
  std::int64_t to = 0;        // the number of the node it means to reach
  std::uint64_t start = 0;    // a random number of this life of the node
  std::uint64_t opening = 0;  // counts the hellos of that life
};

struct LinkWelcome {
  std::int64_t number = 0;
  std::uint64_t start = 0;
  std::uint64_t opening = 0;  // of the hello
};

// What comes with each message of an actor, in the correlation frame: the body is the message alone, so that
// it has the same bounds as anywhere. The nodes of both addresses are the link's ends.
struct LinkHeader {
  std::uint64_t start = 0;      // of who says it
  std::uint64_t for_start = 0;  // of the node it is meant for
  Address from;
  Address to;
  std::string kind;  // a request's or an answer's type, or one that only links know
};

}  // namespace stint
