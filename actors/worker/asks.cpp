#include "actors/worker/asks.hpp"

#include <algorithm>
#include <utility>

#include "protocol/bounds.hpp"

namespace stint {

void Asks::open_new(Instant now, std::int64_t wait_ms, std::optional<std::int64_t> most) {
  std::erase_if(held_off_, [&](const auto& queue) { return queue.second <= now; });
  std::set<std::string> closed;
  for (const auto& [queue, until] : held_off_) closed.insert(queue);
  for (Offer& offer : permits_->worth_asking(closed, now)) {
    if (std::ssize(open_) >= Bounds::open_asks) return;
    const auto left = most ? std::optional(*most - most_expected()) : std::nullopt;
    if (left && *left <= 0) return;
    open(std::move(offer), left, std::min(wait_ms, offer.longest_wait_ms), now);
  }
}

void Asks::open(Offer&& offer, std::optional<std::int64_t> most, std::int64_t wait_ms, Instant now) {
  OpenAsk ask{
      .offer = std::move(offer), .max = most, .wait_ms = wait_ms, .opened_at = now, .repeat = Repeat(now)};
  if (most) {
    for (auto& [queue, count] : ask.offer.queues) count = std::min(count, *most);
  }
  if (ask.offer.is_of_one_permit) ask.max = 1;
  permits_->offer(ask.offer);
  open_.emplace(++last_, std::move(ask));
}

std::vector<RequestBatch> Asks::take_due(Instant now) {
  std::vector<RequestBatch> due;
  for (auto& [number, ask] : open_) {
    if (!ask.repeat.is_due(now)) continue;
    ask.repeat.sent(now, from_ms(ask.wait_ms));
    due.push_back({.session = {},
                   .ask = number,
                   .queues = ask.offer.queues,
                   .got = 0,
                   .max = ask.max,
                   .wait_ms = ask.wait_ms});
  }
  return due;
}

std::optional<Asks::OpenAsk> Asks::close(std::int64_t ask) {
  auto closed = open_.extract(ask);
  if (closed.empty()) return std::nullopt;
  permits_->take_back(closed.mapped().offer);
  return std::move(closed.mapped());
}

std::optional<Asks::Closed> Asks::answer(std::int64_t number, const Batch& batch, Instant now) {
  const auto ask = close(number);
  if (!ask) return std::nullopt;
  if (batch.jobs.empty()) empty_.insert(number);
  if (empty_.size() > most_empty) empty_.erase(empty_.begin());
  OfferAnswer answer{.brought = {}, .has_waited = ask->wait_ms > 0};
  for (const LeasedJob& job : batch.jobs) ++answer.brought[job.queue];
  if (batch.retry_in_ms) answer.retry_in = from_ms(*batch.retry_in_ms);
  permits_->learn(ask->offer, answer, now);
  return closed_of(*ask, now);
}

std::optional<Asks::Closed> Asks::refuse(std::int64_t number, Instant now) {
  const auto ask = close(number);
  return ask ? std::optional(closed_of(*ask, now)) : std::nullopt;
}

Asks::Closed Asks::closed_of(const OpenAsk& ask, Instant now) {
  Closed closed{.queues = {}, .took = now - ask.opened_at, .wait_ms = ask.wait_ms};
  for (const auto& [queue, count] : ask.offer.queues) closed.queues.push_back(queue);
  return closed;
}

void Asks::hold_off(const std::vector<std::string>& queues, Instant until) {
  for (const std::string& queue : queues) held_off_[queue] = until;
}

bool Asks::all_quiet() const {
  if (!open_.empty()) return false;
  const auto queues = permits_->queues();
  return std::all_of(queues.begin(), queues.end(), [&](const std::string& queue) {
    const auto held_off = held_off_.find(queue);
    return held_off != held_off_.end() && held_off->second == never;
  });
}

void Asks::repeat(std::int64_t ask, Instant at) {
  if (const auto found = open_.find(ask); found != open_.end()) found->second.repeat.send_at(at);
}

void Asks::repeat_all(Instant now) {
  for (auto& [number, ask] : open_) ask.repeat.send_at(now);
}

std::int64_t Asks::OpenAsk::expected() const {
  return std::min(offer.permits(), max.value_or(offer.permits()));
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
  Instant due = permits_->next_look();
  for (const auto& [queue, until] : held_off_) due = std::min(due, until);
  return due;
}

}  // namespace stint
