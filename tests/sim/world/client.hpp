// Client: a peer that says what a test has it say, well-behaved or not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/network.hpp"

namespace stint::sim {

class Client : public Peer {
 public:
  Client(World& world, Network& network, Checker& checker, SessionId session)
      : world_(world), network_(network), checker_(checker), session_(session), peer_(network.join(*this)) {}
  ~Client() override { network_.leave(peer_); }

  const SessionId& session() const { return session_; }

  // Told every answer, if set.
  std::function<void(const Answer&)> heard;

  // The number under which its answers are kept.
  std::uint64_t send(const Request& request);
  const std::vector<Answer>& answers(std::uint64_t number) { return answers_[number]; }
  // Sends it and waits for the answer; sends it again, as another request, when none comes within a second.
  std::optional<Answer> ask(const Request& request, Duration span = 30 * second);
  bool wait_for_connection(Duration span = 5 * second);

  Hello hello(const std::string& worker) const;
  RequestBatch request_batch(std::int64_t ask, std::int64_t permits, std::int64_t wait_ms = 0) const;
  Finish finish(const LeasedJob& job, Outcome outcome = Outcome::completed) const;
  Heartbeat heartbeat(const std::vector<LeasedJob>& jobs) const;

  void drop_connection() { network_.drop_connection(peer_); }
  void connected() override {}
  void disconnected() override {}
  void received(Frames frames) override;

 private:
  World& world_;
  Network& network_;
  Checker& checker_;
  SessionId session_;
  int peer_;
  std::uint64_t requests_ = 0;
  std::map<std::uint64_t, std::vector<Answer>> answers_;
};

}  // namespace stint::sim
