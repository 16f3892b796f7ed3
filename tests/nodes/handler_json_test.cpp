// What command handlers may write to STINT_REPORT_FD.
#include "nodes/runners/handler_json.hpp"

#include <gtest/gtest.h>
#include <string>

#include "nodes/runners/runner.hpp"
#include "protocol/codec.hpp"

using namespace stint;

namespace {

std::string fault_of(const std::string& line) {
  const auto report = parse_report_line(line);
  EXPECT_FALSE(report) << line;
  return report ? "" : report.error().message;
}

}  // namespace

TEST(ReportLine, tells_progress_a_retry_and_a_pause) {
  const auto report = parse_report_line(
      R"({"progress": 40.7, "retry_in": "250ms", "pause": {"scope": "queue", "for": "2m"}, "other": []})");

  ASSERT_TRUE(report);
  EXPECT_EQ(report->progress, 40);
  EXPECT_EQ(report->retry_in_ms, 250);
  ASSERT_TRUE(report->pause);
  EXPECT_EQ(report->pause->scope, LimitScope::queue);
  EXPECT_EQ(report->pause->for_ms, 120'000);
}

TEST(ReportLine, that_is_bad_is_refused_with_the_field_and_what_was_expected) {
  EXPECT_TRUE(fault_of("not json").starts_with("expected a JSON object a line"));
  EXPECT_TRUE(fault_of(R"({"progress": 101})").starts_with("progress: expected"));
  EXPECT_TRUE(fault_of(R"({"retry_in": 30})").starts_with("retry_in: expected a duration"));
  EXPECT_TRUE(fault_of(R"({"retry_in": "soon"})").starts_with("retry_in: 'soon' is not a duration"));
  EXPECT_TRUE(fault_of(R"({"pause": "30s"})").starts_with("pause: expected {"));
  EXPECT_TRUE(fault_of(R"({"pause": {"for": "30s"}})").starts_with("pause.scope: expected"));
  EXPECT_TRUE(fault_of(R"({"pause": {"scope": "job", "for": "30s"}})").starts_with("pause.scope: expected"));
  EXPECT_TRUE(fault_of(R"({"pause": {"scope": 7, "for": "30s"}})").starts_with("pause.scope: expected"));
  EXPECT_TRUE(fault_of(R"({"pause": {"scope": "queue"}})").starts_with("pause.for: expected a duration"));
  EXPECT_TRUE(
      fault_of(R"({"pause": {"scope": "queue", "for": "0s"}})").starts_with("pause.for: expected more"));
}

TEST(ReportLine, that_is_bad_is_named_in_the_fault_without_its_control_characters) {
  EXPECT_TRUE(fault_of("{\"progress\": \"\x1b[2J\"").ends_with(R"(, in "{\"progress\": \"\u001b[2J\"")"));
  EXPECT_LT(fault_of(std::string(4000, 'x')).size(), 200u);
  EXPECT_TRUE(fault_of(std::string(4000, 'x')).ends_with("xxx\"..."));
}

TEST(ReportLine, names_no_time_that_a_server_does_not_take) {
  EXPECT_TRUE(
      fault_of(R"({"pause": {"scope": "queue", "for": "3651d"}})").starts_with("pause.for: expected at"));
  EXPECT_TRUE(fault_of(R"({"retry_in": "36500d"})").starts_with("retry_in: expected at most"));
  const auto longest =
      parse_report_line(R"({"retry_in": "3650d", "pause": {"scope": "queue", "for": "3650d"}})");
  ASSERT_TRUE(longest);
  EXPECT_EQ(longest->pause->for_ms, Runner::longest_report_ms);

  Finish finish;
  RunResult result;
  result.id = result.run = 1;
  result.retry_in_ms = longest->retry_in_ms;
  result.pause = longest->pause;
  finish.results.push_back(result);
  const auto decoded = decode_request("finish", encode(Request{finish}), Bounds{});

  ASSERT_TRUE(decoded);
  EXPECT_TRUE(std::get<Finish>(decoded->request).faulty.empty());
}
