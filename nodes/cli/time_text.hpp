// Points in time and amounts, as people write and read them; with spans of time. Points are UTC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/result.hpp"
#include "protocol/time.hpp"
#include "protocol/time_words.hpp"

namespace stint {

WallMs wall_now_ms();

// RFC 3339 (`2026-01-31T08:00:00Z`, `2026-01-31 08:00:00.250+02:00`) or milliseconds since 1970. Errors:
// bad_message.
Result<WallMs> parse_time_ms(std::string_view text);

// `2026-01-31T08:00:00Z`, with `.250` where there are milliseconds.
std::string time_text(WallMs time_ms);

// `17 B`, `1.5 KiB`, `12.0 MiB`.
std::string bytes_text(std::int64_t bytes);

// `1,234,567`.
std::string count_text(std::int64_t count);

}  // namespace stint
