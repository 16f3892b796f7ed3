// Faults in items of lists: `enqueue` tells those of several jobs, `finish` rejects faulty results alone.
#include <gtest/gtest.h>

#include "protocol/codec.hpp"
#include "tests/protocol/body.hpp"
#include "tests/protocol/samples.hpp"

namespace stint::testing {
namespace {

TEST(FaultsOfAnEnqueue, name_the_first_of_each_faulty_job) {
  const auto error = request_error("enqueue", body(R"({"jobs": [
      {"handler": "h"},
      {"handler": "a b", "priority": 12},
      {"handler": "h", "backoff": {"factor": 0}},
      {"queue": "q"}]})"));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::bad_message);
  EXPECT_EQ(error->field, "jobs[1].handler");
  EXPECT_EQ(error->message, error->items[0].message);
  ASSERT_EQ(error->items.size(), 3u);
  EXPECT_EQ(error->items[0].at, 1);
  EXPECT_EQ(error->items[0].field, "jobs[1].handler");
  EXPECT_EQ(error->items[1].at, 2);
  EXPECT_EQ(error->items[1].field, "jobs[2].backoff.factor");
  EXPECT_EQ(error->items[2].at, 3);
  EXPECT_EQ(error->items[2].field, "jobs[3].handler");
  EXPECT_EQ(error->items[2].message, "is required");
}

TEST(FaultsOfAnEnqueue, are_told_of_16_jobs_at_most) {
  const auto error =
      request_error("enqueue", body_with("jobs", packed_list(40) + repeated(packed_map(0), 40)));
  ASSERT_TRUE(error);
  ASSERT_EQ(error->items.size(), 16u);
  EXPECT_EQ(error->field, "jobs[0].handler");
  EXPECT_EQ(error->items.back().field, "jobs[15].handler");
}

TEST(FaultsOfAnEnqueue, have_the_code_of_the_first) {
  const std::string large = body(R"({"handler": "h", "meta": {"k": ")" + repeated("v", 5000) + "\"}}");
  const auto error = request_error("enqueue", body_with("jobs", packed_list(2) + large + packed_map(0)));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::too_large);
  EXPECT_EQ(error->items.size(), 2u);
}

TEST(FaultsOfAnEnqueue, are_of_no_job_where_the_body_itself_is_broken) {
  const auto error = request_error(
      "enqueue", body_with("jobs", packed_list(3) + packed_map(0) + body_with("handler", "\xc1") + "\xc0"));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->field, "jobs[1]");
  EXPECT_EQ(error->message, "is not msgpack: the byte c1");
  EXPECT_TRUE(error->items.empty());
}

TEST(FaultsOfAFinish, reject_the_faulty_results_and_keep_the_others) {
  const auto read = decode_request("finish", body(R"({"session": "0123456789abcdef", "got": 1, "results": [
      {"id": 1, "run": 1, "outcome": "completed"},
      {"id": 2, "run": 1, "outcome": "perfect"},
      {"id": 3, "run": 1, "outcome": "failed", "error": {"message": "m"}},
      {"id": 4, "run": 1, "outcome": "failed", "pause": {"scope": "queue", "for_ms": 0}},
      {"id": 5, "run": 1, "outcome": "failed", "error": {"type": "t"}},
      7]})"),
                                   Bounds{});
  ASSERT_TRUE(read) << read.error().message;
  const Finish& finish = std::get<Finish>(read->request);
  ASSERT_EQ(finish.results.size(), 2u);
  EXPECT_EQ(finish.results[1].id, 3);
  EXPECT_EQ(finish.positions, (std::vector<std::int64_t>{0, 2}));
  ASSERT_EQ(finish.faulty.size(), 4u);
  EXPECT_EQ(finish.faulty[0].at, 1);
  EXPECT_EQ(finish.faulty[0].code, ErrorCode::bad_message);
  EXPECT_EQ(finish.faulty[0].field, "results[1].outcome");
  EXPECT_EQ(finish.faulty[1].field, "results[3].pause.for_ms");
  EXPECT_EQ(finish.faulty[1].message, "must be 1 to 315360000000, not 0");
  EXPECT_EQ(finish.faulty[2].field, "results[4].error.message");
  EXPECT_EQ(finish.faulty[3].field, "results[5]");
}

TEST(FaultsOfAFinish, include_a_result_over_its_bound) {
  Bounds bounds;
  bounds.result_bytes = 3;
  const auto read = decode_request("finish", body(R"({"session": "0123456789abcdef", "got": 1, "results": [
      {"id": 1, "run": 1, "outcome": "completed", "result": "four"},
      {"id": 2, "run": 1, "outcome": "completed", "result": "bin:333"}]})"),
                                   bounds);
  ASSERT_TRUE(read);
  const Finish& finish = std::get<Finish>(read->request);
  ASSERT_EQ(finish.faulty.size(), 1u);
  EXPECT_EQ(finish.faulty[0].code, ErrorCode::too_large);
  EXPECT_EQ(finish.faulty[0].field, "results[0].result");
  EXPECT_EQ(finish.results.at(0).result->bytes, "333");
}

TEST(FaultsOfAFinish, outside_its_results_refuse_it_whole) {
  const auto error =
      request_error("finish", body(R"({"session": "0123456789abcdef", "got": -1, "results": [7]})"));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->field, "got");
}

TEST(FaultsOfAFinish, refuse_it_whole_where_the_body_itself_is_broken) {
  const std::string start = packed_map(3) + packed_text("session") + packed_text("0123456789abcdef") +
                            packed_text("got") + std::string(1, '\0') + packed_text("results");
  const auto error =
      request_error("finish", start + packed_list(2) + body_with("id", "\xd4\x01\x02") + "\xc0");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->field, "results[0]");
}

Finish finish_with_error(const RunError& run_error) {
  Finish finish;
  RunResult& result = finish.results.emplace_back();
  result.id = result.run = 1;
  result.outcome = Outcome::failed;
  result.error = run_error;
  const auto read = decode_request("finish", encode(Request(finish)), Bounds{});
  return std::get<Finish>(read->request);
}

TEST(TheErrorOfARun, is_cut_at_16_KiB_as_a_whole_and_the_trace_first) {
  const Finish finish = finish_with_error({"Fault", repeated("m", 1000), repeated("t", 100'000)});
  const RunError& error = *finish.results.at(0).error;
  EXPECT_EQ(error.type, "Fault");
  EXPECT_EQ(error.message.size(), 1000u);
  EXPECT_EQ(error.trace.size(), (16u << 10) - 1005);
}

TEST(TheErrorOfARun, is_not_cut_inside_a_character) {
  const Finish finish = finish_with_error({"", "a" + repeated("\xe2\x82\xac", 10'000), ""});
  const RunError& error = *finish.results.at(0).error;
  EXPECT_EQ(error.message.size(), 1 + 3 * ((16u << 10) - 1) / 3);
  EXPECT_EQ(error.message, "a" + repeated("\xe2\x82\xac", 5461));
}

TEST(TheErrorOfARun, is_mended_where_it_is_not_UTF_8) {
  const Finish finish = finish_with_error({"", "bad \xff byte", ""});
  EXPECT_EQ(finish.results.at(0).error->message, "bad \xef\xbf\xbd byte");
}

}  // namespace
}  // namespace stint::testing
