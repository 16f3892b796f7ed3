#include "nodes/bench/quantiles.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace stint {
namespace {

std::vector<std::int64_t> from_one_to(std::int64_t last) {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(last));
  std::iota(samples.begin(), samples.end(), 1);
  return samples;
}

TEST(AQuantile, is_the_least_sample_that_the_share_does_not_exceed) {
  EXPECT_EQ(quantile(from_one_to(100), 0.5), 50);
  EXPECT_EQ(quantile(from_one_to(100), 0.99), 99);
  EXPECT_EQ(quantile(from_one_to(1'000), 0.999), 999);
  EXPECT_EQ(quantile(from_one_to(3), 0.5), 2);
}

TEST(AQuantile, of_few_samples_is_one_of_them) {
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile({7}, 0.001), 7);
  EXPECT_EQ(quantile({7}, 0.999), 7);
  EXPECT_EQ(quantile({1, 2}, 1.0), 2);
}

TEST(Latencies, need_no_order) {
  std::vector<std::int64_t> samples = from_one_to(10'000);
  std::reverse(samples.begin(), samples.end());
  const Latencies latencies = latencies_of(samples);
  EXPECT_EQ(latencies.count, 10'000);
  EXPECT_EQ(latencies.p50_us, 5'000);
  EXPECT_EQ(latencies.p99_us, 9'900);
  EXPECT_EQ(latencies.p999_us, 9'990);
}

TEST(TheSpread, of_runs_has_their_median_and_both_ends) {
  const Spread odd = spread_of({30, 10, 20});
  EXPECT_EQ(odd.median, 20);
  EXPECT_EQ(odd.least, 10);
  EXPECT_EQ(odd.most, 30);
  EXPECT_EQ(spread_of({10, 40, 20, 30}).median, 25);
  EXPECT_EQ(spread_of({}).most, 0);
}

}  // namespace
}  // namespace stint
