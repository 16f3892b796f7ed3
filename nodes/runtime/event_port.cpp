#include "nodes/runtime/event_port.hpp"

#include <cassert>
#include <utility>

#include "actors/events/event_chunk.hpp"
#include "nodes/runtime/listen.hpp"
#include "nodes/runtime/multipart.hpp"
#include "protocol/codec.hpp"

namespace stint {
namespace {

// Subscribers say nothing but topics.
constexpr std::int64_t longest_message = 1'024;
constexpr int subscriptions_a_turn = 1'000;

zmq::socket_t make_publisher(zmq::context_t& context, const std::string& endpoint) {
  zmq::socket_t socket(context, zmq::socket_type::xpub);
  socket.set(zmq::sockopt::sndhwm, EventPort::most_waiting);
  socket.set(zmq::sockopt::maxmsgsize, longest_message);
  socket.set(zmq::sockopt::handshake_ivl, 5'000);
  // Whoever stands still is let go, and with it what waits for it.
  socket.set(zmq::sockopt::heartbeat_ivl, 5'000);
  socket.set(zmq::sockopt::heartbeat_timeout, 15'000);
  socket.set(zmq::sockopt::heartbeat_ttl, 15'000);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::ipv6, is_ipv6(endpoint));
  return socket;
}

}  // namespace

Result<std::unique_ptr<EventPort>, Failure> EventPort::open(zmq::context_t& context, EventPortConfig config) {
  auto socket = listen({.what = "event stream", .endpoint = config.endpoint, .insecure = config.insecure},
                       [&] { return make_publisher(context, config.endpoint); });
  if (!socket) return std::move(socket.error());
  return std::unique_ptr<EventPort>(new EventPort(std::move(*socket)));
}

std::string EventPort::endpoint() const { return socket_.get(zmq::sockopt::last_endpoint); }

void EventPort::tend() {
  for (int left = subscriptions_a_turn; left > 0 && incoming_.receive(socket_); --left) {
    subscriptions_.hear(incoming_.frames().front());
  }
}

void EventPort::publish(EventsWritten&& written) {
  if (written.chunk.messages > 0) publish_chunk(written);
  for (EventMessage& message : written.passing) {
    message.log = written.log;
    publish(message);
  }
  if (written.head && subscriptions_.want(log_head_topic)) send(log_head_topic, encode(*written.head));
}

void EventPort::publish_chunk(const EventsWritten& written) {
  if (!subscriptions_.want_any("job/") && !subscriptions_.want_any("limit/")) return;
  const auto messages = decode_events(written.chunk, written.log);
  assert(messages && "what was just written can be read");
  if (!messages) return;
  for (const EventMessage& message : *messages) publish(message);
}

void EventPort::publish(const EventMessage& message) {
  const std::string topic = topic_of(message);
  if (subscriptions_.want(topic)) send(topic, encode(message));
}

void EventPort::send(std::string_view topic, std::string_view body) {
  // An XPUB socket takes every message: subscribers with no room for it miss it.
  const bool sent = send_multipart(socket_, {topic, body});
  assert(sent);
  if (sent) ++published_;
}

}  // namespace stint
