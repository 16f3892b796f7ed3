// The form of what crosses links: of the messages that only actors say to each other, and of the links' own.
// Requests and answers have theirs in the protocol. Only the links' codec includes this.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/kernel/internal_messages.hpp"
#include "nodes/links/link_messages.hpp"
#include "protocol/fields.hpp"
#include "protocol/messages/worker_fields.hpp"
#include "protocol/words.hpp"

namespace stint {

template <>
inline constexpr std::array<std::string_view, 9> words_of<Place>{
    "nobody", "storage", "limiter", "worker", "server", "door", "runner", "log", "events"};
static_assert(words_of<Place>.size() == static_cast<std::size_t>(Place::count_));

// Tokens of a bucket at a moment.
struct LinkLevel {
  std::int64_t billionths = 0;
  Instant at{};
};

// A gate's state as it is sent: its instants are those of GateState, counted from the moment it is sent.
struct LinkGate {
  std::optional<TokenRate> rate;
  std::optional<LinkLevel> level;
  std::optional<WindowRule> window;
  std::optional<std::int64_t> max_running;
  std::vector<WindowEntries> entries;
  std::int64_t running = 0;
  bool is_paused = false;
  std::optional<Instant> paused_until;  // absent though paused: without end
};

}  // namespace stint

namespace stint::wire {

struct Bits {};        // 64 of them, kept as they are
struct Microseconds {  // a duration, or an instant counted from the moment of sending
  std::int64_t least;
  std::int64_t most;
};
struct SharedNames {};  // handlers of a session
struct LaneCounts {};   // a map of queues to maps of handlers to counts

inline constexpr Microseconds any_moment{-largest_integer, largest_integer};
inline constexpr Microseconds any_duration{0, longest_ms * 1'000};
inline constexpr Integer starts{1, Limit::most_starts};
inline constexpr std::int64_t askers_of_one_ask = 64;

template <>
struct Fields<LinkHello> {
  static constexpr std::string_view name = "link_hello";
  static constexpr std::string_view doc = "Opens a link, or says that some of what was sent was lost.";
  static constexpr auto table = std::make_tuple(
      required("version", &LinkHello::version, any_count, "of what is said over links"),
      required("name", &LinkHello::name, WorkerName{}, "the node's"),
      required("number", &LinkHello::number, Integer{1, 65'535}, "in the cluster"),
      optional("storage", &LinkHello::is_storage, Flag{}, "its role"),
      optional("limiter", &LinkHello::is_limiter, Flag{}, "its role"),
      required("cluster", &LinkHello::cluster, Bits{}, "the hash of its cluster's configuration"),
      required("to", &LinkHello::to, Integer{1, 65'535}, "the node it means to reach"),
      required("start", &LinkHello::start, Bits{}, "this life of the node"),
      required("opening", &LinkHello::opening, Bits{}, "counts the hellos of that life"));
};

template <>
struct Fields<LinkWelcome> {
  static constexpr std::string_view name = "link_welcome";
  static constexpr std::string_view doc = "The link is open.";
  static constexpr auto table =
      std::make_tuple(required("number", &LinkWelcome::number, Integer{1, 65'535}, "in the cluster"),
                      required("start", &LinkWelcome::start, Bits{}, "this life of the node"),
                      required("opening", &LinkWelcome::opening, Bits{}, "of the hello"));
};

// --- Parts. ---

template <>
struct Fields<Address> {
  static constexpr std::string_view name = "address";
  static constexpr std::string_view doc = "Who asked.";
  static constexpr auto table =
      std::make_tuple(required("place", &Address::place, Word{}, "`door` or `worker`"),
                      required("id", &Address::id, Bits{}, "the open request"),
                      required("node", &Address::node, Integer{1, 65'535}, "where it is open"));
  static Fault settle(Address& address) {
    if (address.place == Place::door || address.place == Place::worker) return {};
    return {.field = "place", .message = "only doors and workers ask"};
  }
};

template <>
struct Fields<TokenRate> {
  static constexpr std::string_view name = "token rate";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(
      required("per_second", &TokenRate::per_second, Number{Limit::least_rate, Limit::most_rate}, ""),
      required("burst", &TokenRate::burst, starts, ""));
};

template <>
struct Fields<WindowRule> {
  static constexpr std::string_view name = "window rule";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(
      required("max", &WindowRule::max, starts, ""),
      required("window", &WindowRule::window, Microseconds{1, Limit::longest_window_ms * 1'000}, ""),
      optional("count", &WindowRule::count, Word{}, ""));
};

template <>
struct Fields<WindowEntries> {
  static constexpr std::string_view name = "window entries";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(required("at", &WindowEntries::at, any_moment, ""),
                                                required("count", &WindowEntries::count, ordinal, ""));
};

template <>
struct Fields<LinkLevel> {
  static constexpr std::string_view name = "level";
  static constexpr std::string_view doc = "";
  static constexpr auto table =
      std::make_tuple(required("billionths", &LinkLevel::billionths, any_integer, ""),
                      required("at", &LinkLevel::at, any_moment, ""));
};

template <>
struct Fields<LinkGate> {
  static constexpr std::string_view name = "gate";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(
      optional("rate", &LinkGate::rate, Nested{}, ""), optional("level", &LinkGate::level, Nested{}, ""),
      optional("window", &LinkGate::window, Nested{}, ""),
      optional("max_running", &LinkGate::max_running, starts, ""),
      optional("entries", &LinkGate::entries,
               list_of(Nested{}, 0, static_cast<std::int64_t>(GateState::most_entries)), "oldest first"),
      optional("running", &LinkGate::running, any_count, ""),
      optional("paused", &LinkGate::is_paused, Flag{}, ""),
      optional("paused_until", &LinkGate::paused_until, any_moment, ""));

  static Fault settle(LinkGate& gate) {
    if (gate.rate.has_value() != gate.level.has_value()) {
      return {.field = "level", .message = "a rate has a level, and nothing else has one"};
    }
    const auto is_later = [](const WindowEntries& a, const WindowEntries& b) { return a.at < b.at; };
    if (!std::is_sorted(gate.entries.begin(), gate.entries.end(), is_later)) {
      return {.field = "entries", .message = "come oldest first"};
    }
    return {};
  }
};

template <>
struct Fields<GateNews> {
  static constexpr std::string_view name = "gate news";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(
      required("scope", &GateNews::scope, Word{}, ""), required("name", &GateNews::name, Text{1, 255}, ""),
      optional("state", &GateNews::state, Nested{}, "absent: none"));
  static Fault settle(GateNews& news) { return name_fault(news.scope, news.name); }
};

template <>
struct Fields<RefusedLane> {
  static constexpr std::string_view name = "refused lane";
  static constexpr std::string_view doc = "";
  static constexpr auto table =
      std::make_tuple(required("queue", &RefusedLane::queue, QueueName{}, ""),
                      required("handler", &RefusedLane::handler, HandlerName{}, ""),
                      required("retry_in", &RefusedLane::retry_in, any_duration, ""));
};

// --- Storage to limiter. ---

template <>
struct Fields<SessionOpened> {
  static constexpr std::string_view name = "session_opened";
  static constexpr std::string_view doc = "";
  static constexpr auto table =
      std::make_tuple(required("session", &SessionOpened::session, Session{}, ""),
                      required("handlers", &SessionOpened::handlers, SharedNames{}, ""),
                      optional("highest_answered", &SessionOpened::highest_answered, any_count, ""));
};

template <>
struct Fields<SessionEnded> {
  static constexpr std::string_view name = "session_ended";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(required("session", &SessionEnded::session, Session{}, ""));
};

template <>
struct Fields<SessionSilent> {
  static constexpr std::string_view name = "session_silent";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(required("session", &SessionSilent::session, Session{}, ""));
};

template <>
struct Fields<LimiterDelta> {
  static constexpr std::string_view name = "limiter_delta";
  static constexpr std::string_view doc = "";
  static constexpr auto table =
      std::make_tuple(required("epoch", &LimiterDelta::epoch, any_count, ""),
                      required("sequence", &LimiterDelta::sequence, Bits{}, ""),
                      optional("is_snapshot", &LimiterDelta::is_snapshot, Flag{}, ""),
                      optional("counts", &LimiterDelta::counts, LaneCounts{}, ""),
                      optional("gates", &LimiterDelta::gates, any_list_of(Nested{}), ""));
};

template <>
struct Fields<LimiterHead> {
  static constexpr std::string_view name = "limiter_head";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(required("epoch", &LimiterHead::epoch, any_count, ""),
                                                required("sequence", &LimiterHead::sequence, Bits{}, ""));
};

template <>
struct Fields<AskIsNew> {
  static constexpr std::string_view name = "ask_is_new";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(required("ask", &AskIsNew::ask, Nested{}, ""),
                                                required("asker", &AskIsNew::asker, Nested{}, ""));
};

template <>
struct Fields<AskAnswered> {
  static constexpr std::string_view name = "ask_answered";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(required("asker", &AskAnswered::asker, Nested{}, ""));
};

template <>
struct Fields<Claimed> {
  static constexpr std::string_view name = "claimed";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(
      required("claim", &Claimed::claim, Bits{}, ""), required("taken", &Claimed::taken, any_count, ""),
      required("epoch", &Claimed::epoch, any_count, ""), required("sequence", &Claimed::sequence, Bits{}, ""),
      optional("refused", &Claimed::refused, any_list_of(Nested{}), ""));
};

// --- Limiter to storage. ---

template <>
struct Fields<CheckAsk> {
  static constexpr std::string_view name = "check_ask";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(required("ask", &CheckAsk::ask, Nested{}, ""),
                                                required("asker", &CheckAsk::asker, Nested{}, ""));
};

template <>
struct Fields<SnapshotWanted> {
  static constexpr std::string_view name = "snapshot_wanted";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple();
};

template <>
struct Fields<Claim> {
  static constexpr std::string_view name = "claim";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(
      required("claim", &Claim::claim, Bits{}, ""), required("session", &Claim::session, Session{}, ""),
      required("ask", &Claim::ask, ordinal, ""),
      required("queues", &Claim::queues, map_of(QueueName{}, Integer{1, 1'000'000}, 1, names_per_session),
               ""),
      required("most", &Claim::most, ordinal, ""),
      required("askers", &Claim::askers, list_of(Nested{}, 0, askers_of_one_ask), ""),
      optional("is_repeated", &Claim::is_repeated, Flag{}, ""));
};

template <>
struct Fields<Acknowledge> {
  static constexpr std::string_view name = "acknowledge";
  static constexpr std::string_view doc = "";
  static constexpr auto table = std::make_tuple(required("session", &Acknowledge::session, Session{}, ""),
                                                required("got", &Acknowledge::got, any_count, ""));
};

// --- A node to storage. ---

template <>
struct Fields<BatchDropped> {
  static constexpr std::string_view name = "batch_dropped";
  static constexpr std::string_view doc = "";
  static constexpr auto table =
      std::make_tuple(required("runs", &BatchDropped::runs, list_of(Nested{}, 0, runs_per_message), ""));
};

}  // namespace stint::wire
