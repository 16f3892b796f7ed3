#include "nodes/runners/handler_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "nodes/config/duration.hpp"

namespace stint {

namespace {

using Json = nlohmann::json;

Error bad(std::string message) {
  Error error;
  error.code = ErrorCode::bad_message;
  error.message = std::move(message);
  return error;
}

}  // namespace

std::string to_json(const Meta& meta) {
  return Json(meta).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ReportLine> parse_report_line(std::string_view text) {
  const Json line = Json::parse(text, nullptr, false);
  if (!line.is_object()) return bad("expected a JSON object a line");
  ReportLine report;
  if (const auto progress = line.find("progress"); progress != line.end()) {
    const bool is_percent =
        progress->is_number() && progress->get<double>() >= 0 && progress->get<double>() <= 100;
    if (!is_percent) return bad("progress: expected a number from 0 to 100");
    report.progress = static_cast<std::int64_t>(progress->get<double>());
  }
  if (const auto retry = line.find("retry_in"); retry != line.end()) {
    if (!retry->is_string()) return bad("retry_in: expected a duration like \"30s\"");
    const auto duration = parse_duration_ms(retry->get_ref<const std::string&>());
    if (!duration) return bad("retry_in: " + duration.error().message);
    report.retry_in_ms = *duration;
  }
  report.pauses = line.contains("pause");
  return report;
}

}  // namespace stint
