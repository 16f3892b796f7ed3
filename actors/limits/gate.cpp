#include "actors/limits/gate.hpp"

#include <algorithm>
#include <cassert>

namespace stint {

GateRules rules_of(const Limit& limit) {
  GateRules rules;
  if (limit.unlimited) return rules;
  if (limit.rate) rules.rate = TokenRate{*limit.rate, burst_of(*limit.rate, limit.burst)};
  if (limit.max && limit.window_ms) {
    rules.window = WindowRule{*limit.max, from_ms(*limit.window_ms), limit.count};
  }
  rules.max_running = limit.max_running;
  return rules;
}

Gate::Gate(const GateState& state)
    : rules_(state.rules), bucket_(state.bucket), running_(state.running), paused_until_(state.paused_until) {
  for (const WindowEntries& entries : state.entries) load_entries(entries);
  if (rules_.window) kept_for_ = rules_.window->window;
}

GateState Gate::state() const {
  GateState state{rules_, rules_.rate ? bucket_ : std::nullopt, {}, running_, paused_until_};
  if (!rules_.window) return state;
  std::int64_t left = window_.total();
  auto next = window_.entries().begin();
  // Where the newer ones fill the window, the older ones open nothing when they leave.
  while (left > 0 && left - next->count >= rules_.window->max) left -= (next++)->count;
  for (; left > 0 && state.entries.size() + 1 < GateState::most_entries; ++next) {
    state.entries.push_back(*next);
    left -= next->count;
  }
  if (left > 0) state.entries.push_back({window_.entries().back().at, left});
  return state;
}

// Under `started` every run has its entry: it holds nothing besides.
std::int64_t Gate::held() const { return rules_.window->count == CountPolicy::completed ? running_ : 0; }

std::int64_t Gate::room(Instant now) const {
  if (paused_until(now)) return 0;
  std::int64_t room = no_bound;
  if (rules_.rate) room = std::min(room, bucket_->available(now));
  if (rules_.window) room = std::min(room, window_.room(*rules_.window, held(), now));
  if (rules_.max_running) room = std::min(room, *rules_.max_running - running_);
  return std::max<std::int64_t>(0, room);
}

Closed Gate::closed(Instant now) const {
  if (paused_until(now)) return Closed::paused;
  if (rules_.max_running && running_ >= *rules_.max_running) return Closed::running;
  if (rules_.rate && bucket_->available(now) <= 0) return Closed::rate;
  if (rules_.window && window_.room(*rules_.window, held(), now) <= 0) return Closed::window;
  return Closed::no;
}

std::optional<Duration> Gate::until_room(Instant now) const {
  if (rules_.max_running && running_ >= *rules_.max_running) return std::nullopt;
  Duration wait = Duration::zero();
  if (const auto until = paused_until(now)) {
    if (*until == for_ever) return std::nullopt;
    wait = *until - now;
  }
  if (rules_.rate) wait = std::max(wait, bucket_->until(1, now));
  if (rules_.window) {
    const auto window = window_.until_room(*rules_.window, held(), now);
    if (!window) return std::nullopt;
    wait = std::max(wait, *window);
  }
  return wait;
}

void Gate::start(std::int64_t count, Instant now) {
  running_ += count;
  start_again(count, now);
}

bool Gate::may_start_again(Instant now) const {
  if (paused_until(now)) return false;
  if (rules_.rate && bucket_->available(now) < 1) return false;
  const bool enters = rules_.window && rules_.window->count == CountPolicy::started;
  return !enters || window_.room(*rules_.window, 0, now) > 0;
}

void Gate::start_again(std::int64_t count, Instant now) {
  if (rules_.rate) bucket_->take(count, now);
  if (rules_.window && rules_.window->count == CountPolicy::started) window_.add(count, now);
  fresh_ += count;
}

void Gate::end(bool completed, Instant now) {
  assert(running_ > 0);
  --running_;
  if (completed && rules_.window && rules_.window->count == CountPolicy::completed) window_.add(1, now);
}

void Gate::stamp(Instant now) {
  stamped_ = fresh_;
  fresh_ = 0;
  stamp_again(now);
}

void Gate::stamp_again(Instant now) {
  if (stamped_ == 0) return;
  if (rules_.rate) bucket_->stamp(stamped_, now);
  if (rules_.window && rules_.window->count == CountPolicy::started) window_.stamp(stamped_, now);
}

void Gate::change(const GateRules& rules, Instant now) {
  if (rules.rate) {
    if (bucket_) {
      bucket_->change(*rules.rate, now);
    } else {
      bucket_.emplace(*rules.rate, now);
    }
  }
  rules_ = rules;
  if (!rules.window) return;
  kept_for_ = rules.window->window;
  counted_by_ = rules.window->count;
}

void Gate::enter_running(const std::vector<Instant>& starts, Instant now) {
  for (const Instant start : starts) {
    if (start + kept_for_ > now) window_.insert(start);
  }
}

void Gate::withdraw_running(const std::vector<Instant>& starts) {
  // A run without an entry, because it began while the limit was lifted or its entry has left a window that
  // was shorter then, must not take another one's.
  for (const Instant start : starts) window_.remove(start);
}

bool Gate::is_blank(Instant now) const {
  const bool full = !bucket_ || bucket_->available(now) >= bucket_->rate().burst;
  return !rules_.any() && full && window_.entries().empty() && running_ == 0 && !paused_until(now);
}

void Gate::pause_until(Instant until) {
  paused_until_ = paused_until_ ? std::max(*paused_until_, until) : until;
}

std::optional<Instant> Gate::paused_until(Instant now) const {
  if (!paused_until_ || *paused_until_ <= now) return std::nullopt;
  return paused_until_;
}

}  // namespace stint
