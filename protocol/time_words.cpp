#include "protocol/time_words.hpp"

#include <algorithm>
#include <array>

namespace stint {

namespace {

struct Unit {
  std::int64_t ms;
  const char* name;
};

constexpr std::array<Unit, 4> units{{{86'400'000, " d"}, {3'600'000, " h"}, {60'000, " min"}, {1'000, " s"}}};

constexpr std::int64_t with_decimal_below_ms = 10'000;

std::string in_tenths(std::int64_t span_ms) {
  const std::int64_t tenths = (span_ms + 50) / 100;
  const std::string whole = std::to_string(tenths / 10);
  return (tenths % 10 == 0 ? whole : whole + "." + std::to_string(tenths % 10)) + " s";
}

}  // namespace

std::string span_text(std::int64_t span_ms) {
  span_ms = std::max<std::int64_t>(0, span_ms);
  if (span_ms < 1'000) return std::to_string(span_ms) + " ms";
  if (span_ms < with_decimal_below_ms) return in_tenths(span_ms);
  const auto* const unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& one) { return span_ms >= one.ms; });
  std::string text = std::to_string(span_ms / unit->ms) + unit->name;
  if (unit + 1 == units.end()) return text;
  const Unit& next = *(unit + 1);
  const std::int64_t rest = span_ms % unit->ms / next.ms;
  if (rest > 0) text.append(" ").append(std::to_string(rest)).append(next.name);
  return text;
}

}  // namespace stint
