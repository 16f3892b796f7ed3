// LinkPort: a node's links to all other nodes of its cluster. What its actors say to theirs leaves here, and
// what they say, which comes in at the front door, is heard here: only after the hello of a node that has the
// same configuration, and only what such a node may say. Whatever a broken link loses is lost: actors and
// doors repeat themselves (rules L12, D9). Owned by the node, used by its loop alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "nodes/links/cluster_map.hpp"
#include "nodes/links/peer_link.hpp"
#include "nodes/runtime/clock.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/ports.hpp"
#include "protocol/bounds.hpp"
#include "protocol/result.hpp"

namespace stint {

struct LinkPortConfig {
  ClusterMap cluster;
  NodeNumber self = 0;
  std::string name;
  std::uint64_t cluster_hash = 0;
  std::uint64_t start = 0;  // random, new for each life of the node
  Bounds bounds;
  // After so long without a node what was passed on to it is answered.
  Duration patience = std::chrono::seconds(10);
};

struct LinkCounts {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t lost = 0;     // could not leave, or found no place here
  std::int64_t refused = 0;  // came from nowhere, too late, or made no sense
};

class LinkPort final : public Peers {
 public:
  // `context`, `clock` and `log` must outlive it. Errors: config (an endpoint that is none).
  static Result<std::unique_ptr<LinkPort>, Failure> open(zmq::context_t& context, LinkPortConfig config,
                                                         NodeClock& clock, Log& log);

  // All are to be watched.
  std::vector<zmq::socket_ref> sockets();
  bool is_up(NodeNumber node) const;
  const LinkCounts& counts() const { return counts_; }

  void tend(Instant now) override;
  std::optional<Instant> next_deadline() const override;
  const std::string& name_of(NodeNumber node) const override;
  bool is_ready() const override;
  std::optional<LinkReply> hear(const LinkFrames& frames, ActorSystem& actors) override;
  std::vector<Envelope> take_answers() override { return std::exchange(answers_, {}); }
  std::vector<News> take_news() override { return std::exchange(news_, {}); }
  bool send(Envelope&& envelope) override;
  bool pass_on(const Address& from, const Address& to, std::string_view type, std::string_view body) override;
  void refuse(std::optional<Error> error) override { refusal_ = std::move(error); }
  void answer_all(const Error& error) override;

 private:
  struct Way {
    std::unique_ptr<PeerLink> link;
    bool is_up = false;
    bool has_lost_answers = false;      // while it was not up: the other side is told when it is
    std::optional<Instant> give_up_at;  // set while it is down, until it is given up
  };

  LinkPort(LinkPortConfig config, std::vector<Way> ways, NodeClock& clock, Log& log);

  Way* way_to(NodeNumber node);
  Way* way_from(std::string_view routing_id);
  void notice_change(Way& way);
  void say_if_complete();

  // Hearing.
  LinkReply hear_hello(const LinkFrames& frames);
  // Nothing: the hello is welcome.
  std::optional<Error> fault_of(const LinkHello& hello, std::string_view routing_id) const;
  // The same, where another life of the node has its place.
  std::optional<Error> fault_of_place(const LinkHello& hello, const ClusterNode& node) const;
  std::optional<LinkReply> hear_message(const LinkFrames& frames, ActorSystem& actors);
  void take(const LinkHeader& header, const LinkFrames& frames, Way& way, ActorSystem& actors);
  void deliver(Envelope&& envelope, ActorSystem& actors);
  void drop(const LinkHeader& header, const Way& way, const std::string& reason);
  void answer(const LinkHeader& header, const Way& way, Error error);

  bool leave(Way& way, const Address& from, const Address& to, std::string_view kind, std::string_view body);

  LinkPortConfig config_;
  std::vector<Way> ways_;
  NodeClock& clock_;
  Log& log_;
  Seldom stranger_;
  Seldom dropped_;
  Instant now_{};
  bool was_complete_ = false;
  std::optional<Error> refusal_;
  std::vector<Envelope> answers_;
  std::vector<News> news_;
  LinkCounts counts_;
};

}  // namespace stint
