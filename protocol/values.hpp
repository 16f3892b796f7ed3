// The small values that messages are made of.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace stint {

using JobId = std::int64_t;

// Opaque bytes of a user. The kind they arrived in (msgpack bin or str) is kept and given back.
struct Payload {
  std::string bytes;
  bool is_text = false;
  friend bool operator==(const Payload&, const Payload&) = default;
};

// One life of a worker process: 16 random bytes chosen by the worker.
struct SessionId {
  std::array<unsigned char, 16> bytes{};
  friend auto operator<=>(const SessionId&, const SessionId&) = default;
};

// One hand-out of a job: leases, receipts and logs are keyed by it.
struct JobRun {
  JobId id = 0;
  std::int64_t run = 0;  // from 1
  friend auto operator<=>(const JobRun&, const JobRun&) = default;
};

enum class JobState { waiting, scheduled, retrying, blocked, running, completed, dead, cancelled };

// How a worker says that a run ended.
enum class Outcome { completed, failed, dead, snoozed, released };

// How a run ended, as its log says: what a worker reported, or what the server found.
enum class RunEnd { completed, failed, dead, snoozed, released, undelivered, lost, timed_out, cancelled };

// When a failed job runs again: first_ms * factor^(attempt-1), at most cap_ms, spread by ±jitter.
struct Backoff {
  std::optional<std::int64_t> first_ms;
  std::optional<double> factor;
  std::optional<std::int64_t> cap_ms;
  std::optional<double> jitter;  // 0 to 1: a share of the delay
  friend bool operator==(const Backoff&, const Backoff&) = default;
};

// What went wrong in a run, as the worker tells it. The whole is cut at 16 KiB.
struct RunError {
  std::string type;
  std::string message;
  std::string trace;
  friend bool operator==(const RunError&, const RunError&) = default;
};

using Meta = std::map<std::string, std::string>;

// The wire's words for the enumerations above ("waiting", "timed_out", ...).
std::string_view to_string(JobState state);
std::string_view to_string(Outcome outcome);
std::string_view to_string(RunEnd end);
std::optional<JobState> job_state_from(std::string_view text);

// 32 lower-case hexadecimal digits, as people meet a session.
std::string to_string(const SessionId& session);

}  // namespace stint

template <>
struct std::hash<stint::SessionId> {
  std::size_t operator()(const stint::SessionId& session) const noexcept;
};
