// JobCursor: how far a list of jobs has come: first through the rows of jobs, then through the logs of those
// that have ended. As text it is opaque to whoever passes it back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/values.hpp"

namespace stint {

struct JobCursor {
  bool in_logs = false;
  JobRun after;  // `run` counts in logs only
  friend bool operator==(const JobCursor&, const JobCursor&) = default;
};

std::string to_string(const JobCursor& cursor);
std::optional<JobCursor> job_cursor_from(std::string_view text);

// A whole number from 0 on as std::to_string() writes it, and nothing else.
std::optional<std::int64_t> number_from(std::string_view text);

}  // namespace stint
