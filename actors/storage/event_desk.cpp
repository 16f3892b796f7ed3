#include "actors/storage/event_desk.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "actors/events/event_chunk.hpp"
#include "actors/events/event_page.hpp"

namespace stint {

namespace {

// What one request may look at: filters that let little pass take several requests.
constexpr std::int64_t most_chunks = 500;
constexpr std::int64_t most_chunk_bytes = 256 << 10;
constexpr std::int64_t chunks_a_step = 16;
constexpr std::int64_t overloaded_retry_ms = 1'000;

Error gone(std::string message, std::string field) {
  return {ErrorCode::gone, std::move(message), std::move(field)};
}

Error too_many_wait() {
  Error error{ErrorCode::overloaded, "too many readers wait for events already"};
  error.retry_in_ms = overloaded_retry_ms;
  return error;
}

}  // namespace

void EventDesk::on(ReadEvents&& request, Turn& turn) {
  const auto oldest = oldest_seq();
  if (!oldest) return turn.reply(oldest.error());
  if (const Status readable = check(request, *oldest); !readable) return turn.reply(readable.error());
  const std::int64_t next_seq = state_.events().last_seq() + 1;
  const std::int64_t from_seq = request.from_seq.value_or(next_seq);
  EventPage page(request, std::max(from_seq, *oldest));
  if (const Status filled = fill(page); !filled) return turn.reply(filled.error());
  const bool at_end = page.empty() && page.next_seq() == next_seq;
  if (at_end && request.wait_ms > 0) return park(std::move(request), turn);
  turn.reply(page.take(*oldest, state_.events().log()));
}

void EventDesk::on(EventTick&&, Turn& turn) {
  alarm_.rang(turn.now());
  while (!parked_.empty() && parked_.begin()->first <= turn.now()) {
    const Reader& reader = parked_.begin()->second;
    const auto oldest = oldest_seq();
    if (oldest) {
      EventPage nothing(reader.request, state_.events().last_seq() + 1);
      turn.send(reader.asker, nothing.take(*oldest, state_.events().log()));
    } else {
      turn.send(reader.asker, oldest.error());
    }
    parked_.erase(parked_.begin());
  }
  if (!parked_.empty()) alarm_.ring_at(parked_.begin()->first, EventTick{}, turn);
}

void EventDesk::answer_news(const EventChunk& chunk, Turn& turn) {
  if (parked_.empty()) return;
  const auto news = decode_events(chunk, state_.events().log());
  const auto oldest = oldest_seq();
  assert(news && "what was just written can be read");
  if (!news || !oldest) return answer_all(news ? oldest.error() : news.error(), turn);
  for (auto reader = parked_.begin(); reader != parked_.end();) {
    EventPage page(reader->second.request, chunk.first_seq);
    page.add(*news);
    if (page.empty()) {
      ++reader;
      continue;
    }
    turn.send(reader->second.asker, page.take(*oldest, state_.events().log()));
    reader = parked_.erase(reader);
  }
}

void EventDesk::answer_all(const Error& error, Turn& turn) {
  for (const auto& [until, reader] : parked_) turn.send(reader.asker, error);
  parked_.clear();
}

void EventDesk::park(ReadEvents&& request, Turn& turn) {
  if (parked_.size() >= most_parked) return turn.reply(too_many_wait());
  const Instant until = turn.now() + from_ms(std::min(request.wait_ms, Bounds::wait_ms));
  parked_.emplace(until, Reader{std::move(request), turn.sender()});
  alarm_.ring_at(until, EventTick{}, turn);
}

Status EventDesk::check(const ReadEvents& request, std::int64_t oldest_seq) const {
  const EventBuilder& events = state_.loaded->events;
  if (!request.log.empty() && request.log != events.log()) {
    return gone("the events of log " + request.log + " are not here: this is log " + events.log(), "log");
  }
  if (!request.from_seq || *request.from_seq == 0) return Done{};
  if (*request.from_seq < oldest_seq) {
    return gone("event " + std::to_string(*request.from_seq) + " is no longer kept: oldest_seq is " +
                    std::to_string(oldest_seq),
                "from_seq");
  }
  if (*request.from_seq > events.last_seq() + 1) {
    return gone("there is no event " + std::to_string(*request.from_seq) + " in log " + events.log() +
                    " yet: its newest is " + std::to_string(events.last_seq()),
                "from_seq");
  }
  return Done{};
}

Result<std::int64_t> EventDesk::oldest_seq() {
  const auto oldest = state_.store.oldest_event();
  if (!oldest) return oldest.error();
  return *oldest > 0 ? *oldest : state_.events().last_seq() + 1;
}

Status EventDesk::fill(EventPage& page) {
  std::int64_t chunks_seen = 0;
  std::int64_t bytes_seen = 0;
  for (std::int64_t step = 1; !page.full() && chunks_seen < most_chunks && bytes_seen < most_chunk_bytes;
       step = std::min(2 * step, chunks_a_step)) {
    if (page.next_seq() > state_.events().last_seq()) break;
    const auto chunks = state_.store.events_from(page.next_seq(), step);
    if (!chunks) return chunks.error();
    if (chunks->empty()) break;
    for (const EventChunk& chunk : *chunks) {
      const auto messages = decode_events(chunk, state_.events().log());
      if (!messages) return messages.error();
      page.add(*messages);
      ++chunks_seen;
      bytes_seen += std::ssize(chunk.bytes);
      if (page.full()) break;
    }
  }
  return Done{};
}

}  // namespace stint
