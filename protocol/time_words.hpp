// Spans of time in words for people, in all that stint says: `20 ms`, `1.5 s`, `3 min 12 s`.
#pragma once

#include <cstdint>
#include <string>

namespace stint {

// The two largest units, what is less is left out; below ten seconds to a tenth. A negative span is `0 ms`.
std::string span_text(std::int64_t span_ms);

}  // namespace stint
