#include "tests/sim/world/network.hpp"

#include <algorithm>
#include <utility>

namespace stint::sim {

int Network::join(Peer& peer) {
  const int id = ++peers_;
  links_[id].peer = &peer;
  try_to_connect(id);
  return id;
}

void Network::leave(int peer) { links_.erase(peer); }

bool Network::reaches(Connection to) const {
  const auto link = links_.find(to.peer);
  return link != links_.end() && link->second.connection == to.number;
}

bool Network::is_connected(int peer) const {
  const auto link = links_.find(peer);
  return link != links_.end() && link->second.connection != 0;
}

void Network::drop_connection(int peer) {
  if (!is_connected(peer)) return;
  world_.trace("the connection of peer " + std::to_string(peer) + " drops");
  break_connection(peer);
}

void Network::cut(int peer, Duration span) {
  const auto link = links_.find(peer);
  if (link == links_.end()) return;
  world_.trace("peer " + std::to_string(peer) + " is cut off for " + std::to_string(span / millisecond) +
               " ms");
  link->second.cut_until = std::max(link->second.cut_until, world_.now() + span);
  // A connection is noticed gone only after a while.
  if (span < 2 * second) return;
  world_.after(world_.between(1 * second, 2 * second), [this, peer] { break_connection(peer); });
}

void Network::server_is_up(ServerSide& server) {
  server_ = &server;
  for (auto& [peer, link] : links_) try_to_connect(peer);
}

void Network::server_is_down() {
  server_ = nullptr;
  for (auto& [id, link] : links_) {
    if (link.connection == 0) continue;
    const int peer = id;
    const std::uint64_t connection = link.connection;
    world_.after(world_.between(Duration::zero(), 100 * millisecond), [this, peer, connection] {
      const auto found = links_.find(peer);
      if (found != links_.end() && found->second.connection == connection) break_connection(peer);
    });
  }
}

void Network::break_connection(int peer) {
  const auto link = links_.find(peer);
  if (link == links_.end() || link->second.connection == 0) return;
  link->second.connection = 0;
  link->second.peer->disconnected();
  try_to_connect(peer);
}

void Network::try_to_connect(int peer) {
  Link& link = links_.at(peer);
  if (link.connection != 0 || std::exchange(link.tries, true)) return;
  world_.after(world_.between(20 * millisecond, 200 * millisecond), [this, peer] {
    const auto found = links_.find(peer);
    if (found == links_.end()) return;
    found->second.tries = false;
    if (server_ == nullptr || is_cut(found->second)) return try_to_connect(peer);
    found->second.connection = ++connections_;
    found->second.peer->connected();
  });
}

Duration Network::arrival(Duration& last) {
  Duration at = world_.now() + world_.between(faults.least_latency, faults.most_latency);
  if (world_.chance(faults.slow)) at += world_.between(Duration::zero(), faults.slowest);
  if (!world_.chance(faults.reordered)) at = std::max(at, last);
  last = std::max(last, at);
  return at;
}

void Network::to_server(int peer, Frames request) {
  const auto link = links_.find(peer);
  if (link == links_.end() || link->second.connection == 0) return;
  const Connection from{peer, link->second.connection};
  const int copies = world_.chance(faults.doubled) ? 2 : 1;
  for (int copy = 0; copy < copies; ++copy) {
    if (world_.chance(faults.lost)) continue;
    const Duration at = arrival(link->second.last_to_server);
    world_.after(at - world_.now(), [this, from, request] { arrive_at_server(from, request, 20); });
  }
}

void Network::arrive_at_server(Connection from, const Frames& request, int tries_left) {
  const auto link = links_.find(from.peer);
  const bool same = link != links_.end() && link->second.connection == from.number;
  const bool passes = server_ != nullptr && (link == links_.end() || !is_cut(link->second));
  if (passes && same) return server_->received(from, request);
  const bool comes_late = tries_left == 20 ? world_.chance(faults.late) : tries_left > 0;
  if (!comes_late) return;
  // It waits somewhere for a server, old or new; an answer to its connection may find nobody.
  if (passes && world_.chance(0.5)) {
    return server_->received(
        same || link == links_.end() ? from : Connection{from.peer, link->second.connection}, request);
  }
  world_.after(100 * millisecond, [=, this] { arrive_at_server(from, request, tries_left - 1); });
}

void Network::to_peer(Connection to, Frames answer) {
  const auto link = links_.find(to.peer);
  if (link == links_.end()) return;
  const int copies = world_.chance(faults.doubled) ? 2 : 1;
  for (int copy = 0; copy < copies; ++copy) {
    if (world_.chance(faults.lost)) continue;
    const Duration at = arrival(link->second.last_to_peer);
    world_.after(at - world_.now(), [this, to, answer] { arrive_at_peer(to, answer); });
  }
}

void Network::arrive_at_peer(Connection to, const Frames& answer) {
  const auto link = links_.find(to.peer);
  if (link == links_.end() || link->second.connection != to.number || is_cut(link->second)) return;
  link->second.peer->received(answer);
}

}  // namespace stint::sim
