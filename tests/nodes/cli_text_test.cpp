#include <gtest/gtest.h>

#include "nodes/cli/printable.hpp"
#include "nodes/cli/progress.hpp"
#include "nodes/cli/table.hpp"
#include "nodes/cli/time_text.hpp"

namespace stint {
namespace {

TEST(Time, is_rfc_3339_or_milliseconds) {
  EXPECT_EQ(parse_time_ms("0").value(), 0);
  EXPECT_EQ(parse_time_ms("1769846400000").value(), 1'769'846'400'000);
  EXPECT_EQ(parse_time_ms("1970-01-01T00:00:01Z").value(), 1'000);
  EXPECT_EQ(parse_time_ms("2026-01-31T08:00:00Z").value(), 1'769'846'400'000);
  EXPECT_EQ(parse_time_ms("2026-01-31T10:00:00.250+02:00").value(), 1'769'846'400'250);
  EXPECT_EQ(parse_time_ms("2026-01-31 03:30:00-04:30").value(), 1'769'846'400'000);
  EXPECT_EQ(parse_time_ms("2026-01-31T08:00:00.1234567Z").value(), 1'769'846'400'123);
}

TEST(Time, is_refused_in_any_other_form) {
  for (const char* text :
       {"", "now", "2026-01-31", "2026-01-31T08:00:00", "2026-02-30T08:00:00Z", "2026-13-01T00:00:00Z",
        "2026-01-31T24:00:00Z", "2026-01-31T08:00:00.Z", "2026-01-31T08:00:00Zx", "-5", "1.5",
        "1969-12-31T23:59:59Z", "2026-01-31T08:00:00+2:00", "99999999999999999999"}) {
    EXPECT_FALSE(parse_time_ms(text).ok()) << text;
  }
}

TEST(Time, is_written_so_that_it_can_be_read_again) {
  EXPECT_EQ(time_text(1'769'846'400'000), "2026-01-31T08:00:00Z");
  EXPECT_EQ(time_text(1'769'846'400'250), "2026-01-31T08:00:00.250Z");
  EXPECT_EQ(parse_time_ms(time_text(1'769'846'400'250)).value(), 1'769'846'400'250);
}

TEST(Span, is_written_in_its_two_largest_units) {
  EXPECT_EQ(span_text(0), "0 ms");
  EXPECT_EQ(span_text(999), "999 ms");
  EXPECT_EQ(span_text(1'000), "1 s");
  EXPECT_EQ(span_text(1'460), "1.5 s");
  EXPECT_EQ(span_text(9'960), "10 s");
  EXPECT_EQ(span_text(12'400), "12 s");
  EXPECT_EQ(span_text(120'000), "2 min");
  EXPECT_EQ(span_text(192'000), "3 min 12 s");
  EXPECT_EQ(span_text(7'200'000), "2 h");
  EXPECT_EQ(span_text(7'500'000), "2 h 5 min");
  EXPECT_EQ(span_text(356'400'000), "4 d 3 h");
  EXPECT_EQ(span_text(-5), "0 ms");
}

TEST(Bytes, are_written_in_the_unit_that_suits) {
  EXPECT_EQ(bytes_text(17), "17 B");
  EXPECT_EQ(bytes_text(1'536), "1.5 KiB");
  EXPECT_EQ(bytes_text(12 << 20), "12.0 MiB");
}

TEST(Count, has_a_comma_after_each_thousand) {
  EXPECT_EQ(count_text(7), "7");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1,000");
  EXPECT_EQ(count_text(-1'234'567), "-1,234,567");
}

TEST(Table, aligns_words_to_the_left_and_numbers_to_the_right) {
  Table table({{.title = "NAME"}, {.title = "N", .right = true}, {.title = "REMARK"}});
  table.add({{.text = "a"}, {.text = "1"}, {.text = ""}});
  table.add({{.text = "longer"}, {.text = "1,000"}, {.text = "x"}});
  EXPECT_EQ(table.text(false, 0),
            "NAME        N  REMARK\n"
            "a           1\n"
            "longer  1,000  x\n");
}

TEST(Table, cuts_only_what_may_be_cut_to_fit_the_screen) {
  Table table({{.title = "NAME", .right = false, .may_cut = true}, {.title = "ID"}});
  table.add({{.text = "abcdefghijklmnopqrst"}, {.text = "0123456789"}});
  EXPECT_EQ(table.text(false, 24),
            "NAME          ID\n"
            "abcdefghijk…  0123456789\n");
}

TEST(Table, counts_characters_and_not_bytes) {
  Table table({{.title = "A"}, {.title = "B"}});
  table.add({{.text = "éé"}, {.text = "x"}});
  EXPECT_EQ(table.text(false, 0), "A   B\néé  x\n");
}

TEST(Table, has_colours_only_where_they_are_wanted) {
  Table table({{.title = "A"}});
  table.add({{.text = "dead", .style = Style::red}});
  EXPECT_EQ(table.text(false, 0), "A\ndead\n");
  EXPECT_NE(table.text(true, 0).find("\x1b[31mdead\x1b[0m"), std::string::npos);
}

TEST(PrintableText, shows_what_a_terminal_would_obey) {
  EXPECT_EQ(printable("a\nb\tc\\"), "a\\nb\\tc\\\\");
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable("é"), "é");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
            "\\x9b1m");
  EXPECT_EQ(printable("\xff\x00"), "\\xff");
  EXPECT_EQ(printable("é\xff"), "\\xc3\\xa9\\xff");
}

TEST(PrintableText, shows_what_would_turn_or_hide_the_text_around_it) {
  EXPECT_EQ(printable("pay\u202egnp.exe"), "pay\\u202egnp.exe");
  EXPECT_EQ(printable("\u2066a\u2069\u200f\ufeff"), "\\u2066a\\u2069\\u200f\\ufeff");
  EXPECT_EQ(printable("a\u2028b"), "a\\u2028b");
  EXPECT_EQ(printable("\U000e0041"), "\\U000e0041");
  EXPECT_EQ(printable("\u90ae\u4ef6"), "\u90ae\u4ef6");
}

TEST(PrintableLines, keep_lines_and_backslashes_and_nothing_else_that_is_hidden) {
  EXPECT_EQ(printable_lines("a\n  b\\c"), "a\n  b\\c");
  EXPECT_EQ(printable_lines("a\x1b[31m\u202e\xff"), "a\\x1b[31m\\u202e\\xff");
}

TEST(ProgressLine, tells_share_count_rate_and_rest) {
  EXPECT_EQ(progress_line("enqueueing", 500, 1'000, 1'000),
            "enqueueing [############............]  50%  500/1,000  500/s  2 s left");
  EXPECT_EQ(progress_line("x", 0, 0, 0), "x [........................]   0%  0/0");
}

}  // namespace
}  // namespace stint
