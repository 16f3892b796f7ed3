// Which names are allowed, and what is done to text that may not be UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stint {

// [A-Za-z0-9][A-Za-z0-9._:-]{0,127}
bool is_queue_name(std::string_view name);
bool is_worker_name(std::string_view name);

// 1 to 255 bytes of UTF-8 without '/', '=', spaces or hidden characters.
bool is_handler_name(std::string_view name);

// Whether the character shows nothing, but moves or hides what stands around it: control characters, those
// that change the direction of writing, separators of lines and paragraphs, the byte order mark and others
// without a width of their own. Not the joiners, which some scripts need.
bool is_hidden(char32_t character);

// Takes the first character off `text`. Nothing, and `text` as it was: it does not begin with UTF-8.
std::optional<char32_t> take_character(std::string_view& text);

bool is_utf8(std::string_view text);

// The longest beginning of `text` that is UTF-8.
std::string_view utf8_prefix(std::string_view text);

// `text` with every byte that is not part of UTF-8 replaced by U+FFFD.
std::string to_utf8(std::string_view text);

// The beginning of `text`, at most `most_bytes` long, not ending inside a character.
std::string_view cut_utf8(std::string_view text, std::size_t most_bytes);

}  // namespace stint
