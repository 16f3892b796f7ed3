// SimPeers: the ways of a simulated node to the other nodes of its cluster, over the fabric and with the real
// codec of links.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nodes/links/cluster_map.hpp"
#include "nodes/runtime/clock.hpp"
#include "nodes/runtime/ports.hpp"
#include "protocol/bounds.hpp"
#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/fabric.hpp"
#include "tests/sim/world/observed_store.hpp"

namespace stint::sim {

class SimPeers : public Peers {
 public:
  struct Node {
    NodeNumber self = 0;
    const ClusterMap& cluster;
    NodeClock& clock;
    ActorSystem& actors;
    ObservedStore* store = nullptr;  // of the storage node
  };

  SimPeers(World& world, Fabric& fabric, Checker& checker, Node node)
      : world_(world), fabric_(fabric), checker_(checker), node_(node) {}

  void arrive(NodeNumber peer, LinkWords words) { inbox_.emplace_back(peer, std::move(words)); }
  void turned(NodeNumber peer, bool is_up);
  bool has_arrivals() const { return !inbox_.empty() || !news_.empty(); }
  // The node has been away for long: nobody should wait for it any more.
  void give_up(NodeNumber peer);

  void tend(Instant now) override;
  std::optional<Instant> next_deadline() const override { return std::nullopt; }
  const std::string& name_of(NodeNumber node) const override { return node_.cluster.find(node)->name; }
  bool is_ready() const override { return true; }
  std::optional<LinkReply> hear(const LinkFrames&, ActorSystem&) override { return std::nullopt; }
  std::vector<Envelope> take_answers() override { return std::exchange(answers_, {}); }
  std::vector<News> take_news() override { return std::exchange(news_, {}); }
  bool send(Envelope&& envelope) override;
  bool pass_on(const Address& from, const Address& to, std::string_view type, std::string_view body) override;
  void refuse(std::optional<Error> error) override { refusal_ = std::move(error); }
  void answer_all(const Error& error) override;

 private:
  void take(NodeNumber peer, const LinkWords& words, Instant now);
  void note(const Message& message);
  void answer(const Address& asker, Error error);

  World& world_;
  Fabric& fabric_;
  Checker& checker_;
  Node node_;
  std::deque<std::pair<NodeNumber, LinkWords>> inbox_;
  std::vector<Envelope> answers_;
  std::vector<News> news_;
  std::optional<Error> refusal_;
  std::set<NodeNumber> has_lost_answers_;  // by this node, while the link was not up
};

}  // namespace stint::sim
