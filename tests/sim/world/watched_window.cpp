#include "tests/sim/world/watched_window.hpp"

#include <algorithm>

namespace stint::sim {

void WatchedWindow::change(std::optional<WatchedSlots> slots, Duration now, std::uint64_t turn) {
  settle(turn);
  if (slots == slots_) return;
  forget(now);
  if (!changing_in_) before_ = slots_;
  if (slots_) newest_ = slots_;
  changing_in_ = turn;
  slots_ = slots;
  if (slots) kept_for_ = slots->window;
}

void WatchedWindow::hand_out(const JobRun& run, std::int64_t running, std::uint64_t turn) {
  settle(turn);
  runs_[run] = {running, forgotten_ + std::ssize(entries_), turn, std::nullopt};
}

void WatchedWindow::end(const JobRun& run, bool completed, Duration began, std::uint64_t turn) {
  settle(turn);
  runs_.erase(run);
  if (ended_.first != turn) ended_ = {turn, {}};
  ended_.second.insert(run);
  const auto counts_it = [](const auto& slots) { return slots && !slots->counts_starts; };
  // In the turn of a change it may have ended before it or after it.
  if (completed && counts_it(slots_) && (!changing_in_ || counts_it(before_))) enter(began, std::nullopt);
}

std::optional<std::int64_t> WatchedWindow::start(const JobRun& run, Duration at, std::uint64_t turn) {
  settle(turn);
  const auto found = runs_.find(run);
  const bool is_known = found != runs_.end();
  if (is_known && !found->second.at) found->second.at = at;
  if (!slots_ || changing_in_) {
    if (slots_ && slots_->counts_starts && before_ && before_->counts_starts) enter(at, run);
    return std::nullopt;
  }
  forget(at);
  if (slots_->counts_starts) {
    enter(at, run);
    return entries_within(at, forgotten_ + std::ssize(entries_));
  }
  // Its slot is held from its hand-out on: answering it again takes no other.
  if (!is_known || found->second.turn != turn) return std::nullopt;
  return found->second.running + entries_within(at, found->second.entries);
}

// The turn of a change is over: what runs has become entries, or is none any more.
void WatchedWindow::settle(std::uint64_t turn) {
  if (!changing_in_ || *changing_in_ == turn) return;
  // Those that ended in that turn may have been on as well.
  const bool some_ended = ended_.first == *changing_in_;
  changing_in_.reset();
  // A window that was lifted meanwhile goes on from where it was.
  const auto& from = before_ ? before_ : newest_;
  if (!from || !slots_ || from->counts_starts == slots_->counts_starts) return;
  if (slots_->counts_starts) {
    for (const auto& [key, run] : runs_) {
      if (run.at) enter(*run.at, key);
    }
  } else {
    const auto is_on = [&](const Entry& entry) {
      return entry.run && (runs_.contains(*entry.run) || (some_ended && ended_.second.contains(*entry.run)));
    };
    forgotten_ += static_cast<std::int64_t>(std::erase_if(entries_, is_on));
  }
}

// What has left the window is not held any more, if a longer one comes (rule L9).
void WatchedWindow::forget(Duration now) {
  forgotten_ += static_cast<std::int64_t>(
      std::erase_if(entries_, [&](const Entry& entry) { return entry.at + kept_for_ <= now; }));
}

void WatchedWindow::enter(Duration at, std::optional<JobRun> run) { entries_.push_back({at, run}); }

std::int64_t WatchedWindow::entries_within(Duration at, std::int64_t of_the_first) const {
  const std::int64_t count = std::clamp<std::int64_t>(of_the_first - forgotten_, 0, std::ssize(entries_));
  return std::count_if(entries_.begin(), entries_.begin() + count,
                       [&](const Entry& entry) { return entry.at + slots_->window > at; });
}

}  // namespace stint::sim
