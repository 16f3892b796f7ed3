// Rogue: a worker of somebody else's making. It repeats, forgets, contradicts and meddles, but says truly
// which answers it has got.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "tests/sim/world/client.hpp"

namespace stint::sim {

class Rogue {
 public:
  Rogue(World& world, Network& network, Checker& checker, SessionId session);

  void begin() { act_later(); }
  void end() { on_ = false; }

 private:
  void act_later();
  void act();
  void ask(std::int64_t number);
  void report(const JobRun& run);
  void hear(const Answer& answer);
  std::int64_t got() const;
  JobRun any_run();

  World& world_;
  Client client_;
  bool on_ = true;
  std::int64_t asks_ = 0;
  std::set<std::int64_t> answered_;  // asks
  std::vector<JobRun> had_;          // every run it was ever given
};

}  // namespace stint::sim
