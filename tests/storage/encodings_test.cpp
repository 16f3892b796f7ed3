// What columns hold comes back as it went in, and bytes that no encoder wrote are noticed.
#include "storage/encodings.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "storage/bytes.hpp"

namespace stint::test {

namespace {

constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
constexpr auto highest = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST(Bytes, bring_back_numbers_at_every_edge) {
  std::vector<std::int64_t> numbers = {0, lowest, highest};
  for (int bit = 0; bit < 63; ++bit) {
    for (const std::int64_t near : {-1, 0, 1}) {
      numbers.push_back((std::int64_t{1} << bit) + near);
      numbers.push_back(-(std::int64_t{1} << bit) + near);
    }
  }
  ByteWriter writer;
  for (const auto number : numbers) writer.number(number);
  const auto bytes = writer.take();
  ByteReader reader(bytes);
  for (const auto number : numbers) EXPECT_EQ(reader.number(), number);
  EXPECT_TRUE(reader.good());
  EXPECT_TRUE(reader.at_end());
}

TEST(Bytes, keep_small_numbers_in_one_byte) {
  for (const std::int64_t number : {-64, -1, 0, 1, 63}) {
    ByteWriter writer;
    writer.number(number);
    EXPECT_EQ(writer.take().size(), 1u) << number;
  }
}

TEST(Bytes, are_not_good_when_they_end_too_early) {
  ByteWriter writer;
  writer.text("hello");
  writer.real(1.5);
  writer.number(highest);
  const auto whole = writer.take();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ByteReader reader(std::string_view(whole).substr(0, length));
    reader.text();
    reader.real();
    reader.number();
    EXPECT_FALSE(reader.good()) << length;
  }
}

TEST(Bytes, refuse_a_text_longer_than_what_follows_and_one_of_negative_length) {
  for (const std::int64_t length : {std::int64_t{3}, std::int64_t{-1}, lowest, highest}) {
    ByteWriter writer;
    writer.number(length);
    const auto bytes = writer.take() + "ab";
    ByteReader reader(bytes);
    EXPECT_EQ(reader.text(), "");
    EXPECT_FALSE(reader.good());
  }
}

TEST(Bytes, refuse_a_number_that_does_not_end) {
  const std::string bytes(11, '\xff');
  ByteReader reader(bytes);
  reader.number();
  EXPECT_FALSE(reader.good());
}

TEST(Encodings, bring_back_meta) {
  const Meta meta = {{"", ""}, {"a", std::string(300, 'x')}, {"größe", std::string("\0\n", 2)}};
  EXPECT_EQ(decode_meta(encode_meta(meta)), meta);
  EXPECT_EQ(encode_meta({}), "");
  EXPECT_EQ(decode_meta(""), Meta{});
}

TEST(Encodings, bring_back_names_in_their_order) {
  const std::vector<std::string> names = {"b", "a", "", "b"};
  EXPECT_EQ(decode_names(encode_names(names)), names);
}

TEST(Encodings, bring_back_every_choice_of_backoff_fields) {
  for (int fields = 0; fields < 16; ++fields) {
    Backoff backoff;
    if (fields & 1) backoff.first_ms = 1'000;
    if (fields & 2) backoff.factor = 1.1;
    if (fields & 4) backoff.cap_ms = highest;
    if (fields & 8) backoff.jitter = 0.0;
    EXPECT_EQ(decode_backoff(encode_backoff(backoff)), backoff) << fields;
  }
}

TEST(Encodings, bring_back_limits_with_any_of_their_parts) {
  for (int parts = 0; parts < 64; ++parts) {
    Limit limit;
    if (parts & 1) limit.rate = 0.000001;
    if (parts & 2) limit.burst = highest;
    if (parts & 4) limit.max = 60;
    if (parts & 4) limit.window_ms = lowest;
    if (parts & 8) limit.max_running = 1;
    if (parts & 16) limit.count = CountPolicy::started;
    limit.unlimited = (parts & 32) != 0;
    EXPECT_EQ(decode_limit(encode_limit(limit)), limit) << parts;
  }
}

TEST(Encodings, bring_back_errors) {
  const RunError error{"ValueError", "", "line 1\nline 2"};
  EXPECT_EQ(decode_error(encode_error(error)), error);
}

TEST(Encodings, bring_back_runs_in_their_order_whatever_the_ids) {
  const std::vector<JobRun> runs = {{5, 1}, {6, 1}, {5, 2}, {highest, 1}, {lowest, 3}, {0, highest}};
  EXPECT_EQ(decode_runs(encode_runs(runs)), runs);
}

TEST(Encodings, take_two_bytes_a_run_where_ids_follow_one_another) {
  std::vector<JobRun> runs;
  for (JobId id = 1; id <= 100; ++id) runs.push_back({1'000'000'000 + id, 1});
  EXPECT_LE(encode_runs(runs).size(), 2 * runs.size() + 10);
}

TEST(Encodings, bring_back_ids) {
  const std::vector<JobId> ids = {7, 8, 9, 1, highest};
  EXPECT_EQ(decode_ids(encode_ids(ids)), ids);
}

TEST(Encodings, notice_bytes_that_end_too_early_or_too_late) {
  const auto runs = encode_runs({{1'000, 1}, {2'000, 1}});
  EXPECT_FALSE(decode_runs(std::string_view(runs).substr(0, runs.size() - 1)));
  const auto error = encode_error({"a", "b", "c"});
  EXPECT_FALSE(decode_error(std::string_view(error).substr(0, error.size() - 1)));
  EXPECT_FALSE(decode_error(error + "x"));
  const auto backoff = encode_backoff({.first_ms = 1, .factor = 2.0, .cap_ms = 3, .jitter = 0.5});
  EXPECT_FALSE(decode_backoff(std::string_view(backoff).substr(0, backoff.size() - 1)));
  EXPECT_FALSE(decode_backoff(backoff + "x"));
  EXPECT_FALSE(decode_meta("\x7f"));
  EXPECT_FALSE(decode_names("\x7f"));
  EXPECT_FALSE(decode_ids("\xff"));
}

}  // namespace stint::test
