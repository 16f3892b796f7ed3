#include "actors/storage/verdict.hpp"

#include "actors/jobs/backoff.hpp"

namespace stint {

namespace {

// Of a worker's words, as much as a reason shows.
constexpr std::size_t shown_bytes = 200;

std::string last_error(const EndOfRun& end) {
  if (!end.error || end.error->message.empty()) return "";
  std::string_view shown = std::string_view(end.error->message).substr(0, shown_bytes);
  // Not in the middle of a character.
  while (!shown.empty() && shown.size() < end.error->message.size() &&
         (static_cast<unsigned char>(end.error->message[shown.size()]) & 0xC0) == 0x80) {
    shown.remove_suffix(1);
  }
  return ": " + std::string(shown);
}

std::string times(std::int64_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

// The beginning of a sentence about the last attempt.
std::string spent(std::int64_t attempts) {
  if (attempts == 1) return "its only attempt";
  return "all " + std::to_string(attempts) + " attempts were spent, the last";
}

Verdict bury(JobRow& row, RunEnd end, WallMs wall_now, std::string reason) {
  row.dead = true;
  row.ended_at_ms = wall_now;
  row.reason = std::move(reason);
  return {end, JobState::dead};
}

// What its worker is not to blame for: no attempt, its old place.
Verdict put_back(RunEnd end) { return {end, JobState::waiting}; }

Verdict put_off(JobRow& row, RunEnd end, JobState state, Instant now, std::int64_t delay_ms) {
  row.ready_at = later(now, delay_ms);
  return {end, state};
}

}  // namespace

RunError out_of_time(const JobRow& row, const Defaults& defaults) {
  const std::int64_t timeout_ms = row.timeout_ms.value_or(defaults.timeout_ms);
  const std::string time =
      timeout_ms % 1000 == 0 ? std::to_string(timeout_ms / 1000) + " s" : std::to_string(timeout_ms) + " ms";
  return {.type = "", .message = "ran out of time (" + time + ")", .trace = ""};
}

bool spends_attempt(RunEnd end) {
  switch (end) {
    case RunEnd::completed:
    case RunEnd::failed:
    case RunEnd::dead:
    case RunEnd::lost:
    case RunEnd::timed_out:
      return true;
    default:
      return false;
  }
}

std::int64_t max_attempts_of(const JobRow& row, const Defaults& defaults) {
  return row.max_attempts.value_or(defaults.max_attempts);
}

Duration timeout_of(const JobRow& row, const Defaults& defaults) {
  return later(Instant{}, row.timeout_ms.value_or(defaults.timeout_ms)) - Instant{};
}

Verdict judge(JobRow& row, const EndOfRun& end, const Defaults& defaults, Instant now, WallMs wall_now,
              std::mt19937_64& random) {
  ++row.runs;
  row.run_at_ms.reset();
  if (end.end == RunEnd::completed) return {RunEnd::completed, JobState::completed};
  // After a cancel any other end is the job's (rule D7).
  if (row.cancel_requested) return {end.reported ? RunEnd::cancelled : end.end, JobState::cancelled};

  switch (end.end) {
    case RunEnd::released:
      return put_back(end.end);
    case RunEnd::snoozed:
      return put_off(row, end.end, JobState::scheduled, now,
                     end.retry_in_ms.value_or(defaults.backoff_first_ms));
    case RunEnd::undelivered:
      if (end.never_left || ++row.undelivered < undelivered_that_counts) return put_back(end.end);
      break;
    default:
      break;
  }

  const RunEnd counted = end.end == RunEnd::undelivered ? RunEnd::lost : end.end;
  const std::int64_t max_attempts = max_attempts_of(row, defaults);
  ++row.attempts;
  if (counted == RunEnd::lost) ++row.lost;
  if (counted == RunEnd::dead)
    return bury(row, counted, wall_now, "its handler gave it up" + last_error(end));
  if (counted == RunEnd::lost && row.lost >= defaults.max_lost) {
    return bury(row, counted, wall_now, "lost with its worker " + times(row.lost));
  }
  if (row.attempts >= max_attempts) {
    const std::string last = counted == RunEnd::lost ? ": lost with its worker" : last_error(end);
    return bury(row, counted, wall_now, spent(max_attempts) + (last.empty() ? " failed" : last));
  }
  if (counted == RunEnd::lost) return put_back(counted);
  return put_off(
      row, counted, JobState::retrying, now,
      end.retry_in_ms ? *end.retry_in_ms : backoff_ms(row.backoff, defaults, row.attempts, random));
}

}  // namespace stint
