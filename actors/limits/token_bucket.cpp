#include "actors/limits/token_bucket.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stint {

namespace {

constexpr std::int64_t one_token = 1'000'000'000;

}  // namespace

std::int64_t burst_of(double per_second, std::int64_t burst) {
  return burst > 0 ? burst : std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(per_second)));
}

TokenBucket::TokenBucket(TokenRate rate, Instant now) : TokenBucket(rate, rate.burst * one_token, now) {}

TokenBucket::TokenBucket(TokenRate rate, std::int64_t level_billionths, Instant at)
    : rate_(rate), level_(std::min(level_billionths, rate.burst * one_token)), at_(at) {
  assert(rate.per_second > 0 && std::isfinite(rate.per_second) && rate.burst >= 1);
}

std::int64_t TokenBucket::level_at(Instant now) const {
  if (now <= at_) return level_;
  const std::int64_t full = rate_.burst * one_token;
  const double refill = rate_.per_second * 1e3 * static_cast<double>((now - at_).count());
  if (refill >= static_cast<double>(full - level_)) return full;
  return level_ + static_cast<std::int64_t>(refill);
}

std::int64_t TokenBucket::available(Instant now) const { return level_at(now) / one_token; }

Duration TokenBucket::until(std::int64_t tokens, Instant now) const {
  assert(tokens <= rate_.burst);
  if (available(now) >= tokens) return Duration::zero();
  // From where the level is known without rounding; the quotient may be off by the little that a double is.
  const auto missing = static_cast<double>(tokens * one_token - level_);
  Instant then = at_ + Duration(static_cast<std::int64_t>(missing / (rate_.per_second * 1e3)));
  while (available(then) < tokens) then += Duration(1);
  while (available(then - Duration(1)) >= tokens) then -= Duration(1);
  return then - now;
}

void TokenBucket::take(std::int64_t tokens, Instant now) {
  assert(tokens <= available(now));
  level_ = level_at(now) - tokens * one_token;
  at_ = std::max(at_, now);
}

void TokenBucket::stamp(std::int64_t tokens, Instant now) {
  // The burst may have been cut since they were taken: that leaves no debt.
  const std::int64_t spilled = std::min(tokens, rate_.burst);
  level_ = std::min(level_at(now), (rate_.burst - spilled) * one_token);
  at_ = std::max(at_, now);
}

void TokenBucket::change(TokenRate rate, Instant now) {
  level_ = std::min(level_at(now), rate.burst * one_token);
  at_ = std::max(at_, now);
  rate_ = rate;
}

}  // namespace stint
