#include "protocol/names.hpp"

#include <gtest/gtest.h>
#include <unordered_set>

#include "protocol/error.hpp"
#include "protocol/values.hpp"

namespace stint {
namespace {

TEST(QueueAndWorkerNames, begin_with_a_letter_or_digit) {
  for (const bool is_name : {is_queue_name("email"), is_queue_name("9"), is_worker_name("A.b_c:d-e")}) {
    EXPECT_TRUE(is_name);
  }
  for (const std::string_view name : {"", ".a", "_a", ":a", "-a", " a"}) {
    EXPECT_FALSE(is_queue_name(name)) << name;
    EXPECT_FALSE(is_worker_name(name)) << name;
  }
}

TEST(QueueAndWorkerNames, have_no_other_characters) {
  for (int c = 0; c < 256; ++c) {
    const std::string name = {'a', static_cast<char>(c)};
    const bool is_allowed =
        std::string_view("._:-").find(name[1]) != std::string_view::npos || (c < 128 && std::isalnum(c));
    EXPECT_EQ(is_queue_name(name), is_allowed) << c;
  }
}

TEST(QueueAndWorkerNames, have_at_most_128_bytes) {
  EXPECT_TRUE(is_queue_name(std::string(128, 'q')));
  EXPECT_FALSE(is_queue_name(std::string(129, 'q')));
}

TEST(HandlerNames, are_any_UTF_8_of_up_to_255_bytes) {
  EXPECT_TRUE(is_handler_name("send_email"));
  EXPECT_TRUE(is_handler_name("App\\Mail::send(x)"));
  EXPECT_TRUE(is_handler_name("\xe9\x82\xae\xe4\xbb\xb6"));
  EXPECT_TRUE(is_handler_name(std::string(255, 'h')));
  EXPECT_FALSE(is_handler_name(std::string(256, 'h')));
  EXPECT_FALSE(is_handler_name(""));
}

TEST(HandlerNames, have_no_control_characters_spaces_slashes_or_equals_signs) {
  for (const std::string_view name :
       {"a b", "a\tb", "a\nb", "a/b", "a=b", "a\x7f", "a\xc2\x85", "a\xc2\xa0"}) {
    EXPECT_FALSE(is_handler_name(name)) << name;
  }
  EXPECT_FALSE(is_handler_name(std::string_view("a\0b", 3)));
}

TEST(HandlerNames, have_no_spaces_of_other_scripts) {
  for (const std::string_view space : {"\u00a0", "\u1680", "\u2003", "\u202f", "\u205f", "\u3000"}) {
    EXPECT_FALSE(is_handler_name("a" + std::string(space) + "b")) << space;
  }
}

TEST(HandlerNames, have_no_characters_that_hide_or_turn_others) {
  for (const std::string_view character : {"\u0085", "\u061c", "\u200b", "\u200e", "\u2028", "\u2029",
                                           "\u202a", "\u202e", "\u2066", "\u2069", "\ufeff", "\U000e0041"}) {
    EXPECT_FALSE(is_handler_name("a" + std::string(character) + "b")) << character;
  }
}

TEST(HandlerNames, may_have_letters_of_any_script_with_their_joiners) {
  for (const std::string_view name :
       {"\u00e9t\u00e9", "\u90ae\u4ef6", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f469\u200d\U0001f4bb", "\u0301a"}) {
    EXPECT_TRUE(is_handler_name(name)) << name;
  }
}

TEST(Characters, are_taken_off_a_text_one_by_one) {
  std::string_view text = "a\u00e9\u20ac\U0001f600\xff";
  EXPECT_EQ(take_character(text), U'a');
  EXPECT_EQ(take_character(text), U'\u00e9');
  EXPECT_EQ(take_character(text), U'\u20ac');
  EXPECT_EQ(take_character(text), U'\U0001f600');
  EXPECT_EQ(take_character(text), std::nullopt);
  EXPECT_EQ(text, "\xff");
}

TEST(HandlerNames, are_refused_where_they_are_not_UTF_8) {
  for (const std::string_view name :
       {"\xff", "\x80", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_FALSE(is_handler_name(name));
  }
}

TEST(Utf8, has_no_overlong_forms_surrogates_or_what_is_beyond_unicode) {
  for (const std::string_view text : {"", "plain", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                                      "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text));
  }
  for (const std::string_view text :
       {"\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf8\x88\x80\x80", "a\xe2\x82", "\xe2\x28\xa1"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

TEST(Utf8, is_mended_byte_by_byte) {
  EXPECT_EQ(to_utf8("fine \xe2\x82\xac"), "fine \xe2\x82\xac");
  EXPECT_EQ(to_utf8("a\xff"
                    "b\xe2\x82"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Utf8, is_cut_between_characters) {
  EXPECT_EQ(cut_utf8("abc", 3), "abc");
  EXPECT_EQ(cut_utf8("abcd", 3), "abc");
  EXPECT_EQ(cut_utf8("ab\xe2\x82\xac", 4), "ab");
  EXPECT_EQ(cut_utf8("ab\xe2\x82\xac", 5), "ab\xe2\x82\xac");
  EXPECT_EQ(cut_utf8("\xe2\x82\xac", 0), "");
}

TEST(Words, are_those_of_the_wire) {
  EXPECT_EQ(to_string(JobState::waiting), "waiting");
  EXPECT_EQ(to_string(JobState::cancelled), "cancelled");
  EXPECT_EQ(to_string(Outcome::released), "released");
  EXPECT_EQ(to_string(RunEnd::timed_out), "timed_out");
  EXPECT_EQ(to_string(RunEnd::cancelled), "cancelled");
  EXPECT_EQ(to_string(ErrorCode::storage_unavailable), "storage_unavailable");
  EXPECT_EQ(to_string(ErrorCode::internal), "internal");
  EXPECT_EQ(job_state_from("dead"), JobState::dead);
  EXPECT_EQ(job_state_from("Dead"), std::nullopt);
}

TEST(SessionIds, are_shown_as_hexadecimal_digits) {
  SessionId session;
  session.bytes[0] = 0x0f;
  session.bytes[15] = 0xa0;
  EXPECT_EQ(to_string(session), "0f0000000000000000000000000000a0");
}

TEST(SessionIds, hash_by_all_of_their_bytes) {
  std::unordered_set<std::size_t> hashes;
  for (std::size_t i = 0; i < 16; ++i) {
    SessionId session;
    session.bytes[i] = 1;
    hashes.insert(std::hash<SessionId>{}(session));
  }
  EXPECT_EQ(hashes.size(), 16u);
}

}  // namespace
}  // namespace stint
