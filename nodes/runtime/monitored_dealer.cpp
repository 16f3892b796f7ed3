#include "nodes/runtime/monitored_dealer.hpp"

#include <cassert>
#include <cstdint>
#include <cstring>

#include "protocol/bounds.hpp"

namespace stint {
namespace {

zmq::socket_t make_dealer(zmq::context_t& context, const std::string& endpoint,
                          const MonitoredDealer::Options& options) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  // Nothing waits for a connection that is not there: a restarted server must not hear what was meant for the
  // old one.
  socket.set(zmq::sockopt::immediate, true);
  socket.set(zmq::sockopt::sndhwm, options.most_waiting);
  socket.set(zmq::sockopt::maxmsgsize, Bounds::message_bytes + (1 << 20));
  socket.set(zmq::sockopt::reconnect_ivl, 50);
  socket.set(zmq::sockopt::reconnect_ivl_max, options.longest_pause_ms);
  socket.set(zmq::sockopt::connect_timeout, 3'000);
  socket.set(zmq::sockopt::handshake_ivl, 3'000);
  socket.set(zmq::sockopt::heartbeat_ivl, 2'000);
  socket.set(zmq::sockopt::heartbeat_timeout, 6'000);
  socket.set(zmq::sockopt::heartbeat_ttl, 15'000);
  // What is said last, a worker's goodbye, gets the time to leave.
  socket.set(zmq::sockopt::linger, 1'000);
  socket.set(zmq::sockopt::ipv6, is_ipv6(endpoint));
  return socket;
}

zmq::socket_t make_monitor(zmq::context_t& context, zmq::socket_t& socket) {
  // The monitored socket is alive, so no other has its address.
  const std::string endpoint =
      "inproc://stint-dealer-" + std::to_string(reinterpret_cast<std::uintptr_t>(socket.handle()));
  const int events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED |
                     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                     ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
  if (zmq_socket_monitor(socket.handle(), endpoint.c_str(), events) != 0) throw zmq::error_t();
  zmq::socket_t monitor(context, zmq::socket_type::pair);
  monitor.set(zmq::sockopt::linger, 0);
  monitor.connect(endpoint);
  return monitor;
}

std::uint16_t number_of(std::string_view frame) {
  std::uint16_t event = 0;
  assert(frame.size() >= sizeof event);
  std::memcpy(&event, frame.data(), sizeof event);
  return event;
}

}  // namespace

Result<MonitoredDealer, Failure> MonitoredDealer::open(zmq::context_t& context, const std::string& endpoint,
                                                       Options options) {
  try {
    MonitoredDealer opened;
    opened.dealer_ = make_dealer(context, endpoint, options);
    opened.monitor_ = make_monitor(context, opened.dealer_);
    opened.dealer_.connect(endpoint);
    return opened;
  } catch (const zmq::error_t& error) {
    return Failure{.status = ExitStatus::config,
                   .message = "cannot connect to " + endpoint + ": " + error.what()};
  }
}

std::optional<MonitoredDealer::Event> MonitoredDealer::next_event() {
  if (!event_.receive(monitor_)) return std::nullopt;
  switch (number_of(event_.frames()[0])) {
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      return Event::connected;
    case ZMQ_EVENT_DISCONNECTED:
      return Event::disconnected;
    default:
      return Event::not_understood;
  }
}

}  // namespace stint
