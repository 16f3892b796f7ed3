// Fabric: the links between the nodes of a simulated cluster. A link delivers in order while it holds. When
// it breaks, all that was on its way is lost, and each end hears of that before it hears anything new.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "actors/kernel/address.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

// What one node says to another.
struct LinkWords {
  Address from;
  Address to;
  std::string kind;
  std::string body;
};

class LinkEnd {
 public:
  virtual ~LinkEnd() = default;
  virtual void heard(NodeNumber peer, LinkWords words) = 0;
  virtual void link_turned(NodeNumber peer, bool is_up) = 0;
};

class Fabric {
 public:
  explicit Fabric(World& world) : world_(world) {}

  Duration most_latency = 1 * millisecond;
  double slow = 0;  // takes up to `slowest`, and all after it
  Duration slowest = 300 * millisecond;

  void node_is_up(NodeNumber node, LinkEnd& end);
  void node_is_down(NodeNumber node);
  // It breaks and comes back by itself, not before `silence` has passed.
  void break_link(NodeNumber one, NodeNumber other, Duration silence);
  void cut_off(NodeNumber node, Duration silence);
  // The next message of this kind gets lost, and neither end notices.
  void lose_next(const std::string& kind) { to_lose_.insert(kind); }
  std::size_t to_lose() const { return to_lose_.size(); }
  // As this node knows it.
  bool is_up(NodeNumber self, NodeNumber peer) const;
  bool all_up() const;

  // As a link that is up does when it has lost something: the other end takes it for new.
  void say_hello_again(NodeNumber from, NodeNumber to);

  // False: the node knows that the link is down.
  bool send(NodeNumber from, NodeNumber to, LinkWords words);

 private:
  struct Side {
    bool is_up = false;  // as this end knows it
    Duration last_arrival{};
  };
  struct Link {
    std::uint64_t connection = 0;  // 0: none
    std::map<NodeNumber, Side> sides;
    Duration cut_until{};
    bool tries = false;  // an attempt to connect is on its way
  };
  using Key = std::pair<NodeNumber, NodeNumber>;  // the smaller number first

  static Key key_of(NodeNumber one, NodeNumber other) { return {std::min(one, other), std::max(one, other)}; }
  void lose(const Key& key);
  void notice_loss(const Key& key, NodeNumber end);
  void try_to_connect(const Key& key);
  void connect(const Key& key);

  World& world_;
  std::map<NodeNumber, LinkEnd*> nodes_;
  std::map<Key, Link> links_;
  std::uint64_t connections_ = 0;
  std::multiset<std::string> to_lose_;
};

}  // namespace stint::sim
