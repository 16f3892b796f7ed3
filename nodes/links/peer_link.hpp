// PeerLink: one node's way to one other node of its cluster: a DEALER to its front door, and what is known of
// the way back. The link is up once the other side has welcomed this node and this one has heard the hello of
// the same life of the other: then what is asked can be answered. Owned by the LinkPort.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nodes/links/cluster_map.hpp"
#include "nodes/links/link_messages.hpp"
#include "nodes/links/seldom.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/monitored_dealer.hpp"
#include "nodes/runtime/multipart.hpp"
#include "protocol/time.hpp"

namespace stint {

class PeerLink {
 public:
  static constexpr Duration unanswered_pause = std::chrono::seconds(1);
  static constexpr Duration refused_pause = std::chrono::seconds(2);
  // What the other side knows of this node by its last hello.
  struct Caller {
    std::string routing_id;
    std::uint64_t start = 0;
  };

  // `hello`: what this node says of itself.
  PeerLink(ClusterNode node, MonitoredDealer dealer, LinkHello hello, Log& log);

  const ClusterNode& node() const { return node_; }
  zmq::socket_ref socket() { return dealer_.socket(); }
  zmq::socket_ref monitor() { return dealer_.monitor(); }

  // Hears what happened to the connection and what was answered on it; says hello when that is due.
  void tend(Instant now);
  std::optional<Instant> next_deadline() const { return hello_at_; }

  bool is_up() const { return welcomed_ && caller_ && *welcomed_ == caller_->start; }
  // Only while it is up. False: it takes no more now.
  bool send(std::string_view correlation, std::string_view body);
  // The life of the other node that has welcomed this one.
  std::uint64_t their_start() const { return *welcomed_; }
  // Whether another life of the node answers at its endpoint: a second process that took its name.
  bool is_taken_from(std::uint64_t start) const { return welcomed_ && *welcomed_ != start; }

  // Its hello came in at the door.
  void called_by(Caller caller) { caller_ = std::move(caller); }
  const std::optional<Caller>& caller() const { return caller_; }
  // Some of what was to be said is lost: a hello tells the other side.
  void say_hello_again(Instant now);

 private:
  void hear(Instant now);
  void hear_welcome(std::string_view body, Instant now);
  void hear_error(std::string_view correlation, std::string_view body, Instant now);
  void say_hello(Instant now);

  ClusterNode node_;
  MonitoredDealer dealer_;
  LinkHello hello_;
  Log& log_;
  Seldom refusal_;
  bool is_connected_ = false;
  std::optional<Instant> hello_at_;  // when to say it next
  Instant said_hello_at_{};
  std::optional<std::uint64_t> welcomed_;  // the other's start, by its answer to this connection's hello
  std::optional<Caller> caller_;
  Multipart incoming_;
};

}  // namespace stint
