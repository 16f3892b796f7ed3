// Producer: a client that enqueues jobs and sends each enqueue again, with its batch_key, until it is
// acknowledged.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/job_plan.hpp"
#include "tests/sim/world/network.hpp"

namespace stint::sim {

class Producer : public Peer {
 public:
  Producer(World& world, Network& network, Checker& checker, std::string name);

  // Gives each job a token of its own and remembers what it is to do.
  NewJob job(JobPlan plan, const std::string& queue = "default");
  void enqueue(std::vector<NewJob> jobs);
  void enqueue_one(JobPlan plan) { enqueue({job(std::move(plan))}); }

  bool all_acknowledged() const { return open_.empty(); }
  // So many copies of each enqueue are sent, answered or not.
  void send_copies(int copies) { copies_ = copies; }

  void connected() override;
  void disconnected() override {}
  void received(Frames answer) override;

 private:
  static constexpr Duration patience = 1 * second;
  void send(const std::string& batch_key);

  World& world_;
  Network& network_;
  Checker& checker_;
  std::string name_;
  int peer_;
  int copies_ = 1;
  std::map<std::string, Enqueue> open_;  // by batch_key
  std::map<std::string, Enqueue> acknowledged_;
  std::int64_t enqueues_ = 0;
  std::int64_t jobs_ = 0;
};

}  // namespace stint::sim
