#include "actors/worker/asks.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stint {

Asks::Asks(const std::map<std::string, std::int64_t>& permits) {
  for (const auto& [queue, count] : permits) slots_[queue].permits = count;
  set_homes({});
}

void Asks::set_homes(const std::map<std::string, std::string>& homes) {
  const auto before = std::exchange(homes_, {});
  for (const auto& [queue, slots] : slots_) {
    const auto home = homes.find(queue);
    homes_[home == homes.end() ? std::string() : home->second].queues.push_back(queue);
  }
  for (auto& [name, home] : homes_) {
    if (const auto known = before.find(name); known != before.end())
      home.not_before = known->second.not_before;
  }
}

void Asks::hold(const std::string& queue) { ++slots_[queue].held; }

void Asks::give_back(const std::string& queue) {
  auto& slots = slots_[queue];
  assert(slots.held > 0);
  --slots.held;
}

bool Asks::has_permit(const std::string& queue) const {
  const auto slots = slots_.find(queue);
  return slots != slots_.end() && slots->second.held < slots->second.permits;
}

// A queue that no ask offers must be asked for, or its jobs would wait for other queues' asks. Beside one
// that is open, a quarter of the permits is worth a message; fewer go with the next.
bool Asks::is_worth_asking(const Slots& slots) const {
  if (slots.free() <= 0) return false;
  return slots.offered == 0 || slots.free() * 4 >= slots.permits;
}

void Asks::open_new(Instant now, std::int64_t wait_ms, std::optional<std::int64_t> most) {
  for (auto& [name, home] : homes_) {
    if (home.not_before <= now) home.not_before = Instant{};
    if (home.not_before > now || std::ssize(open_) >= Bounds::open_asks) continue;
    if (most && *most <= most_expected()) continue;
    const bool worth = std::any_of(home.queues.begin(), home.queues.end(), [&](const std::string& queue) {
      return is_worth_asking(slots_.at(queue));
    });
    if (worth) open(name, home, now, wait_ms, most);
  }
}

void Asks::open(const std::string& name, const Home& home, Instant now, std::int64_t wait_ms,
                std::optional<std::int64_t> most) {
  OpenAsk ask{
      .home = name, .queues = {}, .max = {}, .wait_ms = wait_ms, .opened_at = now, .repeat = Repeat(now)};
  if (most) ask.max = *most - most_expected();
  for (const auto& queue : home.queues) {
    auto& slots = slots_.at(queue);
    const std::int64_t offer = std::min(slots.free(), ask.max.value_or(slots.free()));
    if (offer <= 0) continue;
    ask.queues[queue] = offer;
    slots.offered += offer;
  }
  open_.emplace(++last_, std::move(ask));
}

std::vector<RequestBatch> Asks::take_due(Instant now) {
  std::vector<RequestBatch> due;
  for (auto& [number, ask] : open_) {
    if (!ask.repeat.is_due(now)) continue;
    ask.repeat.sent(now, from_ms(ask.wait_ms));
    due.push_back({.session = {},
                   .ask = number,
                   .queues = ask.queues,
                   .got = 0,
                   .max = ask.max,
                   .wait_ms = ask.wait_ms});
  }
  return due;
}

std::optional<Asks::Answered> Asks::close(std::int64_t ask, Instant now) {
  const auto found = open_.find(ask);
  if (found == open_.end()) return std::nullopt;
  for (const auto& [queue, offer] : found->second.queues) slots_.at(queue).offered -= offer;
  Answered answered{std::move(found->second.home), now - found->second.opened_at, found->second.wait_ms};
  open_.erase(found);
  return answered;
}

void Asks::hold_home(const std::string& home, Instant until) {
  // A home may have gone: a newer welcome named others.
  if (const auto found = homes_.find(home); found != homes_.end()) found->second.not_before = until;
}

void Asks::allow_all() {
  for (auto& [name, home] : homes_) home.not_before = Instant{};
}

bool Asks::all_quiet() const {
  return open_.empty() && std::all_of(homes_.begin(), homes_.end(),
                                      [](const auto& home) { return home.second.not_before == never; });
}

void Asks::repeat(std::int64_t ask, Instant at) {
  if (const auto found = open_.find(ask); found != open_.end()) found->second.repeat.send_at(at);
}

void Asks::repeat_all(Instant now) {
  for (auto& [number, ask] : open_) ask.repeat.send_at(now);
}

std::int64_t Asks::OpenAsk::expected() const {
  std::int64_t offered = 0;
  for (const auto& [queue, offer] : queues) offered += offer;
  return std::min(offered, max.value_or(offered));
}

std::int64_t Asks::most_expected() const {
  std::int64_t expected = 0;
  for (const auto& [number, ask] : open_) expected += ask.expected();
  return expected;
}

Instant Asks::next_repeat() const {
  Instant due = never;
  for (const auto& [number, ask] : open_) due = std::min(due, ask.repeat.at());
  return due;
}

Instant Asks::next_opening() const {
  Instant due = never;
  for (const auto& [name, home] : homes_) {
    // One that is not held has what is worth asking open already.
    if (home.not_before > Instant{}) due = std::min(due, home.not_before);
  }
  return due;
}

}  // namespace stint
