#include "actors/jobs/backoff.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace stint {
namespace {

struct BackoffTest : ::testing::Test {
  std::int64_t delay(std::int64_t attempt, Backoff backoff = {}) {
    return backoff_ms(backoff, defaults, attempt, random);
  }
  static Backoff exact(std::int64_t first_ms, double factor, std::int64_t cap_ms) {
    return {first_ms, factor, cap_ms, 0.0};
  }
  Defaults defaults;
  std::mt19937_64 random{1};
};

TEST_F(BackoffTest, grows_by_its_factor_with_each_attempt) {
  EXPECT_EQ(delay(1, exact(100, 3, 1'000'000)), 100);
  EXPECT_EQ(delay(2, exact(100, 3, 1'000'000)), 300);
  EXPECT_EQ(delay(4, exact(100, 3, 1'000'000)), 2700);
}

TEST_F(BackoffTest, stays_at_its_cap) { EXPECT_EQ(delay(60, exact(100, 2, 5000)), 5000); }

TEST_F(BackoffTest, does_not_overflow_whatever_it_is_told) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(delay(huge, exact(100, 1e300, 5000)), 5000);
  EXPECT_EQ(delay(huge, exact(huge, 1e300, huge)), longest_delay_ms);
  EXPECT_EQ(delay(5, exact(0, 1e300, huge)), 0);
}

TEST_F(BackoffTest, follows_the_defaults_where_the_job_says_nothing) {
  defaults.backoff_jitter = 0;
  EXPECT_EQ(delay(1), defaults.backoff_first_ms);
  EXPECT_EQ(delay(3), 4 * defaults.backoff_first_ms);
}

TEST_F(BackoffTest, spreads_by_its_jitter_to_both_sides_and_no_further) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    const std::int64_t delayed = delay(1, {10'000, 2.0, 1'000'000, 0.2});
    least = std::min(least, delayed);
    most = std::max(most, delayed);
  }
  EXPECT_GE(least, 8000);
  EXPECT_LE(most, 12'000);
  EXPECT_LT(least, 8200);
  EXPECT_GT(most, 11'800);
}

TEST(Later, does_not_overflow_and_does_not_go_back) {
  const Instant now{std::chrono::hours(1)};
  EXPECT_EQ(later(now, -5), now);
  EXPECT_EQ(later(now, 5), now + from_ms(5));
  EXPECT_EQ(later(now, std::numeric_limits<std::int64_t>::max()), now + from_ms(longest_delay_ms));
}

}  // namespace
}  // namespace stint
