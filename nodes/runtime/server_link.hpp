// ServerLink: a worker node's connection to its server: a DEALER to one of the configured endpoints, and the
// next one when that stays away. It knows whether it is connected, and what cannot leave at once is dropped:
// the worker hears LinkUp and repeats itself (rule D9). Owned by the node, used by its loop alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "nodes/cli/exit_status.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/monitored_dealer.hpp"
#include "nodes/runtime/multipart.hpp"
#include "nodes/runtime/ports.hpp"
#include "protocol/bounds.hpp"
#include "protocol/result.hpp"

namespace stint {

struct ServerLinkConfig {
  std::vector<std::string> servers;  // endpoints, at least one
  Bounds bounds;
  // How long a server may stay away before the next one is tried.
  Duration patience = std::chrono::seconds(3);
  // How long a node that starts looks for its server before it says so.
  Duration tell_after = std::chrono::seconds(1);
};

class ServerLink final : public Link {
 public:
  // Connects in the background; `context` must outlive it. Errors: config (an endpoint that is none).
  static Result<std::unique_ptr<ServerLink>, Failure> open(zmq::context_t& context, ServerLinkConfig config,
                                                           Log& log);

  // Both are to be watched; another server means other sockets.
  zmq::socket_ref socket() { return connection_.socket(); }
  zmq::socket_ref monitor() { return connection_.monitor(); }

  bool is_up() const { return up_; }
  const std::string& server() const { return config_.servers[current_]; }

  std::size_t receive(ActorSystem& actors, std::size_t most) override;
  bool send(Envelope&& envelope) override;
  void tend(ActorSystem& actors, Instant now) override;
  std::optional<Instant> next_deadline() const override;

 private:
  ServerLink(zmq::context_t& context, MonitoredDealer connection, ServerLinkConfig config, Log& log);

  void hear_monitor(ActorSystem& actors, Instant now);
  void came_up(ActorSystem& actors);
  void went_down(ActorSystem& actors, Instant now);
  void try_next_server(Instant now);

  zmq::context_t& context_;
  // Sockets of their own for each server: nothing that is heard can come from the one that was left.
  MonitoredDealer connection_;
  ServerLinkConfig config_;
  Log& log_;
  std::size_t current_ = 0;
  bool up_ = false;
  bool refusal_told_ = false;
  std::size_t servers_tried_ = 0;        // since there was one: each is told of once
  std::optional<Instant> tell_away_at_;  // set from the start until it is told or connected
  std::optional<Instant> give_up_at_;    // set while the server is away and there is another
  bool tended_ = false;
  Multipart incoming_;
};

}  // namespace stint
