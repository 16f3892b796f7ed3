// Scene: one simulated system: a server, workers, producers, what lies between them, and the checker that
// watches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/client.hpp"
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
  explicit Scene(std::uint64_t seed, Defaults defaults = short_defaults());

  const Defaults defaults;
  World world;
  Network network{world};
  Checker checker{world, defaults};
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

  // Until every enqueue is acknowledged and every job has ended; whether that came within `span`.
  bool finish(Duration span);
  // Checks what must hold when all is over; call it after finish().
  void check_end();

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Producer>> producers_;
  std::vector<std::unique_ptr<Rogue>> rogues_;
  std::vector<std::unique_ptr<Operator>> operators_;
};

}  // namespace stint::sim
