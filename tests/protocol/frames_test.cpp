#include "protocol/frames.hpp"

#include <gtest/gtest.h>

namespace stint {
namespace {

using Frames = std::vector<std::string_view>;

std::string code_of(const Frames& frames) {
  const auto parsed = parse_frames(frames);
  return parsed ? "read" : std::string(to_string(parsed.error().error.code));
}

TEST(Frames, of_a_dealer_are_read_without_an_envelope) {
  const auto parsed = parse_frames({"STINT1", "ping", "c", "body"});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->envelope.empty());
  EXPECT_EQ(parsed->type, "ping");
  EXPECT_EQ(parsed->correlation, "c");
  EXPECT_EQ(parsed->body, "body");
}

TEST(Frames, of_a_req_are_read_with_the_envelope_to_return) {
  const auto plain = parse_frames({"", "STINT1", "ping", "", "body"});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->envelope, (Frames{""}));
  const auto correlated = parse_frames({"1234", "", "STINT1", "ping", "", "body"});
  ASSERT_TRUE(correlated);
  EXPECT_EQ(correlated->envelope, (Frames{"1234", ""}));
}

TEST(Frames, behind_proxies_are_read_with_an_envelope_of_up_to_eight) {
  const auto parsed = parse_frames({"1", "2", "3", "4", "5", "6", "7", "", "STINT1", "ping", "c", "body"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->envelope.size(), 8u);
  EXPECT_EQ(parsed->envelope[6], "7");
  EXPECT_EQ(code_of({"1", "2", "3", "4", "5", "6", "7", "8", "", "STINT1", "ping", "c", "body"}),
            "bad_frame");
}

TEST(Frames, have_an_envelope_up_to_the_first_empty_one_only) {
  EXPECT_EQ(code_of({"", "", "STINT1", "ping", "", "body"}), "bad_frame");
  EXPECT_EQ(code_of({"STINT1", "", "STINT1", "ping", "", "body"}), "bad_frame");
}

TEST(Frames, that_are_too_few_or_too_many_are_refused) {
  EXPECT_EQ(code_of({}), "bad_frame");
  EXPECT_EQ(code_of({""}), "bad_frame");
  EXPECT_EQ(code_of({"STINT1"}), "bad_frame");
  EXPECT_EQ(code_of({"STINT1", "ping"}), "bad_frame");
  EXPECT_EQ(code_of({"STINT1", "ping", ""}), "bad_frame");
  EXPECT_EQ(code_of({"STINT1", "ping", "", "body", ""}), "bad_frame");
  EXPECT_EQ(code_of({"", "STINT1", "ping", "", "body", "more"}), "bad_frame");
  EXPECT_EQ(code_of(Frames(1000, "x")), "bad_frame");
}

TEST(Frames, that_say_nothing_of_stint_are_refused) {
  EXPECT_EQ(code_of({"GET / HTTP/1.1"}), "bad_frame");
  EXPECT_EQ(code_of({"", "hello"}), "bad_frame");
  EXPECT_EQ(code_of({"stint1", "ping", "", "body"}), "bad_frame");
  EXPECT_EQ(code_of({"", "STINT", "ping", "", "body"}), "bad_frame");
}

TEST(Frames, without_a_type_are_refused) { EXPECT_EQ(code_of({"STINT1", "", "c", "body"}), "bad_frame"); }

TEST(Frames, of_another_version_are_told_so) {
  EXPECT_EQ(code_of({"STINT2", "ping", "", "body"}), "unsupported_version");
  EXPECT_EQ(code_of({"", "STINT2", "ping", "", "body"}), "unsupported_version");
  EXPECT_EQ(code_of({"STINT10", "ping", "", "body", "more"}), "unsupported_version");
}

TEST(Frames, may_have_a_correlation_of_up_to_64_bytes) {
  EXPECT_EQ(code_of({"STINT1", "ping", std::string(64, 'c'), "body"}), "read");
  EXPECT_EQ(code_of({"STINT1", "ping", std::string(65, 'c'), "body"}), "bad_frame");
}

TEST(Frames, with_a_body_over_16_MiB_are_too_large) {
  const std::string body((16 << 20) + 1, 'x');
  EXPECT_EQ(code_of({"STINT1", "ping", "", body}), "too_large");
  EXPECT_EQ(code_of({"STINT1", "ping", "", std::string_view(body).substr(1)}), "read");
}

TEST(Frames, that_are_refused_keep_what_the_error_needs_to_be_answered) {
  const auto parsed = parse_frames({"1234", "", "STINT2", "ping", "corr", "body"});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().envelope, (Frames{"1234", ""}));
  EXPECT_EQ(parsed.error().correlation, "corr");
  const auto many = parse_frames({"STINT1", "ping", "corr", "body", "more"});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().correlation, "corr");
  EXPECT_FALSE(many.error().error.message.empty());
}

}  // namespace
}  // namespace stint
