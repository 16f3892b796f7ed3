#include "actors/jobs/lane.hpp"

#include <algorithm>
#include <cassert>

namespace stint {

void Lane::insert(const LanePosition& position) {
  ++live_;
  if (entries_.empty() || entries_.back().position < position) {
    entries_.push_back({position});
    return;
  }
  const auto place = find_place(position);
  if (place->position == position) {
    assert(place->gap);
    place->gap = false;
  } else {
    entries_.insert(place, {position});
  }
}

void Lane::pop_front() {
  assert(!empty());
  --live_;
  do entries_.pop_front();
  while (!entries_.empty() && entries_.front().gap);
}

bool Lane::remove(const LanePosition& position) {
  const auto place = find_place(position);
  if (place == entries_.end() || place->position != position || place->gap) return false;
  if (place == entries_.begin()) {
    pop_front();
    return true;
  }
  --live_;
  place->gap = true;
  if (entries_.size() > 2 * live_ + 64) close_gaps();
  return true;
}

void Lane::append_unsorted(const LanePosition& position) {
  entries_.push_back({position});
  ++live_;
}

void Lane::sort() {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.position < b.position; });
}

Lane::Entries::iterator Lane::find_place(const LanePosition& position) {
  return std::lower_bound(
      entries_.begin(), entries_.end(), position,
      [](const Entry& entry, const LanePosition& wanted) { return entry.position < wanted; });
}

void Lane::close_gaps() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.gap; });
}

}  // namespace stint
