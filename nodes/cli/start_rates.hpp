// StartRates: starts a second between two looks at a server. A value; `status --watch` keeps one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages.hpp"

namespace stint {

struct StartRates {
  using Name = std::pair<LimitScope, std::string>;

  // Nothing: there was no look before, or the server has started again since.
  std::optional<double> started;
  std::optional<double> completed;
  std::map<Name, double> by_name;

  std::optional<double> of(const LimitState& state) const;
};

// What is remembered of the look before.
class StartCounts {
 public:
  // `elapsed_s`: since the look before.
  StartRates look(const Stats& stats, const std::vector<LimitState>& limits, double elapsed_s);

 private:
  std::optional<Stats> stats_;
  std::map<StartRates::Name, std::int64_t> started_;
};

}  // namespace stint
