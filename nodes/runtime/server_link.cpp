#include "nodes/runtime/server_link.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "nodes/runtime/wire_message.hpp"
#include "protocol/codec.hpp"
#include "protocol/frames.hpp"

namespace stint {
namespace {

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

}  // namespace

Result<std::unique_ptr<ServerLink>, Failure> ServerLink::open(zmq::context_t& context,
                                                              ServerLinkConfig config, Log& log) {
  assert(!config.servers.empty());
  auto connection = MonitoredDealer::open(context, config.servers.front(), {});
  if (!connection) return connection.error();
  return std::unique_ptr<ServerLink>(new ServerLink(context, std::move(*connection), std::move(config), log));
}

ServerLink::ServerLink(zmq::context_t& context, MonitoredDealer connection, ServerLinkConfig config, Log& log)
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
  if (!std::exchange(tended_, true)) {
    went_down(actors, now);
    tell_away_at_ = now + config_.tell_after;
  }
  hear_monitor(actors, now);
  if (tell_away_at_ && now >= *tell_away_at_) {
    tell_away_at_.reset();
    log_.warning("no server answers yet, trying on", {{"server", server()}});
  }
  if (give_up_at_ && now >= *give_up_at_) try_next_server(now);
}

std::optional<Instant> ServerLink::next_deadline() const {
  if (!tell_away_at_ || !give_up_at_) return tell_away_at_ ? tell_away_at_ : give_up_at_;
  return std::min(*tell_away_at_, *give_up_at_);
}

void ServerLink::hear_monitor(ActorSystem& actors, Instant now) {
  while (const auto event = connection_.next_event()) {
    switch (*event) {
      case MonitoredDealer::Event::connected:
        came_up(actors);
        break;
      case MonitoredDealer::Event::disconnected:
        log_.warning("the server is away, trying on", {{"server", server()}});
        went_down(actors, now);
        break;
      case MonitoredDealer::Event::not_understood:
        if (std::exchange(refusal_told_, true)) break;
        log_.warning("what listens there does not speak as a stint server", {{"server", server()}});
        break;
    }
  }
}

void ServerLink::came_up(ActorSystem& actors) {
  log_.info("connected", {{"server", server()}});
  up_ = true;
  refusal_told_ = false;
  servers_tried_ = 0;
  tell_away_at_.reset();
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
  refusal_told_ = false;
  if (++servers_tried_ <= config_.servers.size()) {
    log_.warning("trying the next server", {{"left", left}, {"server", server()}});
  }
  auto connection = MonitoredDealer::open(context_, server(), {});
  if (connection) {
    connection_.give_up();
    connection_ = std::move(*connection);
  } else {
    log_.error("cannot connect", {{"server", server()}, {"reason", connection.error().message}});
  }
}

}  // namespace stint
