// EventPage: one answer to read_events: what of the log its filters let pass, bounded so that its message
// never exceeds what a receiver takes.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/bounds.hpp"
#include "protocol/messages/events.hpp"

namespace stint {

class EventPage {
 public:
  // Reads from `from_seq` on. The request must live as long as the page.
  EventPage(const ReadEvents& request, std::int64_t from_seq);

  // The next stretch of the log; what lies before next_seq() is passed over. Does not take what has no room.
  void add(const std::vector<EventMessage>& messages);

  bool empty() const { return page_.events.empty(); }
  // Nothing more is taken.
  bool full() const { return full_; }
  // Where the next page begins.
  std::int64_t next_seq() const { return page_.next_seq; }

  Events take(std::int64_t oldest_seq, const std::string& log);

 private:
  // Of an answer. What is counted is at least what is sent; a message fits alone, as it is bounded itself.
  static constexpr std::int64_t most_bytes = Bounds::message_bytes / 2;
  static constexpr std::int64_t most_values = Bounds::message_values * 3 / 4;

  bool is_wanted(const EventMessage& message) const;
  EventMessage wanted_part(const EventMessage& message) const;
  bool has_room(const EventMessage& message);

  const ReadEvents& request_;
  Events page_;
  std::int64_t bytes_ = 0;
  std::int64_t values_ = 0;
  bool full_ = false;
};

}  // namespace stint
