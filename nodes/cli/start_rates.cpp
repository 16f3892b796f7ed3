#include "nodes/cli/start_rates.hpp"

namespace stint {

std::optional<double> StartRates::of(const LimitState& state) const {
  const auto rate = by_name.find({state.scope, state.name});
  return rate == by_name.end() ? std::nullopt : std::optional(rate->second);
}

StartRates StartCounts::look(const Stats& stats, const std::vector<LimitState>& limits, double elapsed_s) {
  StartRates rates;
  const bool can_compare = stats_ && stats_->epoch == stats.epoch && elapsed_s > 0;
  std::map<StartRates::Name, std::int64_t> started;
  for (const LimitState& state : limits) {
    const StartRates::Name name{state.scope, state.name};
    started[name] = state.started;
    const auto before = started_.find(name);
    // A name that was not counted for a while begins again.
    if (can_compare && before != started_.end() && state.started >= before->second) {
      rates.by_name[name] = static_cast<double>(state.started - before->second) / elapsed_s;
    }
  }
  if (can_compare) {
    rates.started = static_cast<double>(stats.started - stats_->started) / elapsed_s;
    rates.completed = static_cast<double>(stats.completed - stats_->completed) / elapsed_s;
  }
  stats_ = stats;
  started_ = std::move(started);
  return rates;
}

}  // namespace stint
