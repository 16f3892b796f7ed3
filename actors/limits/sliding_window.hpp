// SlidingWindow: the entries of a handler's window: at most `max` in any span of `window` (rule L3). A value:
// the ledger owns the one that decides, a limiter has a copy to propose by.
//
// An entry leaves when `window` has passed: two entries exactly that far apart are never in one span.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "protocol/limit.hpp"
#include "protocol/time.hpp"

namespace stint {

struct WindowRule {
  std::int64_t max = 0;  // at least 1
  Duration window{};     // above 0
  CountPolicy count = CountPolicy::completed;
  friend bool operator==(const WindowRule&, const WindowRule&) = default;
};

// Entries that were made at one moment.
struct WindowEntries {
  Instant at{};
  std::int64_t count = 0;
  friend bool operator==(const WindowEntries&, const WindowEntries&) = default;
};

// Asking costs nothing more when there are many entries, if those that have left are forgotten.
class SlidingWindow {
 public:
  // How many entries more there may be, with `held` slots taken by runs that are on; never below 0.
  std::int64_t room(const WindowRule& rule, std::int64_t held, Instant now) const;
  // How long until there is room for one; nothing: that depends on a run that is on.
  std::optional<Duration> until_room(const WindowRule& rule, std::int64_t held, Instant now) const;

  // Not before the newest entry's moment, or it is made at that.
  void add(std::int64_t count, Instant at);
  // One entry between those that are there.
  void insert(Instant at);
  // At least `count` entries of that moment.
  void fill(std::int64_t count, Instant at);
  // The newest `count` were made only now (rule L1).
  void stamp(std::int64_t count, Instant now);
  // Takes out one that was made at this very moment, if it is still there: any other may be somebody else's.
  void remove(Instant at);
  // Forgets what has left the window; returns whether there was any.
  bool expire(Duration window, Instant now);

  const std::deque<WindowEntries>& entries() const { return entries_; }
  // Of all of them.
  std::int64_t total() const { return total_; }

 private:
  // Those of that moment, made if there are none.
  WindowEntries& entries_at(Instant at);
  std::int64_t within(Duration window, Instant now) const;

  std::deque<WindowEntries> entries_;  // oldest first, no moment twice
  std::int64_t total_ = 0;
};

}  // namespace stint
