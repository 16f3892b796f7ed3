#include "nodes/links/peer_link.hpp"

#include <algorithm>
#include <utility>

#include "nodes/links/link_codec.hpp"
#include "protocol/codec.hpp"
#include "protocol/frames.hpp"

namespace stint {
namespace {

// Of a turn: more than a well-meaning node has to say.
constexpr int most_answers = 100;
// What errors are answered to: no header of a message is so short.
constexpr std::string_view hello_correlation = "hello";

}  // namespace

PeerLink::PeerLink(ClusterNode node, MonitoredDealer dealer, LinkHello hello, Log& log)
    : node_(std::move(node)), dealer_(std::move(dealer)), hello_(std::move(hello)), log_(log) {
  hello_.to = node_.number;
}

void PeerLink::tend(Instant now) {
  while (const auto event = dealer_.next_event()) {
    if (*event == MonitoredDealer::Event::not_understood) continue;
    is_connected_ = *event == MonitoredDealer::Event::connected;
    welcomed_.reset();
    hello_at_.reset();
    if (is_connected_) hello_at_ = now;
  }
  hear(now);
  if (hello_at_ && *hello_at_ <= now) say_hello(now);
}

void PeerLink::hear(Instant now) {
  for (int taken = 0; taken < most_answers && incoming_.receive(socket()); ++taken) {
    const auto frames = parse_frames(incoming_.frames());
    if (!frames) continue;
    if (frames->type == link_welcome_type) {
      hear_welcome(frames->body, now);
    } else if (frames->type == "error") {
      hear_error(frames->correlation, frames->body, now);
    }
  }
}

void PeerLink::hear_welcome(std::string_view body, Instant now) {
  const auto welcome = decode_link_welcome(body);
  // Of an earlier connection, or of an earlier hello of this one: the newest will be answered too.
  if (!welcome || !is_connected_ || welcome->opening != hello_.opening) return;
  if (welcome->number != node_.number) {
    const std::string fault = "another node answers at " + node_.endpoint;
    if (refusal_.may_say(fault, now)) log_.error("link refused", {{"node", node_.name}, {"reason", fault}});
    hello_at_ = now + refused_pause;
    return;
  }
  welcomed_ = welcome->start;
  hello_at_.reset();
}

void PeerLink::hear_error(std::string_view correlation, std::string_view body, Instant now) {
  const auto answer = decode_answer("error", body, Bounds{});
  if (!answer) return;
  const Error& error = std::get<Error>(*answer);
  const std::string& reason = error.message;
  if (refusal_.may_say(reason, now)) {
    log_.error("link refused", {{"node", node_.name}, {"endpoint", node_.endpoint}, {"reason", reason}});
  }
  if (correlation == hello_correlation) {
    welcomed_.reset();
    hello_at_ = now + (error.retry_in_ms ? from_ms(*error.retry_in_ms) : refused_pause);
  } else {
    // It does not know this connection, although it has welcomed it.
    say_hello_again(now);
  }
}

void PeerLink::say_hello_again(Instant now) {
  if (!is_connected_ || hello_at_) return;
  hello_at_ = std::max(now, said_hello_at_ + unanswered_pause);
}

void PeerLink::say_hello(Instant now) {
  ++hello_.opening;
  said_hello_at_ = now;
  hello_at_ = now + unanswered_pause;
  // If it cannot leave it is said again.
  static_cast<void>(
      send_multipart(socket(), {wire_magic, link_hello_type, hello_correlation, encode(hello_)}));
}

bool PeerLink::send(std::string_view correlation, std::string_view body) {
  return send_multipart(socket(), {wire_magic, link_type, correlation, body});
}

}  // namespace stint
