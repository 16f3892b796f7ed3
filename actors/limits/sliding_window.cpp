#include "actors/limits/sliding_window.hpp"

#include <algorithm>

namespace stint {

namespace {

bool is_within(const WindowEntries& entries, Duration window, Instant now) {
  return entries.at + window > now;
}

}  // namespace

std::int64_t SlidingWindow::within(Duration window, Instant now) const {
  std::int64_t count = total_;
  for (const WindowEntries& entries : entries_) {
    if (is_within(entries, window, now)) break;
    count -= entries.count;
  }
  return count;
}

std::int64_t SlidingWindow::room(const WindowRule& rule, std::int64_t held, Instant now) const {
  return std::max<std::int64_t>(0, rule.max - held - within(rule.window, now));
}

std::optional<Duration> SlidingWindow::until_room(const WindowRule& rule, std::int64_t held,
                                                  Instant now) const {
  if (held >= rule.max) return std::nullopt;
  std::int64_t must_leave = held + within(rule.window, now) - rule.max + 1;
  if (must_leave <= 0) return Duration::zero();
  auto entries = entries_.begin();
  while (!is_within(*entries, rule.window, now)) ++entries;
  while ((must_leave -= entries->count) > 0) ++entries;
  return entries->at + rule.window - now;
}

void SlidingWindow::add(std::int64_t count, Instant at) {
  if (count <= 0) return;
  total_ += count;
  if (!entries_.empty() && entries_.back().at >= at) {
    entries_.back().count += count;
  } else {
    entries_.push_back({at, count});
  }
}

WindowEntries& SlidingWindow::entries_at(Instant at) {
  const auto next = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const WindowEntries& entries) { return entries.at >= at; });
  if (next != entries_.end() && next->at == at) return *next;
  return *entries_.insert(next, {at, 0});
}

void SlidingWindow::insert(Instant at) {
  ++entries_at(at).count;
  ++total_;
}

void SlidingWindow::fill(std::int64_t count, Instant at) {
  WindowEntries& entries = entries_at(at);
  const std::int64_t missing = std::max<std::int64_t>(0, count - entries.count);
  entries.count += missing;
  total_ += missing;
}

void SlidingWindow::stamp(std::int64_t count, Instant now) {
  total_ -= std::min(count, total_);
  for (std::int64_t left = count; left > 0 && !entries_.empty();) {
    WindowEntries& newest = entries_.back();
    const std::int64_t moved = std::min(left, newest.count);
    newest.count -= moved;
    left -= moved;
    if (newest.count == 0) entries_.pop_back();
  }
  add(count, now);
}

void SlidingWindow::remove(Instant at) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const WindowEntries& entries) { return entries.at == at; });
  if (found == entries_.end()) return;
  --total_;
  if (--found->count == 0) entries_.erase(found);
}

bool SlidingWindow::expire(Duration window, Instant now) {
  const std::size_t before = entries_.size();
  while (!entries_.empty() && !is_within(entries_.front(), window, now)) {
    total_ -= entries_.front().count;
    entries_.pop_front();
  }
  return entries_.size() != before;
}

}  // namespace stint
