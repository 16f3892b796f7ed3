#include "actors/events/event_page.hpp"

#include <algorithm>
#include <utility>

namespace stint {

namespace {

// Keys, values and heads of the longest message without its names and items, and of an item without its
// names.
constexpr std::int64_t bytes_of_a_message = 400;
constexpr std::int64_t bytes_of_an_item = 110;
constexpr std::int64_t values_of_a_message = 45;
constexpr std::int64_t values_of_an_item = 15;

}  // namespace

EventPage::EventPage(const ReadEvents& request, std::int64_t from_seq) : request_(request) {
  page_.next_seq = from_seq;
}

void EventPage::add(const std::vector<EventMessage>& messages) {
  for (const EventMessage& message : messages) {
    if (full_) return;
    if (message.seq < page_.next_seq) continue;
    if (is_wanted(message)) {
      EventMessage part = wanted_part(message);
      if (!has_room(part)) {
        full_ = true;
        return;
      }
      page_.events.push_back(std::move(part));
      full_ = std::ssize(page_.events) >= request_.max;
    }
    page_.next_seq = message.seq + 1;
  }
}

Events EventPage::take(std::int64_t oldest_seq, const std::string& log) {
  page_.oldest_seq = oldest_seq;
  page_.log = log;
  return std::move(page_);
}

bool EventPage::is_wanted(const EventMessage& message) const {
  const auto& kinds = request_.events;
  if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), message.event) == kinds.end()) return false;
  if (message.scope) {
    const bool any = request_.queue.empty() && request_.handler.empty();
    return any || message.name == (*message.scope == LimitScope::queue ? request_.queue : request_.handler);
  }
  if (!request_.queue.empty() && message.queue != request_.queue) return false;
  return request_.handler.empty() ||
         std::any_of(message.items.begin(), message.items.end(),
                     [this](const EventItem& item) { return item.handler == request_.handler; });
}

EventMessage EventPage::wanted_part(const EventMessage& message) const {
  EventMessage part = message;
  if (!request_.handler.empty()) {
    std::erase_if(part.items, [this](const EventItem& item) { return item.handler != request_.handler; });
  }
  return part;
}

bool EventPage::has_room(const EventMessage& message) {
  const auto items = std::ssize(message.items);
  std::int64_t bytes = bytes_of_a_message + std::ssize(message.log) + std::ssize(message.queue) +
                       std::ssize(message.name) + items * bytes_of_an_item;
  for (const EventItem& item : message.items) bytes += std::ssize(item.handler) + std::ssize(item.worker);
  const std::int64_t values = values_of_a_message + items * values_of_an_item;
  if (!empty() && (bytes_ + bytes > most_bytes || values_ + values > most_values)) return false;
  bytes_ += bytes;
  values_ += values;
  return true;
}

}  // namespace stint
