// The JSON that command handlers read and write: STINT_META, and the lines of STINT_REPORT_FD.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/messages/worker.hpp"
#include "protocol/result.hpp"
#include "protocol/values.hpp"

namespace stint {

std::string to_json(const Meta& meta);

struct ReportLine {
  std::optional<std::int64_t> progress;     // {"progress": 40}
  std::optional<std::int64_t> retry_in_ms;  // {"retry_in": "30s"}
  std::optional<PauseReport> pause;         // {"pause": {"scope": "handler", "for": "30s"}}
};

// Unknown keys are ignored. Errors: bad_message, which says what was expected and in which line.
Result<ReportLine> parse_report_line(std::string_view line);

}  // namespace stint
