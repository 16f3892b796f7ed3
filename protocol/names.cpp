#include "protocol/names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace stint {
namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_plain_name(std::string_view name) {
  if (name.empty() || name.size() > 128 || !is_alphanumeric(name.front())) return false;
  for (const char c : name) {
    if (!is_alphanumeric(c) && c != '.' && c != '_' && c != ':' && c != '-') return false;
  }
  return true;
}

// The length of the UTF-8 sequence that `text` begins with, 0 if it begins with none. Overlong forms,
// surrogates and code points above U+10FFFF are none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return length;
}

struct Range {
  char32_t first;
  char32_t last;
};

constexpr std::array<Range, 12> hidden{{{0x00, 0x1f},
                                        {0x7f, 0x9f},
                                        {0xad, 0xad},
                                        {0x061c, 0x061c},
                                        {0x180e, 0x180e},
                                        {0x200b, 0x200b},
                                        {0x200e, 0x200f},
                                        {0x2028, 0x202e},
                                        {0x2060, 0x206f},
                                        {0xfeff, 0xfeff},
                                        {0xfff9, 0xfffb},
                                        {0xe0000, 0xe007f}}};

// Unicode's space separators.
constexpr std::array<Range, 7> spaces{{{0x20, 0x20},
                                       {0xa0, 0xa0},
                                       {0x1680, 0x1680},
                                       {0x2000, 0x200a},
                                       {0x202f, 0x202f},
                                       {0x205f, 0x205f},
                                       {0x3000, 0x3000}}};

template <std::size_t count>
bool is_one_of(const std::array<Range, count>& ranges, char32_t character) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return character >= range.first && character <= range.last; });
}

}  // namespace

bool is_hidden(char32_t character) { return is_one_of(hidden, character); }

std::optional<char32_t> take_character(std::string_view& text) {
  const std::size_t length = text.empty() ? 0 : sequence_length(text);
  if (length == 0) return std::nullopt;
  // The first byte of a longer sequence has as many leading ones as the sequence has bytes.
  const auto first = static_cast<unsigned char>(text.front());
  char32_t character = length == 1 ? first : first & (0x7fU >> length);
  for (const char byte : text.substr(1, length - 1)) {
    character = character << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  text.remove_prefix(length);
  return character;
}

bool is_queue_name(std::string_view name) { return is_plain_name(name); }
bool is_worker_name(std::string_view name) { return is_plain_name(name); }

bool is_handler_name(std::string_view name) {
  if (name.empty() || name.size() > 255) return false;
  while (!name.empty()) {
    const auto c = static_cast<unsigned char>(name.front());
    if (c <= ' ' || c == 0x7f || c == '/' || c == '=') return false;
    if (c < 0x80) {
      name.remove_prefix(1);
      continue;
    }
    const auto character = take_character(name);
    if (!character || is_hidden(*character) || is_one_of(spaces, *character)) return false;
  }
  return true;
}

bool is_utf8(std::string_view text) { return utf8_prefix(text).size() == text.size(); }

std::string_view utf8_prefix(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t step = sequence_length(text.substr(length));
    if (step == 0) break;
    length += step;
  }
  return text.substr(0, length);
}

std::string to_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (true) {
    const std::string_view prefix = utf8_prefix(text);
    valid += prefix;
    text.remove_prefix(prefix.size());
    if (text.empty()) return valid;
    valid += "\xef\xbf\xbd";
    text.remove_prefix(1);
  }
}

std::string_view cut_utf8(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  // Back to the first byte of the character that the bound falls into; at most three bytes follow a first
  // one.
  for (int steps = 0; steps < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; ++steps)
    --end;
  return text.substr(0, end);
}

}  // namespace stint
