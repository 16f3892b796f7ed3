// Node: one process's share of stint: a clock, a store, the actors of its roles, its door, its links or its
// server, its runner, and the loop that turns them. Wires what the others of this folder are; decides
// nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "actors/kernel/actor_system.hpp"
#include "actors/limiter/limiter_actor.hpp"
#include "actors/storage/storage_actor.hpp"
#include "actors/worker/worker_actor.hpp"
#include "nodes/cli/exit_status.hpp"
#include "nodes/config/config.hpp"
#include "nodes/links/link_port.hpp"
#include "nodes/record/recorder.hpp"
#include "nodes/runners/runner.hpp"
#include "nodes/runtime/clock.hpp"
#include "nodes/runtime/event_port.hpp"
#include "nodes/runtime/front_door.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/node_loop.hpp"
#include "nodes/runtime/poll_waiter.hpp"
#include "nodes/runtime/server_link.hpp"
#include "nodes/runtime/stop_source.hpp"
#include "protocol/result.hpp"
#include "storage/store.hpp"

namespace stint {

class Node {
 public:
  // `stop` and `log` must outlive the node. `runner`: of the handlers that the config's worker names; without
  // one they are commands. Errors: each with the status the process should exit with.
  static Result<std::unique_ptr<Node>, Failure> open(NodeConfig config, StopSource& stop, Log& log,
                                                     std::unique_ptr<Runner> runner = nullptr);
  ~Node();

  // Until it is asked to stop, or its worker has done its work.
  void run();

  // What it really listens on; empty: nothing.
  std::string front_door() const { return door_ ? door_->endpoint() : std::string(); }
  // Nothing: it hosts no worker.
  std::optional<WorkSummary> work() const;

 private:
  Node(NodeConfig config, StopSource& stop, Log& log) : config_(std::move(config)), stop_(stop), log_(log) {}

  // Each returns what stands in the way.
  std::optional<Failure> check_roles();
  std::optional<Failure> open_events();
  std::optional<Failure> open_storage();
  void open_limiter();
  std::optional<Failure> open_worker(std::unique_ptr<Runner> runner);
  std::optional<Failure> open_links();
  std::optional<Failure> open_door();
  std::optional<Failure> open_recording();
  void make_loop();
  void say_ready();
  void say_stopped();

  NodeConfig config_;
  StopSource& stop_;
  Log& log_;
  zmq::context_t context_{1};
  SystemClock system_clock_;
  std::optional<NodeClock> clock_;
  std::optional<ClusterMap> cluster_;  // nothing: the node is alone, or only a worker of one
  NodeNumber number_ = 0;
  std::unique_ptr<Store> store_;
  std::optional<StorageActor> storage_;
  std::optional<LimiterActor> limiter_;
  std::optional<WorkerActor> worker_;
  std::unique_ptr<Recorder> recorder_;
  RecordedStart start_;  // of the recording, if there is to be one
  std::optional<ActorSystem> actors_;
  std::unique_ptr<FrontDoor> door_;
  std::unique_ptr<ServerLink> link_;
  std::unique_ptr<LinkPort> peers_;
  std::unique_ptr<EventPort> events_;
  std::unique_ptr<Runner> runner_;
  std::optional<PollWaiter> waiter_;
  std::optional<NodeLoop> loop_;
};

}  // namespace stint
