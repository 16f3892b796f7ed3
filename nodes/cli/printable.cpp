#include "nodes/cli/printable.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "protocol/names.hpp"

namespace stint {

namespace {

std::string escape(char32_t character) {
  const auto number = static_cast<std::uint32_t>(character);
  if (character == U'\n') return "\\n";
  if (character == U'\t') return "\\t";
  if (number <= 0xff) return fmt::format("\\x{:02x}", number);
  return number <= 0xffff ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
}

// `keeps` tells which hidden characters stay.
template <class Keeps>
std::string escape_hidden(std::string_view text, Keeps keeps) {
  std::string result;
  while (!text.empty()) {
    std::string_view rest = text;
    const auto character = take_character(rest);
    if (!character) {
      result += escape(static_cast<unsigned char>(text.front()));
      rest.remove_prefix(1);
    } else if (is_hidden(*character) && !keeps(*character)) {
      result += escape(*character);
    } else {
      result += text.substr(0, text.size() - rest.size());
    }
    text = rest;
  }
  return result;
}

std::string with_backslashes_doubled(std::string_view text) {
  std::string result;
  for (const char c : text) result.append(c == '\\' ? 2 : 1, c);
  return result;
}

// All that is no ASCII: of bytes that only look like characters here and there.
std::string escape_bytes(std::string_view bytes) {
  std::string result;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte >= 0x80 || is_hidden(byte) ? escape(byte) : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view bytes) {
  const std::string text = with_backslashes_doubled(bytes);
  if (!is_utf8(text)) return escape_bytes(text);
  return escape_hidden(text, [](char32_t) { return false; });
}

std::string spaced(std::string_view word) {
  std::string text(word);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string printable_lines(std::string_view text) {
  return escape_hidden(text, [](char32_t character) { return character == U'\n'; });
}

}  // namespace stint
