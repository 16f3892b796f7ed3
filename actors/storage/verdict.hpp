// Verdict: what becomes of a job when one of its runs ends (rules D3, D7). Pure: no store, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "protocol/bounds.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"
#include "storage/store.hpp"

namespace stint {

// Undelivered batches of a job from this one on count as lost (rule D3).
inline constexpr std::int64_t undelivered_that_counts = 6;

// How a run ended, as reported or as the server found.
struct EndOfRun {
  RunEnd end = RunEnd::completed;
  bool reported = false;  // by its worker, rather than found by the server
  std::optional<Payload> result{};
  std::optional<RunError> error{};
  std::optional<std::int64_t> retry_in_ms{};
  bool never_left = false;  // undelivered for sure: no worker can be to blame
};

struct Verdict {
  RunEnd end = RunEnd::completed;        // as the log keeps it
  JobState state = JobState::completed;  // the job's from now on
};

// Changes the row to what it is after the run: one more run, its attempts, when it is ready again, or dead
// and why. A job that ends (completed, cancelled) has no row any more.
Verdict judge(JobRow& row, const EndOfRun& end, const Defaults& defaults, Instant now, WallMs wall_now,
              std::mt19937_64& random);

// Of a run that the server ended because it took too long.
RunError out_of_time(const JobRow& row, const Defaults& defaults);

// Whether a run that ended so counts as an attempt.
bool spends_attempt(RunEnd end);

std::int64_t max_attempts_of(const JobRow& row, const Defaults& defaults);
Duration timeout_of(const JobRow& row, const Defaults& defaults);

}  // namespace stint
