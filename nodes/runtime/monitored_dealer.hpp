// MonitoredDealer: a DEALER to one endpoint that keeps nothing for a peer that is away, and knows when its
// connection comes and goes. Whoever owns it says what that means.
#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

#include "nodes/cli/exit_status.hpp"
#include "nodes/runtime/multipart.hpp"
#include "protocol/result.hpp"

namespace stint {

class MonitoredDealer {
 public:
  enum class Event { connected, disconnected, not_understood };

  struct Options {
    int most_waiting = 1'000;      // messages that wait to leave at most
    int longest_pause_ms = 1'000;  // between two tries to connect
  };

  // Connects in the background; `context` must outlive it. Errors: config (an endpoint that is none).
  static Result<MonitoredDealer, Failure> open(zmq::context_t& context, const std::string& endpoint,
                                               Options options);

  // Both are to be watched.
  zmq::socket_ref socket() { return dealer_; }
  zmq::socket_ref monitor() { return monitor_; }

  // What has happened to the connection, in order; nothing: no more.
  std::optional<Event> next_event();
  // What was sent last need not leave: this server is left.
  void give_up() { dealer_.set(zmq::sockopt::linger, 0); }

 private:
  zmq::socket_t dealer_;
  zmq::socket_t monitor_;
  Multipart event_;
};

}  // namespace stint
