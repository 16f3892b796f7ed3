// Limits as people write and read them, in configs and on the command line: rates like `10` (a second), `5/m`
// or `100/h`, windows like `60/60s`.
#pragma once

#include <string>
#include <string_view>

#include "protocol/limit.hpp"
#include "protocol/result.hpp"

namespace stint {

// Starts a second; the unit is one of s, m, h, d. Any number is taken, fault_of() judges it. Errors:
// bad_message, which says what was expected.
Result<double> parse_rate(std::string_view text);

// `60/60s`: at most 60 in any 60 seconds. Errors: bad_message.
Result<Limit> parse_window(std::string_view text);

// In the unit that needs no fraction, if there is one: `10/s`, `5/m`, `100/h`.
std::string rate_text(double rate);

// `10/s, burst 20, 5 running`; `60/60s of started`; `unlimited`; `none` where nothing is limited.
std::string limit_text(const Limit& limit);

// A fault in the words of people who write durations: `window` for `window_ms`.
std::string in_config_words(std::string text);

}  // namespace stint
