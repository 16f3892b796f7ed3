#include "nodes/links/link_port.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "nodes/links/crossing.hpp"
#include "nodes/links/link_codec.hpp"
#include "nodes/runtime/wire_message.hpp"
#include "protocol/codec.hpp"

namespace stint {
namespace {

// As many messages as the other node's mailbox takes; and there are few nodes, which may try often.
constexpr MonitoredDealer::Options dealer_options{
    .most_waiting = static_cast<int>(ActorSystem::mailbox_bound), .longest_pause_ms = 200};
constexpr std::int64_t overloaded_retry_ms = 200;
constexpr std::int64_t name_taken_retry_ms = 200;
// Stands for every open request of a door that came to this node.
constexpr std::uint64_t all_requests = 0;

bool is_too_large(std::string_view body) {
  return body.size() > static_cast<std::size_t>(Bounds::message_bytes);
}

bool is_asker(const Address& address) {
  return address.place == Place::door || address.place == Place::worker;
}

// Whether somebody there waits for an answer to what it said.
bool waits(const Address& from) { return is_asker(from) && from.id != all_requests; }

}  // namespace

Result<std::unique_ptr<LinkPort>, Failure> LinkPort::open(zmq::context_t& context, LinkPortConfig config,
                                                          NodeClock& clock, Log& log) {
  const ClusterNode* self = config.cluster.find(config.self);
  assert(self != nullptr);
  LinkHello hello;
  hello.name = config.name;
  hello.number = config.self;
  hello.is_storage = self->is_storage;
  hello.is_limiter = self->is_limiter;
  hello.cluster = config.cluster_hash;
  hello.start = config.start;
  std::vector<Way> ways;
  for (const ClusterNode& node : config.cluster.nodes()) {
    if (node.number == config.self) continue;
    auto dealer = MonitoredDealer::open(context, node.endpoint, dealer_options);
    if (!dealer) return dealer.error();
    Way& way = ways.emplace_back();
    way.link = std::make_unique<PeerLink>(node, std::move(*dealer), hello, log);
  }
  return std::unique_ptr<LinkPort>(new LinkPort(std::move(config), std::move(ways), clock, log));
}

LinkPort::LinkPort(LinkPortConfig config, std::vector<Way> ways, NodeClock& clock, Log& log)
    : config_(std::move(config)), ways_(std::move(ways)), clock_(clock), log_(log), now_(clock.now()) {
  for (Way& way : ways_) way.give_up_at = now_ + config_.patience;
}

std::vector<zmq::socket_ref> LinkPort::sockets() {
  std::vector<zmq::socket_ref> all;
  for (const Way& way : ways_) {
    all.push_back(way.link->socket());
    all.push_back(way.link->monitor());
  }
  return all;
}

// --- The connections. ---

void LinkPort::tend(Instant now) {
  now_ = now;
  for (Way& way : ways_) {
    way.link->tend(now);
    notice_change(way);
    if (!way.give_up_at || now < *way.give_up_at) continue;
    way.give_up_at.reset();
    Error error{ErrorCode::unavailable, "node " + way.link->node().name + " is away"};
    error.retry_in_ms = away_retry_ms;
    news_.push_back({way.link->node().number, News::Kind::refuses, std::move(error)});
  }
}

std::optional<Instant> LinkPort::next_deadline() const {
  std::optional<Instant> deadline;
  const auto include = [&](std::optional<Instant> other) {
    if (other && (!deadline || *other < *deadline)) deadline = other;
  };
  for (const Way& way : ways_) {
    include(way.link->next_deadline());
    include(way.give_up_at);
  }
  return deadline;
}

void LinkPort::notice_change(Way& way) {
  const bool is_up = way.link->is_up();
  if (is_up == way.is_up) return;
  way.is_up = is_up;
  const ClusterNode& node = way.link->node();
  news_.push_back({node.number, is_up ? News::Kind::up : News::Kind::lost});
  if (is_up) {
    way.give_up_at.reset();
    log_.info("link up", {{"node", node.name}});
    if (std::exchange(way.has_lost_answers, false)) way.link->say_hello_again(now_);
    say_if_complete();
  } else {
    way.give_up_at = now_ + config_.patience;
    log_.warning("link down", {{"node", node.name}});
  }
}

void LinkPort::say_if_complete() {
  const bool is_complete = std::all_of(ways_.begin(), ways_.end(), [](const Way& way) { return way.is_up; });
  if (is_complete && !std::exchange(was_complete_, true)) log_.info("linked to all nodes of the cluster");
}

bool LinkPort::is_up(NodeNumber node) const {
  return std::any_of(ways_.begin(), ways_.end(),
                     [&](const Way& way) { return way.link->node().number == node && way.is_up; });
}

bool LinkPort::is_ready() const { return config_.self == ClusterMap::storage || is_up(ClusterMap::storage); }

const std::string& LinkPort::name_of(NodeNumber node) const {
  static const std::string nobody = "nobody";
  const ClusterNode* found = config_.cluster.find(node);
  return found != nullptr ? found->name : nobody;
}

LinkPort::Way* LinkPort::way_to(NodeNumber node) {
  const auto found = std::find_if(ways_.begin(), ways_.end(),
                                  [&](const Way& way) { return way.link->node().number == node; });
  return found != ways_.end() ? &*found : nullptr;
}

LinkPort::Way* LinkPort::way_from(std::string_view routing_id) {
  const auto found = std::find_if(ways_.begin(), ways_.end(), [&](const Way& way) {
    const auto& caller = way.link->caller();
    return caller && caller->routing_id == routing_id;
  });
  return found != ways_.end() ? &*found : nullptr;
}

// --- Hearing. ---

std::optional<LinkReply> LinkPort::hear(const LinkFrames& frames, ActorSystem& actors) {
  if (frames.type == link_hello_type) return hear_hello(frames);
  if (frames.type == link_type) return hear_message(frames, actors);
  return LinkReply{"error",
                   encode(Answer(Error{ErrorCode::unknown_type, "no message of this type is known"}))};
}

LinkReply LinkPort::hear_hello(const LinkFrames& frames) {
  const auto hello = decode_link_hello(frames.body);
  const std::optional<Error> fault = hello ? fault_of(*hello, frames.routing_id) : hello.error();
  if (fault) {
    ++counts_.refused;
    if (stranger_.may_say(fault->message, now_)) log_.error("link refused", {{"reason", fault->message}});
    return {"error", encode(Answer(*fault))};
  }
  Way& way = *way_to(static_cast<NodeNumber>(hello->number));
  way.link->called_by({std::string(frames.routing_id), hello->start});
  const bool was_up = way.is_up;
  notice_change(way);
  // Said although the link is up: the other side has lost something that it had to say.
  if (was_up && way.is_up) {
    news_.push_back({way.link->node().number, News::Kind::lost});
    news_.push_back({way.link->node().number, News::Kind::up});
  }
  return {link_welcome_type, encode(LinkWelcome{config_.self, config_.start, hello->opening})};
}

std::optional<Error> LinkPort::fault_of(const LinkHello& hello, std::string_view routing_id) const {
  const std::string theirs = "node " + hello.name;
  const std::string ours = "node " + config_.name;
  if (hello.version != link_version) {
    return Error{ErrorCode::unsupported_version,
                 theirs + " speaks version " + std::to_string(hello.version) + " of links, " + ours +
                     " version " + std::to_string(link_version) +
                     ": run the same release of stint on all nodes of a cluster"};
  }
  if (hello.cluster != config_.cluster_hash) {
    return Error{ErrorCode::conflict,
                 theirs + " and " + ours +
                     " have different [cluster] sections in their configurations: make them "
                     "the same on every node"};
  }
  if (hello.number == config_.self) {
    return Error{ErrorCode::conflict,
                 theirs + " has the place of " + ours + " in the cluster: only one may run"};
  }
  const ClusterNode* node = config_.cluster.find(static_cast<NodeNumber>(hello.number));
  const bool is_known = node != nullptr && node->is_storage == hello.is_storage &&
                        node->is_limiter == hello.is_limiter &&
                        (node->is_storage || node->name == hello.name);
  if (!is_known) return Error{ErrorCode::forbidden, theirs + " is not in the cluster of " + ours};
  if (hello.to != config_.self) {
    return Error{ErrorCode::conflict, theirs + " looks for another node at the endpoint of " + ours};
  }
  // Ids that clients choose begin otherwise: one might be another's tomorrow.
  if (routing_id.size() != 5 || routing_id.front() != '\0') {
    return Error{ErrorCode::forbidden, "a link has no routing id of its own choice"};
  }
  return fault_of_place(hello, *node);
}

// The node is who answers at its endpoint in the cluster. One that was killed and started again may say hello
// before this node has seen the old one go: it is to try again soon.
std::optional<Error> LinkPort::fault_of_place(const LinkHello& hello, const ClusterNode& node) const {
  const auto way = std::find_if(ways_.begin(), ways_.end(),
                                [&](const Way& one) { return one.link->node().number == node.number; });
  if (way == ways_.end() || !way->link->is_taken_from(hello.start)) return std::nullopt;
  Error error{ErrorCode::conflict, "the name " + hello.name + " is taken: start " +
                                       std::to_string(way->link->their_start()) + " of it answers at " +
                                       node.endpoint + ", start " + std::to_string(hello.start) +
                                       " is refused while it does"};
  error.retry_in_ms = name_taken_retry_ms;
  return error;
}

std::optional<LinkReply> LinkPort::hear_message(const LinkFrames& frames, ActorSystem& actors) {
  Way* way = way_from(frames.routing_id);
  if (way == nullptr) {
    ++counts_.refused;
    const Error error{ErrorCode::forbidden, "a link begins with its hello"};
    if (stranger_.may_say(error.message, now_))
      log_.warning("link message refused", {{"reason", error.message}});
    return LinkReply{"error", encode(Answer(error))};
  }
  const auto header = decode_link_header(frames.correlation);
  if (!header) {
    ++counts_.refused;
    if (dropped_.may_say("header", now_))
      log_.warning("link message without a header", {{"node", way->link->node().name}});
    return std::nullopt;
  }
  take(*header, frames, *way, actors);
  return std::nullopt;
}

void LinkPort::take(const LinkHeader& header, const LinkFrames& frames, Way& way, ActorSystem& actors) {
  const ClusterNode& peer = way.link->node();
  if (header.start != way.link->caller()->start || header.for_start != config_.start) {
    return drop(header, way, "of another life of the node");
  }
  auto message = decode_from_link(header.kind, frames.body, now_, config_.bounds);
  if (!message) {
    drop(header, way, message.error().message);
    if (waits(header.from)) return answer(header, way, std::move(message.error()));
    // Somebody waits for what cannot be read.
    if (header.to.place != Place::door) return;
    message = Message(Error{ErrorCode::internal, "the answer of node " + peer.name + " cannot be read"});
  }
  if (!may_cross(header.from, header.to, *message, peer))
    return drop(header, way, "makes no sense from there");
  if (refusal_ && waits(header.from)) return answer(header, way, *refusal_);
  ++counts_.received;
  Address from = header.from;
  Address to = header.to;
  from.node = peer.number;
  to.node = config_.self;
  if (to.place == Place::door && to.id == all_requests) {
    if (auto* error = std::get_if<Error>(&*message)) {
      news_.push_back({peer.number, News::Kind::refuses, std::move(*error)});
    }
  } else if (to.place == Place::door) {
    answers_.push_back({from, to, std::move(*message)});
  } else if (!actors.post({from, to, std::move(*message)})) {
    drop(header, way, "finds no room");
    Error error{ErrorCode::overloaded, "the server has too many open requests"};
    error.retry_in_ms = overloaded_retry_ms;
    if (waits(from)) answer(header, way, std::move(error));
  }
}

void LinkPort::drop(const LinkHeader& header, const Way& way, const std::string& reason) {
  ++counts_.refused;
  if (!dropped_.may_say(header.kind + reason, now_)) return;
  log_.warning("link message dropped",
               {{"node", way.link->node().name}, {"kind", header.kind}, {"reason", reason}});
}

void LinkPort::answer(const LinkHeader& header, const Way& way, Error error) {
  Address to = header.from;
  to.node = way.link->node().number;
  static_cast<void>(send({header.to, to, std::move(error)}));
}

// --- Saying. ---

bool LinkPort::send(Envelope&& envelope) {
  Way* way = way_to(envelope.to.node);
  const bool is_answer = is_asker(envelope.to);
  if (way == nullptr || !way->is_up) {
    // The link may be up for the other side already, which waits then.
    if (way != nullptr && is_answer) way->has_lost_answers = true;
    return ++counts_.lost, false;
  }
  auto body = encode_for_link(std::move(envelope.message), clock_.now());
  assert(body && "only what others may hear is sent to other nodes");
  if (!body) return false;
  if (is_too_large(body->bytes)) {
    log_.error("too large for a link", {{"node", way->link->node().name}, {"kind", body->kind}});
    if (!is_answer) return ++counts_.lost, false;
    body = encode_for_link(
        Error{ErrorCode::internal, "the answer is larger than a message may be; ask for less"}, clock_.now());
  }
  return leave(*way, envelope.from, envelope.to, body->kind, body->bytes);
}

bool LinkPort::pass_on(const Address& from, const Address& to, std::string_view type, std::string_view body) {
  Way* way = way_to(to.node);
  if (way == nullptr || !way->is_up) return ++counts_.lost, false;
  return leave(*way, from, to, type, body);
}

bool LinkPort::leave(Way& way, const Address& from, const Address& to, std::string_view kind,
                     std::string_view body) {
  const LinkHeader header{config_.start, way.link->their_start(), from, to, std::string(kind)};
  if (way.link->send(encode(header), body)) return ++counts_.sent, true;
  // The other side waits for some of it: it is told that something was lost.
  way.link->say_hello_again(clock_.now());
  return ++counts_.lost, false;
}

void LinkPort::answer_all(const Error& error) {
  for (const Way& way : ways_) {
    static_cast<void>(send({{config_.self == ClusterMap::storage ? Place::storage : Place::limiter},
                            {Place::door, all_requests, way.link->node().number},
                            error}));
  }
}

}  // namespace stint
