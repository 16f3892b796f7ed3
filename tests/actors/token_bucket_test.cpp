#include "actors/limits/token_bucket.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "tests/actors/spans.hpp"

namespace stint {
namespace {

using test::at_seconds;

constexpr std::int64_t one_token = 1'000'000'000;
constexpr Duration microsecond(1);
const Instant start = at_seconds(1000);

// From one an eleven days to a million a second, whole and not.
const std::vector<TokenRate> rates = {{1e-6, 1}, {1.0 / 3600, 3}, {0.1, 1},   {0.3, 7},    {1, 1},
                                      {7, 20},   {50, 10},        {333.3, 1}, {1e5, 1000}, {1e6, 1'000'000}};

TEST(BurstOf, zero_is_a_seconds_worth_rounded_up_and_at_least_one_rule_L2) {
  EXPECT_EQ(burst_of(10, 0), 10);
  EXPECT_EQ(burst_of(10.2, 0), 11);
  EXPECT_EQ(burst_of(0.001, 0), 1);
  EXPECT_EQ(burst_of(10, 3), 3);
}

TEST(TokenBucket, starts_full_and_never_holds_more_than_its_burst_rule_L2) {
  for (const TokenRate& rate : rates) {
    const TokenBucket bucket(rate, start);
    EXPECT_EQ(bucket.available(start), rate.burst);
    EXPECT_EQ(bucket.available(start + std::chrono::hours(100'000)), rate.burst);
  }
}

TEST(TokenBucket, fills_continuously_not_by_the_second_rule_L2) {
  TokenBucket bucket({10, 10}, start);
  bucket.take(10, start);
  EXPECT_EQ(bucket.available(start + from_ms(99)), 0);
  EXPECT_EQ(bucket.available(start + from_ms(100)), 1);
  EXPECT_EQ(bucket.available(start + from_ms(950)), 9);
}

TEST(TokenBucket, says_exactly_to_the_microsecond_when_there_are_so_many_tokens) {
  std::mt19937_64 random(5);
  for (const TokenRate& rate : rates) {
    for (int round = 0; round < 200; ++round) {
      const auto level =
          static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rate.burst * one_token));
      const TokenBucket bucket(rate, level, start);
      const Instant now = start + Duration(static_cast<std::int64_t>(random() % 3'000'000));
      const auto tokens = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rate.burst));
      const Duration wait = bucket.until(tokens, now);
      ASSERT_GE(bucket.available(now + wait), tokens) << rate.per_second;
      if (wait > Duration::zero()) {
        ASSERT_LT(bucket.available(now + wait - microsecond), tokens) << rate.per_second;
      }
    }
  }
}

TEST(TokenBucket, knows_when_there_are_tokens_also_before_the_moment_from_which_it_counts) {
  const TokenBucket bucket({10, 10}, 0, start);
  EXPECT_EQ(bucket.until(1, start - std::chrono::hours(1)), std::chrono::hours(1) + from_ms(100));
}

// A start at each first moment: over a long time rate * time of them, evenly.
TEST(TokenBucket, gives_the_whole_rate_evenly_over_a_long_time_rule_L2) {
  for (const TokenRate& rate : rates) {
    TokenBucket bucket(rate, 0, start);
    Instant now = start;
    for (std::int64_t taken = 1; taken <= 1'000; ++taken) {
      now += bucket.until(1, now);
      bucket.take(1, now);
      const double expected = static_cast<double>(taken) / rate.per_second;
      const double seconds = static_cast<double>((now - start).count()) / 1e6;
      // Each start may be late by the microsecond to which time is counted.
      ASSERT_NEAR(seconds, expected, 1e-6 * static_cast<double>(taken + 1) + expected * 1e-6);
    }
  }
}

// Turns as a node makes them: it decides, what it took leaves later, and sometimes later still.
std::vector<test::Starts> random_starts(const TokenRate& rate, std::uint64_t seed, Duration longest_pause) {
  std::mt19937_64 random(seed);
  const auto up_to = [&](Duration most) {
    return Duration(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most.count() + 1)));
  };
  std::vector<test::Starts> starts;
  TokenBucket bucket(rate, start);
  Instant now = start;
  for (int turn = 0; turn < 400; ++turn) {
    now += microsecond + (random() % 3 == 0 ? up_to(longest_pause) : up_to(longest_pause / 50));
    const std::int64_t available = bucket.available(now);
    if (available == 0) continue;
    const std::int64_t taken =
        random() % 2 ? available
                     : 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(available));
    for (std::int64_t part = 0; part < std::min<std::int64_t>(taken, 3); ++part)
      bucket.take(part == 0 ? taken - std::min<std::int64_t>(taken, 3) + 1 : 1, now);
    for (int stamps = random() % 4 == 0 ? 2 : 1; stamps > 0; --stamps) {
      now += up_to(longest_pause / 10);
      bucket.stamp(taken, now);
    }
    starts.push_back({now, taken});
  }
  return starts;
}

