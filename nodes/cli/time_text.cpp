#include "nodes/cli/time_text.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <fmt/core.h>
#include <optional>

namespace stint {

namespace {

using std::chrono::milliseconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

Error bad_time(std::string_view text) {
  return {.code = ErrorCode::bad_message,
          .message = "'" + std::string(text) +
                     "' is not a time; expected one like 2026-01-31T08:00:00Z, or milliseconds since 1970"};
}

// Takes what it reads off the front of a text.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }

  bool take(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::optional<int> digits(std::size_t count, int most) {
    int number = 0;
    if (text_.size() < count) return {};
    const auto [rest, fault] = std::from_chars(text_.data(), text_.data() + count, number);
    if (fault != std::errc{} || rest != text_.data() + count || number < 0 || number > most) return {};
    text_.remove_prefix(count);
    return number;
  }

  // Digits after the decimal point; those beyond milliseconds are cut.
  std::optional<int> fraction_ms() {
    int ms = 0;
    int weight = 100;
    bool any = false;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
      ms += weight * (text_.front() - '0');
      weight /= 10;
      any = true;
      text_.remove_prefix(1);
    }
    return any ? std::optional<int>(ms) : std::nullopt;
  }

  // `Z` or `+02:00`: minutes east of UTC.
  std::optional<int> offset_minutes() {
    if (take("Zz")) return 0;
    const bool west = !text_.empty() && text_.front() == '-';
    if (!take("+-")) return {};
    const auto hours = digits(2, 23);
    if (!hours || !take(":")) return {};
    const auto minutes = digits(2, 59);
    if (!minutes) return {};
    return (west ? -1 : 1) * (*hours * 60 + *minutes);
  }

 private:
  std::string_view text_;
};

std::optional<WallMs> parse_rfc3339(std::string_view text) {
  TimeReader reader(text);
  const auto year = reader.digits(4, 9999);
  if (!year || !reader.take("-")) return {};
  const auto month = reader.digits(2, 12);
  if (!month || !reader.take("-")) return {};
  const auto day = reader.digits(2, 31);
  if (!day || !reader.take("Tt ")) return {};
  const auto hour = reader.digits(2, 23);
  if (!hour || !reader.take(":")) return {};
  const auto minute = reader.digits(2, 59);
  if (!minute || !reader.take(":")) return {};
  const auto second = reader.digits(2, 59);
  if (!second) return {};
  const auto fraction = reader.take(".") ? reader.fraction_ms() : std::optional<int>(0);
  const auto offset = reader.offset_minutes();
  if (!fraction || !offset || !reader.done()) return {};

  const year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  const milliseconds time = sys_days(date).time_since_epoch() + std::chrono::hours(*hour) +
                            std::chrono::minutes(*minute - *offset) + std::chrono::seconds(*second) +
                            milliseconds(*fraction);
  return time.count();
}

}  // namespace

WallMs wall_now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

Result<WallMs> parse_time_ms(std::string_view text) {
  WallMs time_ms = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), time_ms);
  if (fault == std::errc{} && rest == text.data() + text.size() && time_ms >= 0) return time_ms;
  if (const auto parsed = parse_rfc3339(text); parsed && *parsed >= 0) return *parsed;
  return bad_time(text);
}

std::string time_text(WallMs time_ms) {
  const std::chrono::sys_time<milliseconds> time{milliseconds(time_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (clock.subseconds().count() != 0) text += fmt::format(".{:03}", clock.subseconds().count());
  return text + "Z";
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array<const char*, 4> units{"KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace stint
