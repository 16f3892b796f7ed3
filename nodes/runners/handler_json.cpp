#include "nodes/runners/handler_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "nodes/config/duration.hpp"
#include "nodes/runners/runner.hpp"
#include "protocol/words.hpp"

namespace stint {

namespace {

using Json = nlohmann::json;

constexpr std::size_t quoted_bytes = 100;  // of a line that is at fault

Error bad(std::string message) {
  Error error;
  error.code = ErrorCode::bad_message;
  error.message = std::move(message);
  return error;
}

std::string quoted(std::string_view line) {
  const std::string begin(line.substr(0, quoted_bytes));
  return Json(begin).dump(-1, ' ', true, Json::error_handler_t::replace) +
         (begin.size() < line.size() ? "..." : "");
}

Result<std::int64_t> read_duration(const Json& value, const std::string& field, std::int64_t least) {
  if (!value.is_string()) return bad(field + ": expected a duration like \"30s\"");
  const auto duration = parse_duration_ms(value.get_ref<const std::string&>());
  if (!duration) return bad(field + ": " + duration.error().message);
  if (*duration < least) return bad(field + ": expected more than 0");
  if (*duration > Runner::longest_report_ms) return bad(field + ": expected at most 3650d");
  return *duration;
}

Result<PauseReport> read_pause(const Json& value) {
  if (!value.is_object()) return bad("pause: expected {\"scope\": \"handler\", \"for\": \"30s\"}");
  PauseReport pause;
  const auto scope = value.find("scope");
  const auto word = scope != value.end() && scope->is_string()
                        ? from_word<LimitScope>(scope->get_ref<const std::string&>())
                        : std::nullopt;
  if (!word) return bad("pause.scope: expected \"handler\" or \"queue\"");
  pause.scope = *word;
  const auto duration = read_duration(value.value("for", Json()), "pause.for", 1);
  if (!duration) return duration.error();
  pause.for_ms = *duration;
  return pause;
}

Result<ReportLine> read_report(const Json& line) {
  if (!line.is_object()) return bad("expected a JSON object a line");
  ReportLine report;
  if (const auto progress = line.find("progress"); progress != line.end()) {
    const bool is_percent =
        progress->is_number() && progress->get<double>() >= 0 && progress->get<double>() <= 100;
    if (!is_percent) return bad("progress: expected a number from 0 to 100");
    report.progress = static_cast<std::int64_t>(progress->get<double>());
  }
  if (const auto retry = line.find("retry_in"); retry != line.end()) {
    const auto duration = read_duration(*retry, "retry_in", 0);
    if (!duration) return duration.error();
    report.retry_in_ms = *duration;
  }
  if (const auto said = line.find("pause"); said != line.end()) {
    const auto pause = read_pause(*said);
    if (!pause) return pause.error();
    report.pause = *pause;
  }
  return report;
}

}  // namespace

std::string to_json(const Meta& meta) {
  return Json(meta).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ReportLine> parse_report_line(std::string_view text) {
  auto report = read_report(Json::parse(text, nullptr, false));
  if (!report) return bad(report.error().message + ", in " + quoted(text));
  return report;
}

}  // namespace stint
