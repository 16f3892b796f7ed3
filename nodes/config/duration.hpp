// Durations as people write them, in configs and on the command line: a whole number and its unit, `250ms`,
// `10s`, `5m`, `2h`, `1d`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/result.hpp"

namespace stint {

// In milliseconds, 0 to 100 years. Errors: bad_message, which says what was expected.
Result<std::int64_t> parse_duration_ms(std::string_view text);

// The same text back, in the largest unit that holds it without a rest: 60000 is `1m`, 90000 is `90s`.
std::string duration_text(std::int64_t duration_ms);

}  // namespace stint
