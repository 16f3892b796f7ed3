// Text of others (handlers, errors, reasons, names) made safe for a terminal: what it would obey, and what
// would turn or hide the text around it, is shown as `\\n`, `\\x1b`, `\\u202e`.
#pragma once

#include <string>
#include <string_view>

namespace stint {

// On one line; a backslash is doubled, so that nothing passes for what it is not. Bytes that are not UTF-8
// are shown one by one.
std::string printable(std::string_view bytes);

// A word of the wire for people: `not due` for `not_due`.
std::string spaced(std::string_view word);

// For sentences of stint that quote others: lines and backslashes stay as they are.
std::string printable_lines(std::string_view text);

}  // namespace stint
