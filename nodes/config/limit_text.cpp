#include "nodes/config/limit_text.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "nodes/config/duration.hpp"

namespace stint {

namespace {

struct Unit {
  std::string_view name;
  double seconds;
};

constexpr std::array<Unit, 4> units{{{"s", 1}, {"m", 60}, {"h", 3'600}, {"d", 86'400}}};

Error bad(std::string_view text, const char* expected) {
  return {.code = ErrorCode::bad_message, .message = "'" + std::string(text) + "' is not " + expected};
}

// The whole text as a number of the kind.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  return fault == std::errc{} && rest == end;
}

std::string brief(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

}  // namespace

Result<double> parse_rate(std::string_view text) {
  constexpr const char* expected = "a rate; expected one like 10 (a second), 0.5, 5/m or 100/h";
  const std::size_t slash = text.find('/');
  double starts = 0;
  if (!read_number(text.substr(0, slash), starts)) return bad(text, expected);
  if (slash == std::string_view::npos) return starts;
  for (const Unit& unit : units) {
    if (text.substr(slash + 1) == unit.name) return starts / unit.seconds;
  }
  return bad(text, expected);
}

Result<Limit> parse_window(std::string_view text) {
  constexpr const char* expected = "a limit of a window; expected one like 60/60s: 60 in any 60 seconds";
  const std::size_t slash = text.find('/');
  std::int64_t max = 0;
  if (slash == std::string_view::npos || !read_number(text.substr(0, slash), max)) return bad(text, expected);
  const auto window_ms = parse_duration_ms(text.substr(slash + 1));
  if (!window_ms) return bad(text, expected);
  Limit limit;
  limit.max = max;
  limit.window_ms = *window_ms;
  return limit;
}

std::string rate_text(double rate) {
  for (const Unit& unit : units) {
    const double starts = rate * unit.seconds;
    const double whole = std::round(starts);
    if (whole >= 1 && std::abs(starts - whole) < whole * 1e-9)
      return brief(whole).append("/").append(unit.name);
  }
  return brief(rate) + "/s";
}

std::string limit_text(const Limit& limit) {
  if (limit.unlimited) return "unlimited";
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (limit.rate) add(rate_text(*limit.rate));
  if (limit.rate && limit.burst > 0) add("burst " + std::to_string(limit.burst));
  if (limit.max && limit.window_ms) {
    const bool counts_starts = limit.count == CountPolicy::started;
    add(std::to_string(*limit.max) + "/" + duration_text(*limit.window_ms) +
        (counts_starts ? " of started" : ""));
  }
  if (limit.max_running) add(std::to_string(*limit.max_running) + " running");
  return text.empty() ? "none" : text;
}

std::string in_config_words(std::string text) {
  constexpr std::string_view unit = "_ms";
  for (std::size_t at = text.find(unit); at != std::string::npos; at = text.find(unit, at + 1)) {
    const std::size_t end = at + unit.size();
    const bool ends_a_word =
        end == text.size() || (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '_');
    if (ends_a_word) text.erase(at, unit.size());
  }
  return text;
}

}  // namespace stint
