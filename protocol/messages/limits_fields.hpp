// The wire form of the messages in limits.hpp, and of a limit wherever one is given.
#pragma once

#include "protocol/fields.hpp"
#include "protocol/messages/limits.hpp"
#include "protocol/names.hpp"

namespace stint::wire {

// A pause that is to last longer has no end.
inline constexpr Integer pause_ms{1, longest_ms};

template <>
struct Fields<Limit> {
  static constexpr std::string_view name = "limit";
  static constexpr std::string_view doc =
      "`{rate, burst?}` for a queue, `{max, window_ms, count?}` for a handler, each with or just "
      "`max_running`; or `{unlimited: true}`.";
  // What a limit may hold is judged whole, by the same function for every way in: see Limit's bounds.
  static constexpr auto table = std::make_tuple(
      optional("rate", &Limit::rate, any_number, "starts a second, above 0 to 1000000"),
      optional("burst", &Limit::burst, any_integer,
               "starts at once at most, to 1000000; 0: the rate, rounded up"),
      optional("max", &Limit::max, any_integer, "starts that count within a window, 1 to 1000000"),
      optional("window_ms", &Limit::window_ms, any_integer, "the window's length, to 366 days"),
      optional("count", &Limit::count, Word{},
               "`completed`: runs that are on and those that completed; `started`: every start"),
      optional("max_running", &Limit::max_running, any_integer, "runs at the same time, 1 to 1000000"),
      optional("unlimited", &Limit::unlimited, Flag{}, "lifts what lower layers set, the running limit too"));
};

// The fault of a limit that stands in the field `limit` of a message.
inline Fault limit_fault(const Limit& limit, LimitScope scope) {
  auto fault = fault_of(limit, scope);
  if (!fault) return {};
  return {.field = fault->field.empty() ? "limit" : "limit." + fault->field,
          .message = std::move(fault->message)};
}

// A name's rule depends on its scope: checked when both are known.
inline Fault name_fault(LimitScope scope, const std::string& name) {
  if (scope == LimitScope::queue ? is_queue_name(name) : is_handler_name(name)) return {};
  return {.field = "name", .message = "is not a name of a " + std::string(to_string(scope))};
}

template <class Owner>
constexpr auto limit_scope() {
  return required("scope", &Owner::scope, Word{}, "`queue` or `handler`");
}
template <class Owner>
constexpr auto limit_name() {
  return required("name", &Owner::name, Text{1, 255}, "the queue's or the handler's name");
}

template <>
struct Fields<SetLimit> {
  static constexpr std::string_view name = "set_limit";
  static constexpr std::string_view doc = "Sets the record of one source whole; it takes effect at once.";
  static constexpr auto table = std::make_tuple(
      limit_scope<SetLimit>(), limit_name<SetLimit>(),
      required("limit", &SetLimit::limit, Nested{}, "what to set"),
      optional("as", &SetLimit::as, Word{}, "whose record: `operator`, or `declared` as a worker does"),
      optional("if_version", &SetLimit::if_version, any_count,
               "only if `version` of its state is this, else `conflict`"));

  static Fault settle(SetLimit& message) {
    if (Fault fault = name_fault(message.scope, message.name); !fault.message.empty()) return fault;
    return limit_fault(message.limit, message.scope);
  }
};

template <>
struct Fields<GetLimit> {
  static constexpr std::string_view name = "get_limit";
  static constexpr std::string_view doc = "Is it limited, and when is there room?";
  static constexpr auto table = std::make_tuple(limit_scope<GetLimit>(), limit_name<GetLimit>());
  static Fault settle(GetLimit& message) { return name_fault(message.scope, message.name); }
};

template <>
struct Fields<ClearLimit> {
  static constexpr std::string_view name = "clear_limit";
  static constexpr std::string_view doc = "Removes the operator's record.";
  static constexpr auto table =
      std::make_tuple(limit_scope<ClearLimit>(), limit_name<ClearLimit>(),
                      optional("all", &ClearLimit::all, Flag{}, "every record but the config's"));
  static Fault settle(ClearLimit& message) { return name_fault(message.scope, message.name); }
};

template <>
struct Fields<Pause> {
  static constexpr std::string_view name = "pause";
  static constexpr std::string_view doc =
      "Nothing starts until the end of the pause. Of two pauses the later end wins.";
  static constexpr auto table = std::make_tuple(
      limit_scope<Pause>(), limit_name<Pause>(),
      optional("for_ms", &Pause::for_ms, pause_ms, "how long from now; absent: until it is resumed"));
  static Fault settle(Pause& message) { return name_fault(message.scope, message.name); }
};

template <>
struct Fields<Resume> {
  static constexpr std::string_view name = "resume";
  static constexpr std::string_view doc = "Ends a pause.";
  static constexpr auto table = std::make_tuple(limit_scope<Resume>(), limit_name<Resume>());
  static Fault settle(Resume& message) { return name_fault(message.scope, message.name); }
};

template <>
struct Fields<LimitState> {
  static constexpr std::string_view name = "limit_state";
  static constexpr std::string_view doc = "What holds for a queue or a handler now.";
  static constexpr auto table = std::make_tuple(
      limit_scope<LimitState>(), limit_name<LimitState>(),
      optional("limit", &LimitState::limit, Nested{}, "what results of all layers; absent: none"),
      optional("source", &LimitState::source, Word{}, "whose record decides"),
      required("version", &LimitState::version, any_count, "grows with every change of what results"),
      required("layers", &LimitState::layers, any_map_of(any_text, Nested{}), "each source's record"),
      required("limited", &LimitState::limited, Flag{},
               "nothing may start now: a limit is reached, or it is paused"),
      optional("available", &LimitState::available, any_count,
               "starts that are allowed now; absent: no limit counts them"),
      optional("available_in_ms", &LimitState::available_in_ms, any_count,
               "until one may start, rounded up; absent: that depends on a run, or on `resume`"),
      required("running", &LimitState::running, any_count, "runs that are on"),
      optional("paused", &LimitState::paused, Flag{}, "somebody paused it"),
      optional("paused_until_ms", &LimitState::paused_until_ms, any_integer,
               "the end of the pause; absent in one: until it is resumed"),
      required("started", &LimitState::started, any_count,
               "starts since storage's start, counted while there is a record or a pause"));
};

template <>
struct Fields<ListLimits> {
  static constexpr std::string_view name = "list_limits";
  static constexpr std::string_view doc = "Every queue and handler with a record or a pause.";
  static constexpr auto table = std::make_tuple(
      optional("scope", &ListLimits::scope, Word{}, "only queues, or only handlers"),
      optional("limit", &ListLimits::limit, Integer{1, Bounds::list_rows}, "rows of a page at most"),
      optional("cursor", &ListLimits::cursor, Text{0, 512}, "of the page before"));
};

template <>
struct Fields<Limits> {
  static constexpr std::string_view name = "limits";
  static constexpr std::string_view doc = "One page of limits: queues first, by name.";
  static constexpr auto table = std::make_tuple(
      required("limits", &Limits::limits, any_list_of(Nested{}), "what holds for each"),
      optional("cursor", &Limits::cursor, Text{0, 512}, "of the next page; absent: this is the last"));
};

}  // namespace stint::wire
