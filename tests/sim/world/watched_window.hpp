// WatchedWindow: the starts and completions of one handler as an observer sees them, and how many of its
// window's slots a start finds taken (rules L3, L9). Shares no code with the window it watches.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "protocol/values.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

struct WatchedSlots {
  std::int64_t max = 1;
  Duration window{};
  bool counts_starts = false;  // else completions, and the runs that are on
  friend bool operator==(const WatchedSlots&, const WatchedSlots&) = default;
};

class WatchedWindow {
 public:
  // A turn that is on at `now` changes what is in force. Its starts are not judged.
  void change(std::optional<WatchedSlots> slots, Duration now, std::uint64_t turn);

  // A run of the handler was handed out on disk: how many runs are on with it. It leaves later, or never.
  void hand_out(const JobRun& run, std::int64_t running, std::uint64_t turn);
  // It ended in a turn that began at `began`.
  void end(const JobRun& run, bool completed, Duration began, std::uint64_t turn);
  // No run is on any more; what it has entered stays.
  void void_runs() { runs_.clear(); }
  // It left, for the first time or again: how many slots are taken with it, if that is to be judged.
  std::optional<std::int64_t> start(const JobRun& run, Duration at, std::uint64_t turn);

  const std::optional<WatchedSlots>& slots() const { return slots_; }

 private:
  struct Entry {
    Duration at{};
    std::optional<JobRun> run;  // whose start it is
  };
  struct Run {
    std::int64_t running = 0;    // with it, when it was handed out
    std::int64_t entries = 0;    // of all so far, when it was handed out
    std::uint64_t turn = 0;      // in which it was handed out
    std::optional<Duration> at;  // when it left
  };

  void settle(std::uint64_t turn);
  void forget(Duration now);
  void enter(Duration at, std::optional<JobRun> run);
  std::int64_t entries_within(Duration at, std::int64_t of_the_first) const;

  std::optional<WatchedSlots> slots_;
  std::optional<WatchedSlots> newest_;        // of those before, also where it was lifted since
  std::optional<WatchedSlots> before_;        // the turn of the last change, while it is on
  std::optional<std::uint64_t> changing_in_;  // that turn
  Duration kept_for_{};
  std::deque<Entry> entries_;  // by the time they were made, as far as that is known
  std::int64_t forgotten_ = 0;
  std::map<JobRun, Run> runs_;                        // that are on
  std::pair<std::uint64_t, std::set<JobRun>> ended_;  // in the newest turn in which some did
};

}  // namespace stint::sim
