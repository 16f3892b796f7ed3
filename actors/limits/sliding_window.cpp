#include "actors/limits/sliding_window.hpp"

#include <algorithm>

namespace stint {

namespace {

bool is_within(const WindowEntries& entries, Duration window, Instant now) {
  return entries.at + window > now;
}

}  // namespace

std::int64_t SlidingWindow::room(const WindowRule& rule, std::int64_t held, Instant now) const {
  std::int64_t used = held;
  for (auto entries = entries_.rbegin(); entries != entries_.rend() && used < rule.max; ++entries) {
    if (!is_within(*entries, rule.window, now)) break;
    used += entries->count;
  }
  return std::max<std::int64_t>(0, rule.max - used);
}

std::optional<Duration> SlidingWindow::until_room(const WindowRule& rule, std::int64_t held,
                                                  Instant now) const {
  if (held >= rule.max) return std::nullopt;
  std::int64_t used = held;
  // From the newest on: the first that does not fit any more has to leave.
  for (auto entries = entries_.rbegin(); entries != entries_.rend(); ++entries) {
    if (!is_within(*entries, rule.window, now)) break;
    used += entries->count;
    if (used >= rule.max) return entries->at + rule.window - now;
  }
  return Duration::zero();
}

void SlidingWindow::add(std::int64_t count, Instant at) {
  if (count <= 0) return;
  if (!entries_.empty() && entries_.back().at >= at) {
    entries_.back().count += count;
  } else {
    entries_.push_back({at, count});
  }
}

void SlidingWindow::insert(Instant at) {
  const auto next = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const WindowEntries& entries) { return entries.at >= at; });
  if (next != entries_.end() && next->at == at) {
    ++next->count;
  } else {
    entries_.insert(next, {at, 1});
  }
}

void SlidingWindow::stamp(std::int64_t count, Instant now) {
  std::int64_t left = count;
  while (left > 0 && !entries_.empty()) {
    WindowEntries& newest = entries_.back();
    const std::int64_t moved = std::min(left, newest.count);
    newest.count -= moved;
    left -= moved;
    if (newest.count == 0) entries_.pop_back();
  }
  add(count, now);
}

void SlidingWindow::remove_from(Instant since) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const WindowEntries& entries) { return entries.at >= since; });
  if (found != entries_.end() && --found->count == 0) entries_.erase(found);
}

bool SlidingWindow::expire(Duration window, Instant now) {
  const std::size_t before = entries_.size();
  while (!entries_.empty() && !is_within(entries_.front(), window, now)) entries_.pop_front();
  return entries_.size() != before;
}

}  // namespace stint
