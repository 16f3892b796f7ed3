#include "tests/sim/world/sim_door.hpp"

#include <algorithm>

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
  auto decoded = decode_request(frames.type, frames.body, bounds_);
  if (!decoded) {
    say(from, frames.correlation, decoded.error());
    return;
  }
  checker_.limits.takes(decoded->request);
  const std::uint64_t id = ++last_id_;
  Open& open = open_[id];
  open = {from, frames.correlation, decoded->request,
          world_.now() + std::chrono::milliseconds(wait_of(decoded->request))};
  Message message = to_message(std::move(decoded->request));
  const Place responsible = responsible_for(message);
  if (!actors.post({{Place::door, id}, {responsible}, std::move(message)})) {
    world_.fail("D9", "a mailbox is full");
  }
}

bool SimDoor::send(Envelope&& envelope) {
  if (store_.has_changes()) world_.fail("D2", "something is sent before its turn has committed");
  const auto found = open_.find(envelope.to.id);
  if (found == open_.end()) {
    if (!closed_by_failure_.contains(envelope.to.id)) world_.fail("D1", "a request was answered twice");
    return false;
  }
  const auto answer = to_wire<Answer>(std::move(envelope.message));
  if (!answer) {
    world_.fail("D1", "something that is no answer was sent to a client");
    return false;
  }
  checker_.answers(found->second.request, *answer);
  checker_.limits.answers(found->second.request, *answer);
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
  world_.spend(world_.between(1 * microsecond, 20 * microsecond));
  if (const auto* batch = std::get_if<Batch>(&answer)) {
    checker_.limits.leaves(*batch);
    checker_.idle.leaves(*batch);
  }
  network_.to_peer(to, {std::string(wire_type(answer)), correlation, encode(answer)});
  return network_.reaches(to);
}

std::vector<const RequestBatch*> SimDoor::open_asks() const {
  std::vector<const RequestBatch*> asks;
  for (const auto& [id, open] : open_) {
    if (const auto* ask = std::get_if<RequestBatch>(&open.request)) asks.push_back(ask);
  }
  return asks;
}

Duration SimDoor::longest_overdue() const {
  Duration longest{};
  for (const auto& [id, open] : open_) longest = std::max(longest, world_.now() - open.expected_by);
  return longest;
}

}  // namespace stint::sim
