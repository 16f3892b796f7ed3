#include "actors/limiter/answered_asks.hpp"

#include <iterator>

namespace stint {

void AnsweredAsks::add(std::int64_t ask) {
  if (contains(ask)) return;
  const auto next = first_to_last_.upper_bound(ask);
  const bool joins_next = next != first_to_last_.end() && next->first == ask + 1;
  const bool joins_previous = next != first_to_last_.begin() && std::prev(next)->second == ask - 1;
  const std::int64_t last = joins_next ? next->second : ask;
  if (joins_previous) {
    std::prev(next)->second = last;
  } else {
    first_to_last_.emplace_hint(next, ask, last);
  }
  if (joins_next) first_to_last_.erase(next);
}

bool AnsweredAsks::contains(std::int64_t ask) const {
  const auto next = first_to_last_.upper_bound(ask);
  return next != first_to_last_.begin() && ask <= std::prev(next)->second;
}

void AnsweredAsks::forget_up_to(std::int64_t ask) {
  while (!first_to_last_.empty() && first_to_last_.begin()->first <= ask) {
    const std::int64_t last = first_to_last_.begin()->second;
    first_to_last_.erase(first_to_last_.begin());
    if (last > ask) first_to_last_.emplace(ask + 1, last);
  }
}

}  // namespace stint
