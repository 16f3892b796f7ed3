#include <gtest/gtest.h>

#include "nodes/cli/work_options.hpp"

namespace stint {
namespace {

using Words = std::vector<std::string>;

TEST(CommandLineWords, are_split_at_spaces) {
  EXPECT_EQ(split_words("python3 send_email.py").value(), (Words{"python3", "send_email.py"}));
  EXPECT_EQ(split_words("  a \t b\n").value(), (Words{"a", "b"}));
  EXPECT_EQ(split_words("").value(), Words{});
}

TEST(CommandLineWords, keep_what_is_quoted_together) {
  EXPECT_EQ(split_words("a 'b c' \"d e\"").value(), (Words{"a", "b c", "d e"}));
  EXPECT_EQ(split_words("a'b c'd").value(), (Words{"ab cd"}));
  EXPECT_EQ(split_words("'' \"\"").value(), (Words{"", ""}));
}

TEST(CommandLineWords, take_a_character_after_a_backslash_as_it_is) {
  EXPECT_EQ(split_words("f\\ g \\\\ \\'").value(), (Words{"f g", "\\", "'"}));
}

TEST(CommandLineWords, keep_backslashes_in_quotes_as_a_shell_does) {
  EXPECT_EQ(split_words(R"('a\b' "a\b" "a\"b" "a\\b" "\$x")").value(),
            (Words{"a\\b", "a\\b", "a\"b", "a\\b", "$x"}));
}

TEST(CommandLineWords, are_not_expanded) {
  EXPECT_EQ(split_words("echo $HOME * ; | `x`").value(), (Words{"echo", "$HOME", "*", ";", "|", "`x`"}));
}

TEST(CommandLineWords, are_refused_when_a_quote_has_no_end) {
  for (const char* line : {"'a", "\"a", "a\\", "\"a\\\"", "a 'b"})
    EXPECT_FALSE(split_words(line).ok()) << line;
}

TEST(QueueOption, has_its_permits_after_the_last_colon) {
  const auto option = parse_queue_option("eu:email:10");
  EXPECT_EQ(option->name, "eu:email");
  EXPECT_EQ(option->permits, 10);
}

TEST(QueueOption, may_be_a_name_alone) {
  EXPECT_EQ(parse_queue_option("eu:email")->name, "eu:email");
  EXPECT_FALSE(parse_queue_option("eu:email")->permits);
  EXPECT_FALSE(parse_queue_option("eu:email")->share);
}

TEST(QueueOption, has_its_share_of_the_workers_after_the_last_colon) {
  const auto option = parse_queue_option("eu:email:min=2,weight=3");
  EXPECT_EQ(option->name, "eu:email");
  EXPECT_EQ(option->share, (QueueShare{.min = 2, .weight = 3}));
  EXPECT_EQ(parse_queue_option("email:weight=3")->share, (QueueShare{.min = 0, .weight = 3}));
  EXPECT_EQ(parse_queue_option("email:min=2")->share, (QueueShare{.min = 2, .weight = 1}));
}

TEST(QueueOption, is_refused_when_name_or_permits_are_wrong) {
  for (const char* text : {"", ":5", "a b:5", "email:0", "email:10001", "email:99999999999999999999",
                           "email:min=", "email:min=-1", "email:weight=0", "email:weight=1001", "email:max=1",
                           "email:min=1;weight=2", ":min=1"}) {
    EXPECT_FALSE(parse_queue_option(text).ok()) << text;
  }
}

TEST(LimitOption, is_a_handler_and_its_window) {
  const auto option = parse_limit_option("send_email=60/1m");
  EXPECT_EQ(option->handler, "send_email");
  EXPECT_EQ(option->limit.max, 60);
  EXPECT_EQ(option->limit.window_ms, 60'000);
}

TEST(LimitOption, is_refused_when_nobody_may_set_it) {
  for (const char* text : {"", "a", "a=", "a=60", "a=60/m", "a=0/60s", "a=-1/60s", "a=1/0s", "a=1/367d"}) {
    EXPECT_FALSE(parse_limit_option(text).ok()) << text;
  }
}

TEST(HandlerOption, is_a_name_and_the_words_of_a_command) {
  const auto option = parse_handler_option("send_email=python3 'send email.py' --x=1");
  EXPECT_EQ(option->name, "send_email");
  EXPECT_EQ(option->command, (Words{"python3", "send email.py", "--x=1"}));
}

TEST(HandlerOption, is_refused_without_name_or_command) {
  for (const char* text : {"", "a", "=b", "a=", "a=  ", "a b=c", "a/b=c", "a='b", "a=''"}) {
    EXPECT_FALSE(parse_handler_option(text).ok()) << text;
  }
}

}  // namespace
}  // namespace stint