TEST(TokenBucket, lets_no_span_have_more_than_burst_and_rate_times_its_length_rule_L2_L1) {
  for (const TokenRate& rate : rates) {
    // Pauses from a part of a token's time to many bursts' time.
    const double token_us = 1e6 / rate.per_second;
    for (const double tokens : {0.7, 5.0, 3.0 * static_cast<double>(rate.burst)}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto starts =
            random_starts(rate, seed, Duration(static_cast<std::int64_t>(token_us * tokens) + 1));
        ASSERT_LE(test::excess_over_bucket(starts, rate.per_second, rate.burst), 0)
            << rate.per_second << " a second, seed " << seed;
      }
    }
  }
}

// What a full bucket would have spilled while the batch was on its way is not there afterwards.
TEST(TokenBucket, does_not_fill_behind_what_has_not_left_yet_rule_L1) {
  TokenBucket bucket({10, 10}, start);
  bucket.take(10, start);
  bucket.stamp(10, start + from_ms(500));
  EXPECT_EQ(bucket.available(start + from_ms(500)), 0);
  EXPECT_EQ(bucket.available(start + from_ms(600)), 1);

  TokenBucket other({10, 10}, start);
  other.take(3, start);
  other.stamp(3, start + from_ms(200));
  EXPECT_EQ(other.available(start + from_ms(200)), 7) << "three left now: ten are full";
}

TEST(TokenBucket, keeps_its_level_cut_to_the_new_burst_when_it_changes_rule_L9) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 5'000; ++round) {
    const TokenRate& before = rates[random() % rates.size()];
    const TokenRate& after = rates[random() % rates.size()];
    TokenBucket bucket(before, start);
    bucket.take(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(before.burst)), start);
    const Instant now = start + Duration(static_cast<std::int64_t>(random() % 100'000'000));
    const std::int64_t level = bucket.level_at(now);
    bucket.change(after, now);
    ASSERT_EQ(bucket.level_at(now), std::min(level, after.burst * one_token));
  }
}

TEST(TokenBucket, fills_by_the_old_rate_until_it_changes_and_by_the_new_one_from_then_on_rule_L9) {
  TokenBucket bucket({10, 10}, 0, start);
  bucket.change({1, 10}, start + from_ms(500));
  EXPECT_EQ(bucket.available(start + from_ms(500)), 5);
  EXPECT_EQ(bucket.available(start + from_ms(1'499)), 5);
  EXPECT_EQ(bucket.available(start + from_ms(1'500)), 6);
}

TEST(TokenBucket, owes_nothing_when_its_burst_is_cut_before_what_was_taken_has_left_rule_L9) {
  TokenBucket bucket({1000, 1000}, start);
  bucket.take(100, start);
  bucket.change({1.0 / 3600, 1}, start);
  bucket.stamp(100, start + from_ms(1));
  EXPECT_EQ(bucket.available(start + std::chrono::hours(1) + from_ms(1)), 1);
}

}  // namespace
}  // namespace stint
