// Lane: the waiting jobs of one (queue, handler, priority), by (time ready, id). Owned by Lanes.
#pragma once

#include <compare>
#include <cstddef>
#include <deque>

#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

// A job's position in its lane.
struct LanePosition {
  Instant ready_at{};
  JobId id = 0;
  friend auto operator<=>(const LanePosition&, const LanePosition&) = default;
};

// Both ends cost the same at any length. A job inserted in between moves the nearer side; a job removed from
// in between leaves a gap, and gaps are closed together once they are many.
class Lane {
 public:
  bool empty() const { return live_ == 0; }
  std::size_t size() const { return live_; }
  const LanePosition& front() const { return entries_.front().position; }

  void insert(const LanePosition& position);
  void pop_front();
  bool remove(const LanePosition& position);

  // For loading: any number of append_unsorted(), then one sort().
  void append_unsorted(const LanePosition& position);
  void sort();

 private:
  struct Entry {
    LanePosition position;
    bool gap = false;
  };
  using Entries = std::deque<Entry>;

  Entries::iterator find_place(const LanePosition& position);
  void close_gaps();

  Entries entries_;  // the first one is never a gap
  std::size_t live_ = 0;
};

}  // namespace stint
