// FrontDoor: the ROUTER where requests come in and answers leave. Checks frames and bodies, remembers who
// asked, and answers by itself what never reaches an actor: faults, pings, refusals. What another node of the
// cluster is to answer it passes on, and keeps until it is answered (rule D9). Owned by the node, used by its
// loop alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <zmq.hpp>

#include "nodes/cli/exit_status.hpp"
#include "nodes/runtime/multipart.hpp"
#include "nodes/runtime/open_requests.hpp"
#include "nodes/runtime/ports.hpp"
#include "protocol/bounds.hpp"
#include "protocol/frames.hpp"
#include "protocol/messages.hpp"
#include "protocol/result.hpp"

namespace stint {

struct FrontDoorConfig {
  std::string endpoint;
  bool insecure = false;  // may listen beyond loopback
  Bounds bounds;
  std::string server;  // what the node calls itself in `pong`
  std::int64_t epoch = 0;
  std::size_t open_requests = 100'000;
  std::size_t passed_on_bytes = 256u << 20;  // kept of what other nodes are to answer
  Peers* peers = nullptr;                    // nothing: the node is alone
};

// What happened at the door since it opened.
struct DoorCounts {
  std::int64_t requests = 0;         // that reached an actor, of this node or another
  std::int64_t faults = 0;           // frames and bodies that were refused
  std::int64_t overloaded = 0;       // requests that found no place
  std::int64_t answers_dropped = 0;  // whose client had gone or read too slowly
};

class FrontDoor final : public Door {
 public:
  // Errors: config (an address beyond loopback without `insecure`), cannot_create (in use, malformed, not
  // ours).
  static Result<std::unique_ptr<FrontDoor>, Failure> open(zmq::context_t& context, FrontDoorConfig config);

  // What it really listens on, if a port was left open.
  std::string endpoint() const;
  zmq::socket_ref socket() { return socket_; }
  const DoorCounts& counts() const { return counts_; }
  std::size_t open_requests() const { return open_.size(); }

  std::size_t receive(ActorSystem& actors, std::size_t most) override;
  bool send(Envelope&& envelope) override;
  void refuse(std::optional<Error> error) override { refusal_ = std::move(error); }
  void answer_all(const Error& error) override;
  void pass_on_again(NodeNumber node) override;
  void pass_on_asks_again() override;
  void give_up_single(NodeNumber node) override;
  void answer_passed_on(NodeNumber node, const Error& error) override;

 private:
  FrontDoor(zmq::socket_t socket, FrontDoorConfig config);

  void take(const std::vector<std::string_view>& frames, ActorSystem& actors);
  void take_request(const ParsedFrames& request, std::string_view routing_id, ActorSystem& actors);
  void hear_link(const ParsedFrames& frames, std::string_view routing_id, ActorSystem& actors);
  // To an actor of this node ...
  void give(Message&& message, const Address& to, ReturnPath&& path, ActorSystem& actors);
  // ... or of another.
  void pass_on(PassedOn&& request, ReturnPath&& path);
  Error unavailable(NodeNumber node) const;
  void refuse_overload(const ReturnPath& path);
  void answer_fault(const Error& error, const ReturnPath& path);
  bool answer(const Answer& answer, const ReturnPath& path);
  bool send_answer(const Answer& answer, const ReturnPath& path);

  zmq::socket_t socket_;
  FrontDoorConfig config_;
  OpenRequests open_;
  std::optional<Error> refusal_;
  DoorCounts counts_;
  Multipart incoming_;
};

}  // namespace stint
