#include "nodes/runtime/front_door.hpp"

#include <cassert>
#include <random>
#include <utility>

#include "nodes/runtime/frame_budget.hpp"
#include "nodes/runtime/listen.hpp"
#include "nodes/runtime/wire_message.hpp"
#include "protocol/codec.hpp"
#include "protocol/version.hpp"

namespace stint {
namespace {

// Of one turn: a turn's messages are in memory together.
constexpr std::size_t bytes_a_turn = 64u << 20;
constexpr std::int64_t overloaded_retry_ms = 200;

std::uint64_t random_number() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

zmq::socket_t make_router(zmq::context_t& context, const std::string& endpoint) {
  zmq::socket_t socket(context, zmq::socket_type::router);
  // An unknown or full peer is an error of send() instead of silence: it is counted.
  socket.set(zmq::sockopt::router_mandatory, true);
  // A little over the bound is read, and told that it is too large; beyond it the connection is dropped.
  socket.set(zmq::sockopt::maxmsgsize, Bounds::message_bytes + (1 << 20));
  // Messages a peer, of any size: incoming ones that wait hold the sender back, ...
  socket.set(zmq::sockopt::rcvhwm, 256);
  // ... outgoing ones are dropped beyond. A turn may answer as many requests of one peer as it takes.
  socket.set(zmq::sockopt::sndhwm, static_cast<int>(4 * FrameBudget::most));
  socket.set(zmq::sockopt::handshake_ivl, 5'000);
  socket.set(zmq::sockopt::heartbeat_ivl, 5'000);
  socket.set(zmq::sockopt::heartbeat_timeout, 15'000);
  socket.set(zmq::sockopt::heartbeat_ttl, 15'000);
  socket.set(zmq::sockopt::linger, 1'000);
  socket.set(zmq::sockopt::backlog, 1'000);
  socket.set(zmq::sockopt::ipv6, is_ipv6(endpoint));
  return socket;
}

template <class Frames>
ReturnPath return_path(std::string_view routing_id, const Frames& frames) {
  ReturnPath path;
  path.routing_id = routing_id;
  path.envelope.assign(frames.envelope.begin(), frames.envelope.end());
  path.correlation = frames.correlation;
  return path;
}

}  // namespace

Result<std::unique_ptr<FrontDoor>, Failure> FrontDoor::open(zmq::context_t& context, FrontDoorConfig config) {
  auto socket = listen({.what = "front door", .endpoint = config.endpoint, .insecure = config.insecure},
                       [&] { return make_router(context, config.endpoint); });
  if (!socket) return std::move(socket.error());
  return std::unique_ptr<FrontDoor>(new FrontDoor(std::move(*socket), std::move(config)));
}

FrontDoor::FrontDoor(zmq::socket_t socket, FrontDoorConfig config)
    : socket_(std::move(socket)), config_(std::move(config)), open_(config_.open_requests, random_number()) {}

std::string FrontDoor::endpoint() const { return socket_.get(zmq::sockopt::last_endpoint); }

std::size_t FrontDoor::receive(ActorSystem& actors, std::size_t most) {
  std::size_t taken = 0;
  for (std::size_t bytes = 0; taken < most && bytes < bytes_a_turn; ++taken) {
    if (!incoming_.receive(socket_)) break;
    bytes += incoming_.bytes();
    take(incoming_.frames(), actors);
  }
  return taken;
}

void FrontDoor::take(const std::vector<std::string_view>& frames, ActorSystem& actors) {
  const std::string_view routing_id = frames.front();
  const auto parsed = parse_frames({frames.begin() + 1, frames.end()});
  if (parsed) {
    take_request(*parsed, routing_id, actors);
  } else {
    answer_fault(parsed.error().error, return_path(routing_id, parsed.error()));
  }
}

void FrontDoor::take_request(const ParsedFrames& frames, std::string_view routing_id, ActorSystem& actors) {
  if (config_.peers != nullptr && Peers::is_for_links(frames.type)) {
    return hear_link(frames, routing_id, actors);
  }
  ReturnPath path = return_path(routing_id, frames);
  if (refusal_ && frames.type != "ping") {
    answer(*refusal_, path);
    return;
  }
  auto decoded = decode_request(frames.type, frames.body, config_.bounds);
  if (!decoded) return answer_fault(decoded.error(), path);
  path.numbers_as_float = decoded->numbers_as_float;
  if (std::holds_alternative<Ping>(decoded->request)) {
    const bool is_ready = !refusal_ && (config_.peers == nullptr || config_.peers->is_ready());
    answer(Pong{config_.server, std::string(stint_version), config_.epoch, is_ready}, path);
    return;
  }
  const auto* enqueue = std::get_if<Enqueue>(&decoded->request);
  const bool is_single = enqueue != nullptr && enqueue->batch_key.empty();
  Message message = to_message(std::move(decoded->request));
  const Address to = actors.destination(message);
  if (actors.is_here(to)) return give(std::move(message), to, std::move(path), actors);
  // As it came: a report's faulty results have no other form.
  pass_on({to, std::string(frames.type), std::string(frames.body), is_single}, std::move(path));
}

void FrontDoor::hear_link(const ParsedFrames& frames, std::string_view routing_id, ActorSystem& actors) {
  const auto reply = config_.peers->hear({routing_id, frames.type, frames.correlation, frames.body}, actors);
  if (!reply) return;
  // Without room the other node says it again.
  static_cast<void>(
      send_multipart(socket_, {routing_id, wire_magic, reply->type, frames.correlation, reply->body}));
}

void FrontDoor::give(Message&& message, const Address& to, ReturnPath&& path, ActorSystem& actors) {
  if (!actors.hosts(to.place)) {
    answer(Error{ErrorCode::unavailable, "node " + config_.server + " does not serve this request"}, path);
    return;
  }
  if (open_.full()) return refuse_overload(path);
  const std::uint64_t id = open_.open(std::move(path));
  if (actors.post({{Place::door, id}, to, std::move(message)})) {
    ++counts_.requests;
  } else {
    refuse_overload(*open_.close(id));
  }
}

void FrontDoor::pass_on(PassedOn&& request, ReturnPath&& path) {
  if (open_.full() || open_.bytes_kept() + request.body.size() > config_.passed_on_bytes) {
    return refuse_overload(path);
  }
  const std::uint64_t id = open_.open(std::move(path));
  if (config_.peers != nullptr &&
      config_.peers->pass_on({Place::door, id}, request.to, request.type, request.body)) {
    ++counts_.requests;
    open_.keep(id, std::move(request));
  } else {
    answer(unavailable(request.to.node), *open_.close(id));
  }
}

Error FrontDoor::unavailable(NodeNumber node) const {
  const std::string name = config_.peers != nullptr ? config_.peers->name_of(node) : std::to_string(node);
  Error error{ErrorCode::unavailable, "node " + name + " cannot be reached"};
  error.retry_in_ms = Peers::away_retry_ms;
  return error;
}

void FrontDoor::refuse_overload(const ReturnPath& path) {
  ++counts_.overloaded;
  Error error{ErrorCode::overloaded, "the server has too many open requests"};
  error.retry_in_ms = overloaded_retry_ms;
  answer(error, path);
}

void FrontDoor::pass_on_again(NodeNumber node) {
  for (const std::uint64_t id : open_.passed_on_to(node)) {
    const PassedOn& request = open_.passed_on(id);
    if (config_.peers->pass_on({Place::door, id}, request.to, request.type, request.body)) continue;
    answer(unavailable(node), *open_.close(id));
  }
}

void FrontDoor::pass_on_asks_again() {
  for (const std::uint64_t id : open_.asks_passed_on()) {
    const PassedOn& ask = open_.passed_on(id);
    // A limiter that is away gets it when it is back.
    static_cast<void>(config_.peers->pass_on({Place::door, id}, ask.to, ask.type, ask.body));
  }
}

void FrontDoor::give_up_single(NodeNumber node) {
  Error error{ErrorCode::storage_unavailable, "the link to node " + config_.peers->name_of(node) +
                                                  " broke; whether the jobs were accepted is unknown"};
  error.retry_in_ms = Peers::away_retry_ms;
  for (const std::uint64_t id : open_.passed_on_to(node)) {
    if (open_.passed_on(id).is_single) answer(error, *open_.close(id));
  }
}

void FrontDoor::answer_passed_on(NodeNumber node, const Error& error) {
  for (const std::uint64_t id : open_.passed_on_to(node)) answer(error, *open_.close(id));
}

bool FrontDoor::send(Envelope&& envelope) {
  const auto path = open_.close(envelope.to.id);
  // Answered already, by answer_all().
  if (!path) return false;
  const auto what = to_wire<Answer>(std::move(envelope.message));
  assert(what && "only answers are sent to clients");
  return answer(*what, *path);
}

void FrontDoor::answer_all(const Error& error) {
  for (const ReturnPath& path : open_.close_all()) answer(error, path);
}

void FrontDoor::answer_fault(const Error& error, const ReturnPath& path) {
  ++counts_.faults;
  answer(error, path);
}

bool FrontDoor::answer(const Answer& answer, const ReturnPath& path) {
  const bool left = send_answer(answer, path);
  if (!left) ++counts_.answers_dropped;
  return left;
}

bool FrontDoor::send_answer(const Answer& answer, const ReturnPath& path) {
  const std::string body = encode(answer, path.numbers_as_float);
  if (body.size() > static_cast<std::size_t>(Bounds::message_bytes)) {
    return send_answer(Error{ErrorCode::internal, "the answer is larger than a message may be; ask for less"},
                       path);
  }
  std::vector<std::string_view> frames;
  frames.reserve(path.envelope.size() + 5);
  frames.push_back(path.routing_id);
  frames.insert(frames.end(), path.envelope.begin(), path.envelope.end());
  frames.insert(frames.end(), {wire_magic, wire_type(answer), path.correlation, body});
  return send_multipart(socket_, frames);
}

}  // namespace stint
