// What may be set as a limit and what not: the one judge of every way in.
#include "protocol/limit.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace stint {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Limit rate_of(double rate, std::int64_t burst = 0) {
  Limit limit;
  limit.rate = rate;
  limit.burst = burst;
  return limit;
}

Limit window_of(std::int64_t max, std::int64_t window_ms) {
  Limit limit;
  limit.max = max;
  limit.window_ms = window_ms;
  return limit;
}

Limit running_of(std::int64_t max_running) {
  Limit limit;
  limit.max_running = max_running;
  return limit;
}

std::string fault_field(const Limit& limit, LimitScope scope) {
  const auto fault = fault_of(limit, scope);
  if (!fault) return "none";
  EXPECT_FALSE(fault->message.empty());
  return fault->field.empty() ? "whole" : fault->field;
}

std::string of_queue(const Limit& limit) { return fault_field(limit, LimitScope::queue); }
std::string of_handler(const Limit& limit) { return fault_field(limit, LimitScope::handler); }

TEST(LimitOfAQueue, may_be_a_rate_with_any_burst_in_its_bounds) {
  for (const double rate : {Limit::least_rate, 0.5, 10.0, Limit::most_rate}) {
    for (const std::int64_t burst : {std::int64_t{0}, std::int64_t{1}, Limit::most_starts}) {
      EXPECT_EQ(of_queue(rate_of(rate, burst)), "none") << rate << " " << burst;
    }
  }
}

TEST(LimitOfAQueue, is_refused_with_a_rate_that_starts_nothing_or_too_much) {
  for (const double rate : {0.0, -0.0, -1.0, Limit::least_rate / 2, Limit::most_rate * 1.001, 1e300,
                            std::nan(""), infinity, -infinity}) {
    EXPECT_EQ(of_queue(rate_of(rate)), "rate") << rate;
  }
}

TEST(LimitOfAQueue, is_refused_with_a_burst_out_of_range_or_without_a_rate) {
  EXPECT_EQ(of_queue(rate_of(1, -1)), "burst");
  EXPECT_EQ(of_queue(rate_of(1, Limit::most_starts + 1)), "burst");
  Limit alone = running_of(1);
  alone.burst = 5;
  EXPECT_EQ(of_queue(alone), "burst");
}

TEST(LimitOfAQueue, is_refused_with_what_is_a_handlers) {
  EXPECT_EQ(of_queue(window_of(10, 1'000)), "max");
  Limit limit = rate_of(1);
  limit.window_ms = 1'000;
  EXPECT_EQ(of_queue(limit), "window_ms");
  limit = rate_of(1);
  limit.count = CountPolicy::started;
  EXPECT_EQ(of_queue(limit), "count");
}

TEST(LimitOfAHandler, may_be_a_window_in_its_bounds) {
  for (const std::int64_t max : {std::int64_t{1}, Limit::most_starts}) {
    for (const std::int64_t window_ms : {std::int64_t{1}, Limit::longest_window_ms}) {
      EXPECT_EQ(of_handler(window_of(max, window_ms)), "none") << max << " " << window_ms;
    }
  }
}

TEST(LimitOfAHandler, is_refused_with_a_window_out_of_range) {
  for (const std::int64_t max : {std::int64_t{0}, std::int64_t{-1}, Limit::most_starts + 1,
                                 std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(of_handler(window_of(max, 1'000)), "max") << max;
  }
  for (const std::int64_t window_ms : {std::int64_t{0}, std::int64_t{-1}, Limit::longest_window_ms + 1}) {
    EXPECT_EQ(of_handler(window_of(1, window_ms)), "window_ms") << window_ms;
  }
}

TEST(LimitOfAHandler, is_refused_with_half_a_window) {
  Limit limit;
  limit.max = 10;
  EXPECT_EQ(of_handler(limit), "window_ms");
  limit = {};
  limit.window_ms = 1'000;
  EXPECT_EQ(of_handler(limit), "max");
  limit = running_of(1);
  limit.count = CountPolicy::started;
  EXPECT_EQ(of_handler(limit), "count");
}

TEST(LimitOfAHandler, is_refused_with_what_is_a_queues) {
  EXPECT_EQ(of_handler(rate_of(1)), "rate");
  Limit limit = window_of(1, 1'000);
  limit.burst = 1;
  EXPECT_EQ(of_handler(limit), "burst");
}

TEST(LimitOfEither, may_be_of_runs_alone_or_beside_the_rest) {
  EXPECT_EQ(of_queue(running_of(1)), "none");
  EXPECT_EQ(of_handler(running_of(Limit::most_starts)), "none");
  Limit both = window_of(60, 60'000);
  both.max_running = 5;
  EXPECT_EQ(of_handler(both), "none");
  for (const std::int64_t max_running : {std::int64_t{0}, std::int64_t{-1}, Limit::most_starts + 1}) {
    EXPECT_EQ(of_queue(running_of(max_running)), "max_running") << max_running;
    EXPECT_EQ(of_handler(running_of(max_running)), "max_running") << max_running;
  }
}

TEST(LimitOfEither, lifts_all_or_limits_but_not_both_nor_nothing) {
  Limit unlimited;
  unlimited.unlimited = true;
  EXPECT_EQ(of_queue(unlimited), "none");
  EXPECT_EQ(of_handler(unlimited), "none");
  Limit both = rate_of(1);
  both.unlimited = true;
  EXPECT_EQ(of_queue(both), "unlimited");
  both = running_of(1);
  both.unlimited = true;
  EXPECT_EQ(of_handler(both), "unlimited");
  EXPECT_EQ(of_queue({}), "whole");
  EXPECT_EQ(of_handler({}), "whole");
}

}  // namespace
}  // namespace stint
