// TokenBucket: how many jobs of a queue may start now (rule L2). A value: the ledger owns the one that
// decides, a limiter has a copy to propose by.
//
// Tokens are counted in billionths, and every rounding is down: over any span T no more than burst + rate * T
// are taken, however often it is asked.
#pragma once

#include <cstdint>

#include "protocol/time.hpp"

namespace stint {

struct TokenRate {
  double per_second = 0;   // finite, above 0
  std::int64_t burst = 0;  // at least 1: `burst_of` resolves the 0 of the wire

  friend bool operator==(const TokenRate&, const TokenRate&) = default;
};

// A burst of 0 means one second's worth, rounded up.
std::int64_t burst_of(double per_second, std::int64_t burst);

class TokenBucket {
 public:
  // Starts full.
  TokenBucket(TokenRate rate, Instant now);
  // As it was kept: `level` in billionths of a token at `at`.
  TokenBucket(TokenRate rate, std::int64_t level_billionths, Instant at);

  // Whole tokens.
  std::int64_t available(Instant now) const;
  // How long until so many are there, if none is taken; zero: they are. `tokens` is at most the burst.
  Duration until(std::int64_t tokens, Instant now) const;

  // At most available(now).
  void take(std::int64_t tokens, Instant now);
  // The `tokens` taken since the last stamp left only now (rule L1): what a full bucket would have spilled
  // meanwhile is not credited.
  void stamp(std::int64_t tokens, Instant now);
  // The level is kept, cut to the new burst (rule L9).
  void change(TokenRate rate, Instant now);

  const TokenRate& rate() const { return rate_; }
  // In billionths of a token: at a later moment, and at the one from which it is counted.
  std::int64_t level_at(Instant now) const;
  std::int64_t level_billionths() const { return level_; }
  Instant at() const { return at_; }

 private:
  TokenRate rate_;
  std::int64_t level_;  // at `at_`
  Instant at_;
};

}  // namespace stint
