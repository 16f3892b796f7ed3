#include "actors/limits/limit_layers.hpp"

#include <algorithm>

namespace stint {

namespace {

bool says_rate(const Limit& limit) { return limit.unlimited || limit.has_rate_part(); }
bool says_running(const Limit& limit) { return limit.unlimited || limit.max_running.has_value(); }

}  // namespace

bool LimitLayers::empty() const {
  return std::none_of(records_.begin(), records_.end(),
                      [](const auto& record) { return record.has_value(); });
}

template <class Says>
std::optional<LimitSource> LimitLayers::first_that(Says says) const {
  for (std::size_t source = 0; source < sources; ++source) {
    if (records_[source] && says(*records_[source])) return static_cast<LimitSource>(source);
  }
  return std::nullopt;
}

std::optional<Limit> LimitLayers::result() const {
  Limit result;
  if (const auto source = first_that(says_rate)) result = *of(*source);
  result.unlimited = false;
  result.max_running.reset();
  if (const auto source = first_that(says_running)) result.max_running = of(*source)->max_running;
  if (!result.has_rate_part() && !result.max_running) return std::nullopt;
  return result;
}

std::optional<LimitSource> LimitLayers::source() const {
  const auto rate = first_that(says_rate);
  return rate ? rate : first_that(says_running);
}

}  // namespace stint
