// EventPort: the XPUB socket where subscribers hear what happens. Decodes and encodes only what somebody
// subscribes to. Owned by the node, used by its loop alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <zmq.hpp>

#include "nodes/cli/exit_status.hpp"
#include "nodes/runtime/multipart.hpp"
#include "nodes/runtime/ports.hpp"
#include "nodes/runtime/subscriptions.hpp"
#include "protocol/result.hpp"

namespace stint {

struct EventPortConfig {
  std::string endpoint;
  bool insecure = false;  // may listen beyond loopback
};

class EventPort final : public EventStream {
 public:
  // Messages that wait for one subscriber; it misses those beyond.
  static constexpr int most_waiting = 1000;

  // Errors: config (an address beyond loopback without `insecure`), cannot_create (in use, malformed, not
  // ours).
  static Result<std::unique_ptr<EventPort>, Failure> open(zmq::context_t& context, EventPortConfig config);

  // What it really listens on, if a port was left open.
  std::string endpoint() const;
  zmq::socket_ref socket() { return socket_; }
  // Messages that somebody subscribed to.
  std::int64_t published() const { return published_; }

  void tend() override;
  void publish(EventsWritten&& written) override;

 private:
  explicit EventPort(zmq::socket_t socket) : socket_(std::move(socket)) {}

  void publish_chunk(const EventsWritten& written);
  void publish(const EventMessage& message);
  void send(std::string_view topic, std::string_view body);

  zmq::socket_t socket_;
  Multipart incoming_;
  Subscriptions subscriptions_;
  std::int64_t published_ = 0;
};

}  // namespace stint
