#include "tests/sim/world/sim_link.hpp"

#include <cstring>
#include <string>

#include "nodes/runtime/wire_message.hpp"
#include "protocol/codec.hpp"

namespace stint::sim {

namespace {

std::string to_correlation(std::uint64_t tag) {
  std::string bytes(sizeof tag, '\0');
  std::memcpy(bytes.data(), &tag, sizeof tag);
  return bytes;
}

std::uint64_t to_tag(const std::string& correlation) {
  std::uint64_t tag = 0;
  std::memcpy(&tag, correlation.data(), std::min(correlation.size(), sizeof tag));
  return tag;
}

}  // namespace

std::size_t SimLink::receive(ActorSystem& actors, std::size_t most) {
  std::size_t taken = 0;
  for (; taken < most && !inbox_.empty(); ++taken) {
    const Frames frames = std::move(inbox_.front());
    inbox_.pop_front();
    auto answer = decode_answer(frames.type, frames.body, bounds_);
    if (!answer) {
      world_.fail("D9", "an answer cannot be read: " + answer.error().message);
      continue;
    }
    if (const auto* batch = std::get_if<Batch>(&*answer)) checker_.arrived(session_, *batch);
    actors.post(
        {{Place::server}, {Place::worker, to_tag(frames.correlation)}, to_message(std::move(*answer))});
  }
  return taken;
}

bool SimLink::send(Envelope&& envelope) {
  const auto request = to_wire<Request>(std::move(envelope.message));
  if (!request) {
    world_.fail("D9", "something that is no request was sent to the server");
    return false;
  }
  network_.to_server(peer_,
                     {std::string(wire_type(*request)), to_correlation(envelope.from.id), encode(*request)});
  return true;
}

void SimLink::tend(ActorSystem& actors, Instant) {
  for (; !turned_.empty(); turned_.pop_front()) {
    const Message turn = turned_.front() ? Message(LinkUp{}) : Message(LinkDown{});
    actors.post({{Place::server}, {Place::worker}, turn});
  }
}

}  // namespace stint::sim
