#include "nodes/config/duration.hpp"

#include <array>
#include <charconv>

namespace stint {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t ms;
};

constexpr std::array<Unit, 5> units{{
    {"ms", 1},
    {"s", 1'000},
    {"m", 60'000},
    {"h", 3'600'000},
    {"d", 86'400'000},
}};

constexpr std::int64_t longest_ms = 36'500LL * 86'400'000;

Error bad_duration(std::string_view text) {
  return Error{
      .code = ErrorCode::bad_message,
      .message = "'" + std::string(text) + "' is not a duration; expected one like 250ms, 10s, 5m, 2h or 1d"};
}

}  // namespace

Result<std::int64_t> parse_duration_ms(std::string_view text) {
  std::int64_t amount = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, amount);
  if (fault != std::errc{} || amount < 0 || text.front() == '-') return bad_duration(text);
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& unit : units) {
    if (name != unit.name) continue;
    if (amount > longest_ms / unit.ms) {
      return Error{.code = ErrorCode::bad_message,
                   .message = "'" + std::string(text) + "' is too long; expected at most 36500d"};
    }
    return amount * unit.ms;
  }
  return bad_duration(text);
}

std::string duration_text(std::int64_t duration_ms) {
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
    if (duration_ms != 0 && duration_ms % unit->ms == 0)
      return std::to_string(duration_ms / unit->ms).append(unit->name);
  }
  return "0s";
}

}  // namespace stint
