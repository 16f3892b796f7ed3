// SimLink: the way of a simulated worker node to its server, with the real codec.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "nodes/runtime/ports.hpp"
#include "protocol/bounds.hpp"
#include "protocol/values.hpp"
#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/network.hpp"

namespace stint::sim {

class SimLink : public Link {
 public:
  SimLink(World& world, Network& network, Checker& checker, int peer, SessionId session)
      : world_(world), network_(network), checker_(checker), peer_(peer), session_(session) {}

  void arrive(Frames answer) { inbox_.push_back(std::move(answer)); }
  void turned(bool up) { turned_.push_back(up); }
  bool has_arrivals() const { return !inbox_.empty() || !turned_.empty(); }

  std::size_t receive(ActorSystem& actors, std::size_t most) override;
  bool send(Envelope&& envelope) override;
  void tend(ActorSystem& actors, Instant now) override;
  std::optional<Instant> next_deadline() const override { return std::nullopt; }

 private:
  World& world_;
  Network& network_;
  Checker& checker_;
  int peer_;
  SessionId session_;
  Bounds bounds_;
  std::deque<Frames> inbox_;
  std::deque<bool> turned_{false};  // down until it is told otherwise
};

}  // namespace stint::sim
