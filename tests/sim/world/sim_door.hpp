// SimDoor: the front door of a simulated server, over the simulated network and with the real codec. Has the
// checker look at every answer before it leaves.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nodes/runtime/ports.hpp"
#include "protocol/bounds.hpp"
#include "protocol/messages.hpp"
#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/network.hpp"
#include "tests/sim/world/observed_store.hpp"

namespace stint::sim {

class SimDoor : public Door {
 public:
  SimDoor(World& world, Network& network, Checker& checker, ObservedStore& store, Bounds bounds)
      : world_(world), network_(network), checker_(checker), store_(store), bounds_(bounds) {}

  void arrive(Connection from, Frames request) { inbox_.emplace_back(from, std::move(request)); }
  bool has_arrivals() const { return !inbox_.empty() && world_.now() >= hidden_until_; }
  // After a stop the frames that wait are seen a little later than the timers.
  void hide_arrivals_until(Duration moment) { hidden_until_ = moment; }
  // Says so much more, then nothing.
  void fall_silent_after(std::int64_t answers) { answers_left_ = answers; }
  bool has_fallen_silent() const { return answers_left_ && said_since_ > 0; }
  Duration longest_overdue() const;
  // Asks for batches that wait for their answer.
  std::vector<const RequestBatch*> open_asks() const;

  std::size_t receive(ActorSystem& actors, std::size_t most) override;
  bool send(Envelope&& envelope) override;
  void refuse(std::optional<Error> error) override { refusal_ = std::move(error); }
  void answer_all(const Error& error) override;

 private:
  struct Open {
    Connection from;
    std::string correlation;
    Request request;
    Duration expected_by{};
  };

  void take(const Connection& from, const Frames& frames, ActorSystem& actors);
  bool say(const Connection& to, const std::string& correlation, const Answer& answer);

  World& world_;
  Network& network_;
  Checker& checker_;
  ObservedStore& store_;
  Bounds bounds_;
  std::deque<std::pair<Connection, Frames>> inbox_;
  Duration hidden_until_{};
  std::map<std::uint64_t, Open> open_;
  std::set<std::uint64_t> closed_by_failure_;  // actors may answer them once more
  std::uint64_t last_id_ = 0;
  std::optional<Error> refusal_;
  std::optional<std::int64_t> answers_left_;
  std::int64_t said_since_ = 0;
};

}  // namespace stint::sim
