#include "tests/sim/world/shrink.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace stint::sim {

Shrunk shrink(int parts, const std::function<bool(const std::set<int>& left_out)>& breaks,
              const std::set<int>& from_the_beginning, int most_runs) {
  Shrunk result{from_the_beginning};
  std::vector<int> kept;
  for (int part = 1; part <= parts; ++part) {
    if (!from_the_beginning.contains(part)) kept.push_back(part);
  }
  for (std::size_t piece = (kept.size() + 1) / 2; piece > 0;) {
    bool has_left_out = false;
    for (std::size_t from = 0; from < kept.size();) {
      if (result.runs >= most_runs) return result;
      const auto first = kept.begin() + static_cast<std::ptrdiff_t>(from);
      const auto last = kept.begin() + static_cast<std::ptrdiff_t>(std::min(from + piece, kept.size()));
      std::set<int> left_out = result.left_out;
      left_out.insert(first, last);
      ++result.runs;
      if (breaks(left_out)) {
        result.left_out = std::move(left_out);
        kept.erase(first, last);
        has_left_out = true;
      } else {
        from += piece;
      }
    }
    // With fewer parts, what could not be spared before may be spared now.
    if (piece > 1 || !has_left_out) piece /= 2;
  }
  return result;
}

}  // namespace stint::sim
