// SimDoor: the front door of a simulated server, over the simulated network and with the real codec. Passes
// on what other nodes of a cluster are to answer. Has the checker look at every answer before it leaves.
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
  struct Node {
    ObservedStore* store = nullptr;  // of the storage node
    Peers* peers = nullptr;          // of a cluster's node
    Bounds bounds;
  };

  SimDoor(World& world, Network& network, Checker& checker, Node node)
      : world_(world), network_(network), checker_(checker), node_(node), last_id_(world.draw()) {}

  void arrive(Connection from, Frames request) { inbox_.emplace_back(from, std::move(request)); }
  bool has_arrivals() const { return !inbox_.empty() && world_.now() >= hidden_until_; }
  // After a stop the frames that wait are seen a little later than the timers.
  void hide_arrivals_until(Duration moment) { hidden_until_ = moment; }
  // Says so much more, then nothing.
  void fall_silent_after(std::int64_t answers) { answers_left_ = answers; }
  bool is_silent() const { return answers_left_ && *answers_left_ <= 0; }
  bool has_fallen_silent() const { return answers_left_ && said_since_ > 0; }
  // A request that has waited for so much longer than it asked for.
  std::optional<std::string> overdue_by(Duration most) const;
  // Asks for batches that wait for their answer.
  std::vector<const RequestBatch*> open_asks() const;

  std::size_t receive(ActorSystem& actors, std::size_t most) override;
  bool send(Envelope&& envelope) override;
  void refuse(std::optional<Error> error) override { refusal_ = std::move(error); }
  void answer_all(const Error& error) override;
  void pass_on_again(NodeNumber node) override;
  void pass_on_asks_again() override;
  void give_up_single(NodeNumber node) override;
  void answer_passed_on(NodeNumber node, const Error& error) override;

 private:
  struct Open {
    Connection from;
    std::string correlation;
    Request request;
    Duration expected_by{};
    // Of a request that another node is to answer.
    std::optional<Address> to{};
    Frames frames{};
  };

  void take(const Connection& from, const Frames& frames, ActorSystem& actors);
  bool pass_on(std::uint64_t id);
  std::vector<std::uint64_t> passed_on_to(NodeNumber node) const;
  void close(std::uint64_t id, const Error& error);
  bool say(const Connection& to, const std::string& correlation, const Answer& answer);

  World& world_;
  Network& network_;
  Checker& checker_;
  Node node_;
  std::deque<std::pair<Connection, Frames>> inbox_;
  Duration hidden_until_{};
  std::map<std::uint64_t, Open> open_;
  std::set<std::uint64_t> closed_by_failure_;  // actors may answer them once more
  std::uint64_t last_id_;                      // what is for a request of an earlier life hits none of this
  std::optional<Error> refusal_;
  std::optional<std::int64_t> answers_left_;
  std::int64_t said_since_ = 0;
};

}  // namespace stint::sim
