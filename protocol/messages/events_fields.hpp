// The wire form of the messages in events.hpp.
#pragma once

#include "protocol/fields.hpp"
#include "protocol/messages/events.hpp"
#include "protocol/messages/limits_fields.hpp"

namespace stint::wire {

template <>
struct Fields<EventItem> {
  static constexpr std::string_view name = "event item";
  static constexpr std::string_view doc = "One job's part of an event.";
  static constexpr auto table =
      std::make_tuple(required("job", &EventItem::job, ordinal, "the job"),
                      required("handler", &EventItem::handler, HandlerName{}, "its handler"),
                      optional("run", &EventItem::run, any_count, "which run; absent: of none"),
                      optional("attempt", &EventItem::attempt, any_count, "which attempt it is or was"),
                      optional("session", &EventItem::session, Session{}, "who has or had the run"),
                      optional("worker", &EventItem::worker, any_text, "the session's worker"),
                      optional("next", &EventItem::next, Word{}, "after a failure: `retry` or `dead`"));
};

template <>
struct Fields<EventMessage> {
  static constexpr std::string_view name = "event";
  static constexpr std::string_view doc =
      "What happened to jobs of one queue in one commit, or to one limit. Job events have `queue` and "
      "`items`, limit events `scope` and `name`.";
  static constexpr auto table = std::make_tuple(
      optional("seq", &EventMessage::seq, any_count,
               "its number, from 1 without gaps; absent: only published, not kept"),
      optional("prev", &EventMessage::prev, any_count,
               "the number before it of the same topic; absent: none"),
      required("log", &EventMessage::log, any_text, "the name of this history"),
      required("at_ms", &EventMessage::at_ms, any_integer, "when"),
      required("event", &EventMessage::event, Word{}, "what happened"),
      optional("queue", &EventMessage::queue, any_text, "the jobs' queue"),
      optional("items", &EventMessage::items, any_list_of(Nested{}), "the jobs"),
      optional("scope", &EventMessage::scope, Word{}, "`queue` or `handler`"),
      optional("name", &EventMessage::name, any_text, "the limit's name"),
      optional("source", &EventMessage::source, Word{}, "whose record it is"),
      optional("limit", &EventMessage::limit, Nested{}, "the record"),
      optional("for_ms", &EventMessage::for_ms, any_count, "how long it is paused; absent: until resumed"));
};

template <>
struct Fields<EventLogHead> {
  static constexpr std::string_view name = "log head";
  static constexpr std::string_view doc = "Where the log stands, published as `log/head`.";
  static constexpr auto table =
      std::make_tuple(required("seq", &EventLogHead::seq, any_count, "the newest event's number"),
                      required("log", &EventLogHead::log, any_text, "the name of this history"));
};

template <>
struct Fields<ReadEvents> {
  static constexpr std::string_view name = "read_events";
  static constexpr std::string_view doc = "Reads a stretch of the log, or waits for what comes.";
  static constexpr auto table = std::make_tuple(
      optional("from_seq", &ReadEvents::from_seq, any_count,
               "the first to read; 0: the oldest that is kept; absent: what comes from now on"),
      optional("log", &ReadEvents::log, Text{0, 64}, "the history's name: another one is `gone`"),
      optional("max", &ReadEvents::max, Integer{1, Bounds::list_rows}, "messages at most"),
      optional("wait_ms", &ReadEvents::wait_ms, Integer{0, Bounds::wait_ms},
               "how long to wait for the first"),
      optional("queue", &ReadEvents::queue, QueueName{}, "only jobs of this queue, and events of its limit"),
      optional("handler", &ReadEvents::handler, HandlerName{},
               "only jobs of this handler, and events of its limit"),
      optional("events", &ReadEvents::events, list_of(Word{}, 0, 32), "only these kinds"));
};

template <>
struct Fields<Events> {
  static constexpr std::string_view name = "events";
  static constexpr std::string_view doc = "What passed the filters; numbers in between did not.";
  static constexpr auto table =
      std::make_tuple(required("events", &Events::events, any_list_of(Nested{}), "in order"),
                      required("next_seq", &Events::next_seq, any_count, "read on from here"),
                      required("oldest_seq", &Events::oldest_seq, any_count, "the oldest that is still kept"),
                      required("log", &Events::log, any_text, "the history's name"));
};

template <>
struct Fields<ExplainJob> {
  static constexpr std::string_view name = "explain_job";
  static constexpr std::string_view doc = "Why does this job not run?";
  static constexpr auto table = std::make_tuple(required("id", &ExplainJob::id, ordinal, "the job"));
};

template <>
struct Fields<Explanation> {
  static constexpr std::string_view name = "explanation";
  static constexpr std::string_view doc = "The one thing that stands in the way of a job.";
  static constexpr auto table = std::make_tuple(
      required("id", &Explanation::id, ordinal, "the job"),
      required("state", &Explanation::state, Word{}, "the job's"),
      required("hold", &Explanation::hold, Word{}, "what stands in the way"),
      required("message", &Explanation::message, any_text, "a sentence for people"),
      optional("scope", &Explanation::scope, Word{}, "of a limit or pause: `queue` or `handler`"),
      optional("name", &Explanation::name, any_text, "of a limit or pause: which"),
      optional("in_ms", &Explanation::in_ms, any_count, "until that is over; absent: not known"));
};

}  // namespace stint::wire
