// The wire's words for enumerations: one list each, in the order of the enumerators.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "protocol/error.hpp"
#include "protocol/limit.hpp"
#include "protocol/messages/events.hpp"
#include "protocol/messages/limits.hpp"
#include "protocol/messages/worker.hpp"
#include "protocol/values.hpp"

namespace stint {

template <class Enum>
inline constexpr std::array<std::string_view, 0> words_of{};

template <>
inline constexpr std::array<std::string_view, 8> words_of<JobState>{
    "waiting", "scheduled", "retrying", "blocked", "running", "completed", "dead", "cancelled"};

template <>
inline constexpr std::array<std::string_view, 5> words_of<Outcome>{"completed", "failed", "dead", "snoozed",
                                                                   "released"};

template <>
inline constexpr std::array<std::string_view, 9> words_of<RunEnd>{
    "completed", "failed", "dead", "snoozed", "released", "undelivered", "lost", "timed_out", "cancelled"};

template <>
inline constexpr std::array<std::string_view, 4> words_of<EmptyReason>{"none", "limited", "paused",
                                                                       "no_permits"};

template <>
inline constexpr std::array<std::string_view, 3> words_of<SessionState>{"run", "quiet", "stop"};

template <>
inline constexpr std::array<std::string_view, 16> words_of<ErrorCode>{
    "bad_frame",    "unsupported_version", "unknown_type",  "bad_message", "too_large", "unknown_session",
    "unauthorized", "forbidden",           "not_found",     "conflict",    "gone",      "overloaded",
    "unavailable",  "storage_unavailable", "shutting_down", "internal"};

template <>
inline constexpr std::array<std::string_view, 2> words_of<LimitScope>{"queue", "handler"};

template <>
inline constexpr std::array<std::string_view, 2> words_of<CountPolicy>{"completed", "started"};

template <>
inline constexpr std::array<std::string_view, 4> words_of<LimitSource>{"operator", "config", "declared",
                                                                       "enqueue"};

template <>
inline constexpr std::array<std::string_view, 2> words_of<SetAs>{"operator", "declared"};

template <>
inline constexpr std::array<std::string_view, 17> words_of<EventKind>{
    "enqueued", "started", "completed", "failed",   "snoozed", "released", "undelivered", "lost", "cancelled",
    "requeued", "set",     "cleared",   "conflict", "paused",  "resumed",  "reached",     "freed"};

template <>
inline constexpr std::array<std::string_view, 3> words_of<EventNext>{"none", "retry", "dead"};

template <>
inline constexpr std::array<std::string_view, 12> words_of<JobHold>{
    "none",   "running",       "ended",     "not_due",      "paused", "rate",
    "window", "running_limit", "no_worker", "busy_workers", "behind", "no_limiter"};

template <class Enum>
constexpr std::string_view word_of(Enum value) {
  return words_of<Enum>[static_cast<std::size_t>(value)];
}

template <class Enum>
constexpr std::optional<Enum> from_word(std::string_view word) {
  for (std::size_t i = 0; i < words_of<Enum>.size(); ++i) {
    if (words_of<Enum>[i] == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace stint
