#include "nodes/bench/start_times.hpp"

#include <algorithm>

namespace stint {

std::int64_t most_in_any(const std::vector<std::int64_t>& starts_us, std::int64_t span_us) {
  std::size_t most = 0;
  for (std::size_t first = 0, end = 0; first < starts_us.size(); ++first) {
    while (end < starts_us.size() && starts_us[end] < starts_us[first] + span_us) ++end;
    most = std::max(most, end - first);
  }
  return static_cast<std::int64_t>(most);
}

// With f(i) = i − rate × t(i), a span from i to j has f(j) − f(i) + 1 − burst too many: the least f so far is
// enough.
double worst_excess(const std::vector<std::int64_t>& starts_us, double rate, std::int64_t burst) {
  double least = 0;
  double worst = -static_cast<double>(burst);
  for (std::size_t index = 0; index < starts_us.size(); ++index) {
    const double since_first_s = static_cast<double>(starts_us[index] - starts_us.front()) / 1e6;
    const double ahead = static_cast<double>(index) - rate * since_first_s;
    least = index == 0 ? ahead : std::min(least, ahead);
    worst = std::max(worst, ahead - least + 1 - static_cast<double>(burst));
  }
  return worst;
}

}  // namespace stint
