#include "nodes/runtime/server_link.hpp"

#include <cassert>
#include <cstring>
#include <utility>

#include "nodes/runtime/wire_message.hpp"
#include "protocol/codec.hpp"
#include "protocol/frames.hpp"

namespace stint {
namespace {

zmq::socket_t make_dealer(zmq::context_t& context, const std::string& server) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  // Nothing waits for a connection that is not there: a restarted server must not hear what was meant for the
  // old one.
  socket.set(zmq::sockopt::immediate, true);
  socket.set(zmq::sockopt::maxmsgsize, Bounds::message_bytes + (1 << 20));
  socket.set(zmq::sockopt::reconnect_ivl, 50);
  socket.set(zmq::sockopt::reconnect_ivl_max, 1'000);
  socket.set(zmq::sockopt::connect_timeout, 3'000);
  socket.set(zmq::sockopt::handshake_ivl, 3'000);
  socket.set(zmq::sockopt::heartbeat_ivl, 2'000);
  socket.set(zmq::sockopt::heartbeat_timeout, 6'000);
  socket.set(zmq::sockopt::heartbeat_ttl, 15'000);
  // What a worker says last, its goodbye, gets the time to leave.
  socket.set(zmq::sockopt::linger, 1'000);
  socket.set(zmq::sockopt::ipv6, is_ipv6(server));
  return socket;
}

zmq::socket_t make_monitor(zmq::context_t& context, zmq::socket_t& socket) {
  // The monitored socket is alive, so no other has its address.
  const std::string endpoint =
      "inproc://stint-server-link-" + std::to_string(reinterpret_cast<std::uintptr_t>(socket.handle()));
  const int events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED |
                     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                     ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
  if (zmq_socket_monitor(socket.handle(), endpoint.c_str(), events) != 0) throw zmq::error_t();
  zmq::socket_t monitor(context, zmq::socket_type::pair);
  monitor.set(zmq::sockopt::linger, 0);
  monitor.connect(endpoint);
  return monitor;
}

std::string to_correlation(std::uint64_t tag) {
  std::string bytes(sizeof tag, '\0');
  std::memcpy(bytes.data(), &tag, sizeof tag);
  return bytes;
}

std::optional<std::uint64_t> to_tag(std::string_view correlation) {
  std::uint64_t tag = 0;
  if (correlation.size() != sizeof tag) return std::nullopt;
  std::memcpy(&tag, correlation.data(), sizeof tag);
  return tag;
}

std::uint16_t event_of(std::string_view frame) {
  std::uint16_t event = 0;
  assert(frame.size() >= sizeof event);
  std::memcpy(&event, frame.data(), sizeof event);
  return event;
}

}  // namespace

Result<std::unique_ptr<ServerLink>, Failure> ServerLink::open(zmq::context_t& context,
                                                              ServerLinkConfig config, Log& log) {
  assert(!config.servers.empty());
  auto connection = connect(context, config.servers.front());
  if (!connection) return connection.error();
  return std::unique_ptr<ServerLink>(new ServerLink(context, std::move(*connection), std::move(config), log));
}

Result<ServerLink::Connection, Failure> ServerLink::connect(zmq::context_t& context,
                                                            const std::string& server) {
  try {
    Connection connection;
    connection.dealer = make_dealer(context, server);
    connection.monitor = make_monitor(context, connection.dealer);
    connection.dealer.connect(server);
    return connection;
  } catch (const zmq::error_t& error) {
    return Failure{.status = ExitStatus::config,
                   .message = "cannot connect to " + server + ": " + error.what()};
  }
}

ServerLink::ServerLink(zmq::context_t& context, Connection connection, ServerLinkConfig config, Log& log)
    : context_(context), connection_(std::move(connection)), config_(std::move(config)), log_(log) {}

std::size_t ServerLink::receive(ActorSystem& actors, std::size_t most) {
  std::size_t taken = 0;
  for (; taken < most && incoming_.receive(socket()); ++taken) {
    const auto frames = parse_frames(incoming_.frames());
    const auto tag = frames ? to_tag(frames->correlation) : std::nullopt;
    // Without its tag nobody waits for it.
    if (!tag) continue;
    auto answer = decode_answer(frames->type, frames->body, config_.bounds);
    if (!answer) {
      log_.warning("an answer of the server cannot be read",
                   {{"server", server()}, {"type", frames->type}, {"reason", answer.error().message}});
      continue;
    }
    const bool posted =
        actors.post({{Place::server, 0}, {Place::worker, *tag}, to_message(std::move(*answer))});
    // A turn takes fewer messages than a mailbox holds.
    assert(posted);
    static_cast<void>(posted);
  }
  return taken;
}

bool ServerLink::send(Envelope&& envelope) {
  if (!up_) return false;
  const auto request = to_wire<Request>(std::move(envelope.message));
  assert(request && "only requests are sent to a server");
  const std::string correlation = to_correlation(envelope.from.id);
  const std::string body = encode(*request);
  // A server that reads too slowly is like one that is away: the worker repeats itself.
  return send_multipart(socket(), {wire_magic, wire_type(*request), correlation, body});
}

void ServerLink::tend(ActorSystem& actors, Instant now) {
  if (!std::exchange(tended_, true)) went_down(actors, now);
  hear_monitor(actors, now);
  if (give_up_at_ && now >= *give_up_at_) try_next_server(now);
}

void ServerLink::hear_monitor(ActorSystem& actors, Instant now) {
  Multipart event;
  while (event.receive(monitor())) {
    switch (event_of(event.frames()[0])) {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        came_up(actors);
        break;
      case ZMQ_EVENT_DISCONNECTED:
        log_.warning("the server is away", {{"server", server()}});
        went_down(actors, now);
        break;
      default:
        log_.warning("the server does not speak to this node", {{"server", server()}});
        break;
    }
  }
}

void ServerLink::came_up(ActorSystem& actors) {
  log_.info("connected", {{"server", server()}});
  up_ = true;
  refusal_told_ = false;
  give_up_at_.reset();
  actors.post({{Place::server, 0}, {Place::worker, 0}, LinkUp{}});
}

void ServerLink::went_down(ActorSystem& actors, Instant now) {
  up_ = false;
  if (config_.servers.size() > 1 && !give_up_at_) give_up_at_ = now + config_.patience;
  actors.post({{Place::server, 0}, {Place::worker, 0}, LinkDown{}});
}

void ServerLink::try_next_server(Instant now) {
  const std::string left = server();
  current_ = (current_ + 1) % config_.servers.size();
  give_up_at_ = now + config_.patience;
  log_.warning("trying the next server", {{"left", left}, {"server", server()}});
  auto connection = connect(context_, server());
  if (connection) {
    connection_.dealer.set(zmq::sockopt::linger, 0);
    connection_ = std::move(*connection);
  } else {
    log_.error("cannot connect", {{"server", server()}, {"reason", connection.error().message}});
  }
}

}  // namespace stint
