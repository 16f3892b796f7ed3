#include "actors/jobs/backoff.hpp"

#include <algorithm>
#include <cmath>

namespace stint {

namespace {

// Evenly from -1 to 1, the same on every platform for the same seed.
double random_sign(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; }

}  // namespace

Instant later(Instant now, std::int64_t delay_ms) {
  return now + from_ms(std::clamp<std::int64_t>(delay_ms, 0, longest_delay_ms));
}

std::int64_t backoff_ms(const std::optional<Backoff>& of_job, const Defaults& defaults, std::int64_t attempt,
                        std::mt19937_64& random) {
  const Backoff backoff = of_job.value_or(Backoff{});
  const auto first = static_cast<double>(backoff.first_ms.value_or(defaults.backoff_first_ms));
  const auto cap = static_cast<double>(backoff.cap_ms.value_or(defaults.backoff_cap_ms));
  const double factor = backoff.factor.value_or(defaults.backoff_factor);
  const double jitter = backoff.jitter.value_or(defaults.backoff_jitter);
  if (first <= 0) return 0;

  // The power may be infinite; the cap is not.
  const double grown = first * std::pow(factor, static_cast<double>(std::max<std::int64_t>(attempt, 1) - 1));
  const double spread = std::min(grown, cap) * (1.0 + jitter * random_sign(random));
  return std::llround(std::clamp(spread, 0.0, static_cast<double>(longest_delay_ms)));
}

}  // namespace stint
