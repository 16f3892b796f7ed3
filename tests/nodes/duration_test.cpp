#include "nodes/config/duration.hpp"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(Duration, is_a_whole_number_and_its_unit) {
  EXPECT_EQ(parse_duration_ms("250ms").value(), 250);
  EXPECT_EQ(parse_duration_ms("10s").value(), 10'000);
  EXPECT_EQ(parse_duration_ms("5m").value(), 300'000);
  EXPECT_EQ(parse_duration_ms("2h").value(), 7'200'000);
  EXPECT_EQ(parse_duration_ms("1d").value(), 86'400'000);
  EXPECT_EQ(parse_duration_ms("0s").value(), 0);
}

TEST(Duration, is_refused_in_any_other_form) {
  for (const char* text : {"", "s", "10", "10 s", " 10s", "10s ", "-1s", "-0s", "+1s", "1.5s", "10S", "10sec",
                           "1h30m", "1w", "ms", "0x10s", "99999999999999999999s"}) {
    EXPECT_FALSE(parse_duration_ms(text).ok()) << text;
  }
}

TEST(Duration, is_refused_when_longer_than_a_century) {
  EXPECT_EQ(parse_duration_ms("36500d").value(), 36'500LL * 86'400'000);
  EXPECT_FALSE(parse_duration_ms("36501d").ok());
  EXPECT_FALSE(parse_duration_ms("9223372036854775807h").ok());
}

TEST(Duration, error_says_what_was_written_and_what_was_expected) {
  const std::string message = parse_duration_ms("soon").error().message;
  EXPECT_NE(message.find("'soon'"), std::string::npos);
  EXPECT_NE(message.find("250ms"), std::string::npos);
}

TEST(Duration, is_written_in_the_largest_unit_that_holds_it_whole) {
  EXPECT_EQ(duration_text(0), "0s");
  EXPECT_EQ(duration_text(1), "1ms");
  EXPECT_EQ(duration_text(1'500), "1500ms");
  EXPECT_EQ(duration_text(60'000), "1m");
  EXPECT_EQ(duration_text(90'000), "90s");
  EXPECT_EQ(duration_text(86'400'000), "1d");
}

}  // namespace
}  // namespace stint
