// NodeLoop: the turns of a node, one thread. A turn takes messages from the ports, runs the actors, commits
// what they changed, and only then sends what they said (rules D1, D2). Everything it works with is its
// owner's and handed in.
#pragma once

#include <optional>
#include <vector>

#include "actors/kernel/actor_system.hpp"
#include "nodes/runners/runner.hpp"
#include "nodes/runtime/clock.hpp"
#include "nodes/runtime/frame_budget.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/ports.hpp"
#include "storage/store.hpp"

namespace stint {

struct LoopParts {
  NodeClock& clock;
  ActorSystem& actors;
  Waiter& waiter;
  Log& log;
  // What a node has only in some roles.
  Store* store = nullptr;
  Door* door = nullptr;
  Link* link = nullptr;
  Runner* runner = nullptr;
  Peers* peers = nullptr;
  NodeNumber storage_node = 0;  // of the peers
  EventStream* events = nullptr;
  // How long a worker may take to stop; after that the node ends without it.
  Duration stop_within = std::chrono::seconds(30);
};

class NodeLoop {
 public:
  explicit NodeLoop(LoopParts parts);

  // Turns until the node is asked to stop, or its worker has stopped.
  void run();
  // One turn, with its wait; false: it was the last.
  bool turn();

  // A commit has failed, and none has succeeded since.
  bool storage_is_out() const { return retry_at_.has_value(); }

 private:
  std::optional<Instant> next_deadline() const;
  void heed_stop(int times);
  void end();
  // Whether the turn's changes are on disk.
  bool commit();
  void lose_storage(const Error& error);
  void regain_storage();

  std::size_t take_messages(Instant now);
  void hear_runner();
  void send_all(std::vector<Envelope>&& outgoing);
  void send_one(Envelope&& envelope);
  void answer_client(Envelope&& envelope);
  void hear_peers();
  void tell_of_link(NodeNumber node);
  void tell_storage(const Peers::News& news);
  void send_to_node(Envelope&& envelope);
  // Whoever waits there is told; a worker of this node too.
  void answer(const Address& asker, Error error);
  void drop_batch(BatchDropped&& dropped);
  void tell_worker(Message message);
  bool serves_itself() const { return parts_.link == nullptr && parts_.actors.hosts(Place::worker); }

  LoopParts parts_;
  FrameBudget budget_;
  std::vector<Message> runner_said_;  // waits here while the storage is out
  Instant stamp_{};                   // of the last turn's end
  WallMs stamp_ms_ = 0;
  std::optional<Instant> retry_at_;  // when to try the storage again; set: it is out
  Duration retry_after_{};
  std::optional<Instant> stop_at_;  // the worker is stopping, at the latest then the node ends
  int asked_to_stop_ = 0;
  bool has_turned_ = false;
  bool ended_ = false;
};

}  // namespace stint
