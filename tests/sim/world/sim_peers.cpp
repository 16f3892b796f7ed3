#include "tests/sim/world/sim_peers.hpp"

#include "nodes/links/crossing.hpp"
#include "nodes/links/link_codec.hpp"

namespace stint::sim {

namespace {

// Stands for every open request of a door that came to this node.
constexpr std::uint64_t all_requests = 0;

bool waits(const Address& asker) {
  return (asker.place == Place::door || asker.place == Place::worker) && asker.id != all_requests;
}

}  // namespace

void SimPeers::turned(NodeNumber peer, bool is_up) {
  news_.push_back({peer, is_up ? News::Kind::up : News::Kind::lost, {}});
  // The other end may have had the link up before.
  if (is_up && has_lost_answers_.erase(peer) > 0) fabric_.say_hello_again(node_.self, peer);
}

void SimPeers::give_up(NodeNumber peer) {
  Error error{ErrorCode::unavailable, "node " + name_of(peer) + " is away"};
  error.retry_in_ms = away_retry_ms;
  news_.push_back({peer, News::Kind::refuses, std::move(error)});
}

void SimPeers::tend(Instant now) {
  for (; !inbox_.empty(); inbox_.pop_front()) take(inbox_.front().first, inbox_.front().second, now);
}

void SimPeers::take(NodeNumber peer, const LinkWords& words, Instant now) {
  auto message = decode_from_link(words.kind, words.body, now, Bounds{});
  if (!message) {
    return world_.fail("L12", "what a link brings cannot be read: " + message.error().message);
  }
  if (!may_cross(words.from, words.to, *message, *node_.cluster.find(peer))) {
    return world_.fail("L12", words.kind + " makes no sense from node " + std::to_string(peer));
  }
  Address from = words.from;
  Address to = words.to;
  from.node = peer;
  to.node = node_.self;
  if (refusal_ && waits(from)) return answer(from, *refusal_);
  if (to.place == Place::door && to.id == all_requests) {
    news_.push_back({peer, News::Kind::refuses, std::get<Error>(*message)});
  } else if (to.place == Place::door) {
    answers_.push_back({from, to, std::move(*message)});
  } else {
    if (node_.store != nullptr) note(*message);
    if (!node_.actors.post({from, to, std::move(*message)})) world_.fail("D9", "a mailbox is full");
  }
}

// Storage hears it.
void SimPeers::note(const Message& message) {
  if (const auto* resume = std::get_if<Resume>(&message)) checker_.limits.takes(*resume);
  if (const auto* set = std::get_if<SetLimit>(&message)) checker_.limits.takes(*set);
  if (const auto* finish = std::get_if<Finish>(&message)) checker_.takes(*finish);
  if (const auto* beat = std::get_if<Heartbeat>(&message)) checker_.takes(*beat);
  if (const auto* check = std::get_if<CheckAsk>(&message)) checker_.takes(check->ask);
  if (const auto* got = std::get_if<Acknowledge>(&message)) checker_.takes(got->session, got->got);
}

bool SimPeers::send(Envelope&& envelope) {
  // That the storage is out is said while it is being rebuilt.
  const bool is_error = std::holds_alternative<Error>(envelope.message);
  if (node_.store != nullptr && node_.store->has_changes() && !is_error) {
    world_.fail("D2", "something is sent to another node before its turn has committed");
  }
  world_.spend(world_.between(1 * microsecond, 20 * microsecond));
  std::optional<Batch> batch;
  if (const auto* found = std::get_if<Batch>(&envelope.message)) batch = *found;
  const auto body = encode_for_link(std::move(envelope.message), node_.clock.now());
  if (!body) {
    world_.fail("L12", "something is sent to another node that must not leave");
    return false;
  }
  if (!fabric_.send(node_.self, envelope.to.node,
                    {envelope.from, envelope.to, std::string(body->kind), body->bytes})) {
    if (envelope.to.place == Place::door) has_lost_answers_.insert(envelope.to.node);
    if (batch && node_.store != nullptr) checker_.leases.cannot_leave(*batch);
    return false;
  }
  if (batch && node_.store != nullptr) {
    checker_.starts(*batch);
    checker_.leaves(*batch);
  }
  return true;
}

bool SimPeers::pass_on(const Address& from, const Address& to, std::string_view type, std::string_view body) {
  return fabric_.send(node_.self, to.node, {from, to, std::string(type), std::string(body)});
}

void SimPeers::answer_all(const Error& error) {
  for (const ClusterNode& node : node_.cluster.nodes()) {
    if (node.number != node_.self) answer({Place::door, all_requests, node.number}, error);
  }
}

void SimPeers::answer(const Address& asker, Error error) {
  const Place self = node_.self == ClusterMap::storage ? Place::storage : Place::limiter;
  static_cast<void>(send({{self, 0, node_.self}, asker, std::move(error)}));
}

}  // namespace stint::sim
