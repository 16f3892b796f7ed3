#include "nodes/bench/quantiles.hpp"

#include <algorithm>
#include <cmath>

namespace stint {

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

std::int64_t quantile(const std::vector<std::int64_t>& ascending, double share) {
  if (ascending.empty()) return 0;
  const double count = static_cast<double>(ascending.size());
  // What a product of floats adds to a whole number is no reason to take the next sample.
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(share * count - 1e-6)));
  return ascending[std::min(rank, ascending.size()) - 1];
}

Latencies latencies_of(std::vector<std::int64_t> samples_us) {
  std::sort(samples_us.begin(), samples_us.end());
  return {std::ssize(samples_us), quantile(samples_us, 0.5), quantile(samples_us, 0.99),
          quantile(samples_us, 0.999)};
}

}  // namespace stint
