#include "tests/sim/world/sim_door.hpp"

#include <algorithm>

#include "nodes/links/cluster_map.hpp"
#include "nodes/runtime/wire_message.hpp"
#include "protocol/codec.hpp"

namespace stint::sim {

namespace {

std::int64_t wait_of(const Request& request) {
  if (const auto* ask = std::get_if<RequestBatch>(&request)) return ask->wait_ms;
  if (const auto* beat = std::get_if<Heartbeat>(&request)) return beat->wait_ms;
  return 0;
}

}  // namespace

std::size_t SimDoor::receive(ActorSystem& actors, std::size_t most) {
  if (world_.now() < hidden_until_) return 0;
  std::size_t taken = 0;
  for (; taken < most && !inbox_.empty(); ++taken) {
    const auto [from, frames] = std::move(inbox_.front());
    inbox_.pop_front();
    take(from, frames, actors);
  }
  return taken;
}

void SimDoor::take(const Connection& from, const Frames& frames, ActorSystem& actors) {
  if (refusal_) {
    say(from, frames.correlation, *refusal_);
    return;
  }
  auto decoded = decode_request(frames.type, frames.body, node_.bounds);
  if (!decoded) {
    say(from, frames.correlation, decoded.error());
    return;
  }
  if (node_.store != nullptr) {
    checker_.takes(decoded->request);
    checker_.limits.takes(decoded->request);
  }
  const std::uint64_t id = ++last_id_;
  Open& open = open_[id];
  open = {from, frames.correlation, decoded->request,
          world_.now() + std::chrono::milliseconds(wait_of(decoded->request))};
  Message message = to_message(std::move(decoded->request));
  const Address to = actors.destination(message);
  if (!actors.is_here(to)) {
    open.to = to;
    open.frames = frames;
    if (!pass_on(id))
      close(id, Error{ErrorCode::unavailable, "the node is away", {}, {}, Peers::away_retry_ms});
  } else if (!actors.post({{Place::door, id}, to, std::move(message)})) {
    world_.fail("D9", "a mailbox is full");
  }
}

bool SimDoor::send(Envelope&& envelope) {
  // What another node answers has nothing to do with this one's turn.
  const bool is_own = envelope.from.node == 0 || envelope.from.node == ClusterMap::storage;
  if (is_own && node_.store != nullptr && node_.store->has_changes()) {
    world_.fail("D2", "something is sent before its turn has committed");
  }
  const auto found = open_.find(envelope.to.id);
  if (found == open_.end()) {
    // What was passed on again may be answered again.
    const bool is_known = closed_by_failure_.contains(envelope.to.id) || node_.peers != nullptr;
    if (!is_known) world_.fail("D1", "a request was answered twice");
    return false;
  }
  const auto answer = to_wire<Answer>(std::move(envelope.message));
  if (!answer) {
    world_.fail("D1", "something that is no answer was sent to a client");
    return false;
  }
  const auto* batch = std::get_if<Batch>(&*answer);
  if (node_.store != nullptr) {
    checker_.limits.answers(found->second.request, *answer);
    checker_.leases.answers(found->second.request, *answer);
    if (batch == nullptr || node_.peers == nullptr) checker_.answers(found->second.request, *answer);
  } else if (batch == nullptr) {
    checker_.answers(found->second.request, *answer);
  }
  world_.spend(world_.between(1 * microsecond, 20 * microsecond));
  if (batch != nullptr && node_.store != nullptr && !is_silent()) {
    checker_.starts(*batch);
    if (node_.peers != nullptr) checker_.leaves(*batch);
  }
  const bool left = say(found->second.from, found->second.correlation, *answer);
  open_.erase(found);
  return left;
}

void SimDoor::answer_all(const Error& error) {
  for (const auto& [id, open] : open_) {
    closed_by_failure_.insert(id);
    say(open.from, open.correlation, error);
  }
  open_.clear();
}

bool SimDoor::say(const Connection& to, const std::string& correlation, const Answer& answer) {
  if (answers_left_) {
    ++said_since_;
    if (*answers_left_ <= 0) return true;
    --*answers_left_;
  }
  network_.to_peer(to, {std::string(wire_type(answer)), correlation, encode(answer)});
  return network_.reaches(to);
}

// --- What other nodes are to answer ---

bool SimDoor::pass_on(std::uint64_t id) {
  const Open& open = open_.at(id);
  return node_.peers != nullptr &&
         node_.peers->pass_on({Place::door, id}, *open.to, open.frames.type, open.frames.body);
}

std::vector<std::uint64_t> SimDoor::passed_on_to(NodeNumber node) const {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, open] : open_) {
    if (open.to && open.to->node == node) ids.push_back(id);
  }
  return ids;
}

void SimDoor::close(std::uint64_t id, const Error& error) {
  const auto open = open_.extract(id);
  say(open.mapped().from, open.mapped().correlation, error);
}

void SimDoor::pass_on_again(NodeNumber node) {
  for (const std::uint64_t id : passed_on_to(node)) {
    if (!pass_on(id))
      close(id, Error{ErrorCode::unavailable, "the node is away", {}, {}, Peers::away_retry_ms});
  }
}

void SimDoor::pass_on_asks_again() {
  for (const auto& [id, open] : open_) {
    if (open.to && open.to->place == Place::limiter) static_cast<void>(pass_on(id));
  }
}

void SimDoor::give_up_single(NodeNumber node) {
  for (const std::uint64_t id : passed_on_to(node)) {
    const auto* enqueue = std::get_if<Enqueue>(&open_.at(id).request);
    if (enqueue == nullptr || !enqueue->batch_key.empty()) continue;
    close(id, Error{ErrorCode::storage_unavailable, "the link broke", {}, {}, Peers::away_retry_ms});
  }
}

void SimDoor::answer_passed_on(NodeNumber node, const Error& error) {
  for (const std::uint64_t id : passed_on_to(node)) close(id, error);
}

std::vector<const RequestBatch*> SimDoor::open_asks() const {
  std::vector<const RequestBatch*> asks;
  for (const auto& [id, open] : open_) {
    if (const auto* ask = std::get_if<RequestBatch>(&open.request)) asks.push_back(ask);
  }
  return asks;
}

std::optional<std::string> SimDoor::overdue_by(Duration most) const {
  for (const auto& [id, open] : open_) {
    if (world_.now() - open.expected_by <= most) continue;
    std::string words(wire_type(open.request));
    if (const auto* ask = std::get_if<RequestBatch>(&open.request)) words += " " + std::to_string(ask->ask);
    return words + (open.to ? ", passed on to node " + std::to_string(open.to->node) : "");
  }
  return std::nullopt;
}

}  // namespace stint::sim
