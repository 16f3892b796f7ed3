// Scene: one simulated system: a server or a cluster of them, workers, producers, operators, what lies
// between them, and the checkers that watch.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nodes/links/cluster_map.hpp"
#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/client.hpp"
#include "tests/sim/world/fabric.hpp"
#include "tests/sim/world/network.hpp"
#include "tests/sim/world/operator.hpp"
#include "tests/sim/world/producer.hpp"
#include "tests/sim/world/rogue.hpp"
#include "tests/sim/world/server.hpp"
#include "tests/sim/world/worker.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

// Everything is shorter than in life, so that a minute of simulated time holds many leases.
Defaults short_defaults();

class Scene {
 public:
  // `limiter_nodes` 0: one server hosts all. Else the server is the storage node, and so many others limit.
  explicit Scene(std::uint64_t seed, Defaults defaults = short_defaults(), int limiter_nodes = 0);

  const Defaults defaults;
  World world;
  Network network{world};
  Fabric fabric{world};
  Checker checker{world, defaults};

 private:
  std::unique_ptr<const ClusterMap> cluster_;

 public:
  Server server;

  Worker& add_worker(WorkerSetup setup = {});
  Producer& add_producer();
  std::unique_ptr<Client> make_client(unsigned char number);
  Rogue& add_rogue();
  Operator& add_operator(std::vector<LimitName> names, Duration mean_pause);
  const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }
  const std::vector<std::unique_ptr<Producer>>& producers() const { return producers_; }
  const std::vector<std::unique_ptr<Rogue>>& rogues() const { return rogues_; }
  const std::vector<std::unique_ptr<Operator>>& operators() const { return operators_; }
  const std::vector<std::unique_ptr<Server>>& limiter_nodes() const { return limiter_nodes_; }
  // Of the nodes' doors.
  std::vector<Network*> networks();
  void start_all();
  // Whoever is added from now on comes in at the storage node's door, rather than at any.
  void enter_at_storage() { enters_at_storage_ = true; }
  // A queue that is at home at this limiter node.
  std::string queue_at(const Server& limiter, const std::string& prefix) const;

  // Until every enqueue is acknowledged and every job has ended; whether that came within `span`.
  bool finish(Duration span);
  // Checks what must hold when all is over; call it after finish().
  void check_end();

 private:
  Network& any_network();
  void watch_idleness();

  bool enters_at_storage_ = false;
  std::vector<std::unique_ptr<Network>> limiter_networks_;
  std::vector<std::unique_ptr<Server>> limiter_nodes_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Producer>> producers_;
  std::vector<std::unique_ptr<Rogue>> rogues_;
  std::vector<std::unique_ptr<Operator>> operators_;
};

}  // namespace stint::sim
