// Events: what happened to jobs and limits, as subscribers and readers of the log are told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/limit.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

enum class EventKind : std::uint8_t {
  // Of jobs.
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
  // Of limits.
  set,
  cleared,
  conflict,
  paused,
  resumed,
  // Of limits too, but only published: without a number, not kept.
  reached,
  freed,
  count_,
};

constexpr bool is_of_limit(EventKind kind) { return kind >= EventKind::set; }

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

// One message of the log: one queue, one event, one commit; or one change of one limit.
struct EventMessage {
  std::int64_t seq = 0;   // from 1, without gaps; 0: only published
  std::int64_t prev = 0;  // of the same topic; 0: none
  std::string log;        // the random name of this history
  WallMs at_ms = 0;
  EventKind event = EventKind::enqueued;
  std::string queue;                   // of jobs
  std::vector<EventItem> items;        // of jobs
  std::optional<LimitScope> scope;     // of a limit
  std::string name;                    // of a limit
  std::optional<LimitSource> source;   // whose record was set or cleared
  std::optional<Limit> limit;          // set: the record; conflict: the one that differs
  std::optional<std::int64_t> for_ms;  // paused: so long; absent: until it is resumed
  friend bool operator==(const EventMessage&, const EventMessage&) = default;
};

// Where the log stands: published as `log/head`.
struct EventLogHead {
  std::int64_t seq = 0;
  std::string log;
};

// `job/<queue>/<event>` or `limit/<scope>/<name>/<event>`.
std::string topic_of(const EventMessage& message);
constexpr std::string_view log_head_topic = "log/head";

// A stretch of the log, from `from_seq` on. Waits for the first one that passes the filters.
struct ReadEvents {
  std::optional<std::int64_t> from_seq;  // absent: what comes from now on
  std::string log;                       // must be the log's name, else `gone`; empty: any
  std::int64_t max = 1000;               // messages at most
  std::int64_t wait_ms = 0;
  std::string queue;              // only job events of this queue; empty: all
  std::string handler;            // only items of this handler, and limit events of it; empty: all
  std::vector<EventKind> events;  // only these; none: all
};

struct Events {
  std::vector<EventMessage> events;
  std::int64_t next_seq = 0;    // read on from here
  std::int64_t oldest_seq = 0;  // that is still kept
  std::string log;
};

// Why does this job not run?
struct ExplainJob {
  JobId id = 0;
};

enum class JobHold : std::uint8_t {
  none,           // it may start at any moment
  running,        // it does run
  ended,          // completed, cancelled or dead
  not_due,        // scheduled, or waiting for a retry
  paused,         // its queue or handler
  rate,           // the queue's bucket has no token
  window,         // the handler's window is full
  running_limit,  // of its queue or handler
  no_worker,      // no session asks this queue for this handler
  busy_workers,   // all that do have no free permit
  behind,         // others come first
  no_limiter,     // the node that limits its queue is away
};

struct Explanation {
  JobId id = 0;
  JobState state = JobState::waiting;
  JobHold hold = JobHold::none;
  std::string message;              // a sentence for people
  std::optional<LimitScope> scope;  // of a hold by a limit or pause
  std::string name;
  std::optional<std::int64_t> in_ms;  // when the hold ends; absent: not known
};

}  // namespace stint
