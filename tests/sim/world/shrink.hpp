// Looks for the few parts of a storm that break a rule as the whole does (delta debugging).
#pragma once

#include <functional>
#include <set>

namespace stint::sim {

struct Shrunk {
  std::set<int> left_out;
  int runs = 0;  // it took so many
};

// Leaves out halves of the parts 1 to `parts`, then smaller pieces, then single ones, for as long as it still
// `breaks` what is to be broken; at most `most_runs` are tried. What is left is small, not the smallest.
// Those in `from_the_beginning` are left out throughout.
Shrunk shrink(int parts, const std::function<bool(const std::set<int>& left_out)>& breaks,
              const std::set<int>& from_the_beginning, int most_runs);

}  // namespace stint::sim
