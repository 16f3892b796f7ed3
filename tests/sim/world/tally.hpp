// Tally: what all runs of a simulation came to, as text or as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/sim/world/scene.hpp"

namespace stint::sim {

class Tally {
 public:
  void add(const Scene& scene);
  // `seconds`: how long it took in life.
  std::string text(double seconds) const;
  std::string json(double seconds) const;

 private:
  double simulated_seconds() const;

  std::int64_t seeds_ = 0;
  Duration simulated_{};
  std::size_t jobs_ = 0;
  std::int64_t starts_ = 0;
  std::int64_t again_ = 0;
  std::int64_t changes_ = 0;
  std::int64_t pauses_ = 0;
  Duration longest_sleep_{};
  std::map<std::string, std::int64_t> faults_;
  std::map<LimitName, LimitChecker::Told> worst_;
};

}  // namespace stint::sim
