// Operator: a client that sets, changes, lifts, pauses and resumes the limits of a few names at random while
// jobs run, and in the end lifts them all.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/world/client.hpp"
#include "tests/sim/world/limit_checker.hpp"

namespace stint::sim {

// Such a one lets a few starts a second pass at least.
Limit any_limit(World& world, LimitScope scope);

class Operator {
 public:
  Operator(World& world, Network& network, Checker& checker, SessionId session, std::vector<LimitName> names,
           Duration mean_pause);

  void begin() { act_later(); }
  // From now on nothing is limited any more, whoever has set it.
  void end();
  bool has_lifted_all() const { return !on_ && lifting_.empty(); }

 private:
  void act_later();
  void act();
  void lift();
  void lift_all();
  const LimitName& any_name();

  World& world_;
  Client client_;
  std::vector<LimitName> names_;
  Duration mean_pause_;
  bool on_ = true;
  // Requests to lift a limit or a pause, the newest for each, until they are answered.
  struct Lifting {
    Request request;
    std::vector<std::uint64_t> sent;
  };
  std::vector<Lifting> lifting_;
};

}  // namespace stint::sim
