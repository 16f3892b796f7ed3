// Backoff: how long a failed job waits for its next attempt. Used by the storage actor.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "protocol/bounds.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

// No delay is longer, whatever was asked for: sums of instants and delays cannot overflow.
inline constexpr std::int64_t longest_delay_ms = 100LL * 365 * 24 * 3'600'000;

// `delay_ms` after `now`; a negative delay is none.
Instant later(Instant now, std::int64_t delay_ms);

// first_ms * factor^(attempt-1), at most cap_ms, then spread evenly by ±jitter so that jobs which failed
// together do not come back together. `attempt`: the one that failed, from 1. What the job leaves open, the
// defaults say.
std::int64_t backoff_ms(const std::optional<Backoff>& of_job, const Defaults& defaults, std::int64_t attempt,
                        std::mt19937_64& random);

}  // namespace stint
