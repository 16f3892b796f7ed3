// Events: what happened to jobs, as subscribers and readers of the log are told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

enum class EventKind : std::uint8_t {
  enqueued,
  started,
  completed,
  failed,
  snoozed,
  released,
  undelivered,
  lost,
  cancelled,
  requeued,
  count_,
};

// The wire's word, which is also the last part of a topic.
std::string_view to_string(EventKind kind);

// What becomes of a job whose run did not go well.
enum class EventNext : std::uint8_t { none, retry, dead, count_ };

// One job's part of a message.
struct EventItem {
  JobId job = 0;
  std::string handler;
  std::int64_t run = 0;  // 0: of no run
  std::int64_t attempt = 0;
  std::optional<SessionId> session;
  std::string worker;
  EventNext next = EventNext::none;
  friend bool operator==(const EventItem&, const EventItem&) = default;
};

// One queue, one event, one turn.
struct EventMessage {
  std::int64_t seq = 0;
  WallMs at_ms = 0;
  EventKind kind = EventKind::enqueued;
  std::string queue;
  std::vector<EventItem> items;
  friend bool operator==(const EventMessage&, const EventMessage&) = default;
};

}  // namespace stint
