#include "tests/sim/world/fabric.hpp"

#include <algorithm>

namespace stint::sim {

void Fabric::node_is_up(NodeNumber node, LinkEnd& end) {
  for (const auto& [other, its_end] : nodes_) {
    Link& link = links_[key_of(node, other)];
    link.sides[node] = {};
    link.sides.try_emplace(other);
  }
  nodes_[node] = &end;
  for (const auto& [other, its_end] : nodes_) {
    if (other != node) try_to_connect(key_of(node, other));
  }
}

void Fabric::node_is_down(NodeNumber node) {
  nodes_.erase(node);
  for (auto& [key, link] : links_) {
    if (key.first != node && key.second != node) continue;
    link.sides[node].is_up = false;
    lose(key);
  }
}

void Fabric::break_link(NodeNumber one, NodeNumber other, Duration silence) {
  const Key key = key_of(one, other);
  const auto link = links_.find(key);
  if (link == links_.end()) return;
  world_.trace("the link of nodes " + std::to_string(one) + " and " + std::to_string(other) + " breaks for " +
               std::to_string(silence / millisecond) + " ms");
  link->second.cut_until = std::max(link->second.cut_until, world_.now() + silence);
  lose(key);
}

void Fabric::cut_off(NodeNumber node, Duration silence) {
  for (const auto& [other, end] : nodes_) {
    if (other != node) break_link(node, other, silence);
  }
}

bool Fabric::is_up(NodeNumber self, NodeNumber peer) const {
  const auto link = links_.find(key_of(self, peer));
  return link != links_.end() && link->second.sides.at(self).is_up;
}

bool Fabric::all_up() const {
  return std::all_of(links_.begin(), links_.end(), [](const auto& link) {
    const auto& sides = link.second.sides;
    return std::all_of(sides.begin(), sides.end(), [](const auto& side) { return side.second.is_up; });
  });
}

bool Fabric::send(NodeNumber from, NodeNumber to, LinkWords words) {
  const Key key = key_of(from, to);
  const auto found = links_.find(key);
  if (found == links_.end() || !found->second.sides.at(from).is_up) return false;
  if (const auto lost = to_lose_.find(words.kind); lost != to_lose_.end()) {
    to_lose_.erase(lost);
    return true;
  }
  Link& link = found->second;
  Duration at = world_.now() + world_.between(30 * microsecond, most_latency);
  if (world_.chance(slow)) at += world_.between(Duration::zero(), slowest);
  Duration& last = link.sides.at(from).last_arrival;
  last = at = std::max(at, last);
  world_.after(at - world_.now(), [this, key, from, to, connection = link.connection, words] {
    const auto end = nodes_.find(to);
    if (connection != 0 && links_.at(key).connection == connection && end != nodes_.end()) {
      end->second->heard(from, words);
    }
  });
  return true;
}

void Fabric::say_hello_again(NodeNumber from, NodeNumber to) {
  const Key key = key_of(from, to);
  world_.after(world_.between(30 * microsecond, most_latency),
               [this, key, from, to, connection = links_.at(key).connection] {
                 const Link& link = links_.at(key);
                 const auto node = nodes_.find(to);
                 if (link.connection != connection || node == nodes_.end() || !link.sides.at(to).is_up)
                   return;
                 node->second->link_turned(from, false);
                 node->second->link_turned(from, true);
               });
}

// An end that is dead learns nothing, and a new one knows nothing of it.
void Fabric::lose(const Key& key) {
  links_.at(key).connection = 0;
  for (const NodeNumber end : {key.first, key.second}) {
    world_.after(world_.between(Duration::zero(), 100 * millisecond),
                 [this, key, end] { notice_loss(key, end); });
  }
  try_to_connect(key);
}

void Fabric::notice_loss(const Key& key, NodeNumber end) {
  Link& link = links_.at(key);
  if (link.connection != 0 || !link.sides.at(end).is_up) return;
  link.sides.at(end).is_up = false;
  const auto node = nodes_.find(end);
  if (node != nodes_.end()) node->second->link_turned(end == key.first ? key.second : key.first, false);
}

void Fabric::try_to_connect(const Key& key) {
  Link& link = links_.at(key);
  if (link.connection != 0 || std::exchange(link.tries, true)) return;
  world_.after(world_.between(20 * millisecond, 200 * millisecond), [this, key] {
    Link& tried = links_.at(key);
    tried.tries = false;
    if (!nodes_.contains(key.first) || !nodes_.contains(key.second)) return;
    const bool is_noticed = !tried.sides.at(key.first).is_up && !tried.sides.at(key.second).is_up;
    if (tried.connection == 0 && is_noticed && world_.now() >= tried.cut_until) return connect(key);
    try_to_connect(key);
  });
}

void Fabric::connect(const Key& key) {
  Link& link = links_.at(key);
  link.connection = ++connections_;
  for (const NodeNumber end : {key.first, key.second}) {
    link.sides.at(end).last_arrival = world_.now();
    world_.after(world_.between(Duration::zero(), 5 * millisecond),
                 [this, key, end, connection = link.connection] {
                   Link& connected = links_.at(key);
                   const auto node = nodes_.find(end);
                   if (connected.connection != connection || node == nodes_.end()) return;
                   connected.sides.at(end).is_up = true;
                   node->second->link_turned(end == key.first ? key.second : key.first, true);
                 });
  }
}

}  // namespace stint::sim
