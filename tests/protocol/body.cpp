#include "tests/protocol/body.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace stint::testing {
namespace {

using nlohmann::json;

std::string packed(const json& value) {
  const std::vector<std::uint8_t> bytes = json::to_msgpack(value);
  return {bytes.begin(), bytes.end()};
}

void replace_binary(json& value) {
  if (value.is_structured()) {
    for (json& item : value) replace_binary(item);
  } else if (value.is_string() && value.get_ref<const std::string&>().rfind("bin:", 0) == 0) {
    const std::string bytes = value.get<std::string>().substr(4);
    value = json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  }
}

// The pairs of a body, each packed.
std::vector<std::pair<std::string, std::string>> pairs_of(std::string_view body) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const json parsed = json::from_msgpack(body.begin(), body.end());
  for (const auto& [key, value] : parsed.items()) pairs.emplace_back(key, packed(value));
  return pairs;
}

std::string from_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string body = packed_map(pairs.size());
  for (const auto& [key, value] : pairs) body += packed_text(key) + value;
  return body;
}

}  // namespace

std::string body(std::string_view text) {
  json value = json::parse(text);
  replace_binary(value);
  return packed(value);
}

std::string body_with(std::string_view key, std::string_view value) {
  return from_pairs({{std::string(key), std::string(value)}});
}

std::string without(std::string_view body, std::string_view key) {
  auto pairs = pairs_of(body);
  std::erase_if(pairs, [&](const auto& pair) { return pair.first == key; });
  return from_pairs(pairs);
}

std::string with_nil(std::string_view body, std::string_view key) { return with_value(body, key, "\xc0"); }

std::string with_value(std::string_view body, std::string_view key, std::string_view value) {
  auto pairs = pairs_of(without(body, key));
  pairs.emplace_back(key, value);
  return from_pairs(pairs);
}

std::string with_twice(std::string_view body, std::string_view key) {
  auto pairs = pairs_of(body);
  for (std::size_t i = 0, size = pairs.size(); i < size; ++i) {
    if (pairs[i].first == key) pairs.push_back(pairs[i]);
  }
  return from_pairs(pairs);
}

std::string packed_text(std::string_view text) { return packed(json(text)); }

std::string packed_binary(std::string_view bytes) {
  return packed(json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end())));
}

namespace {
std::string head(unsigned char small, unsigned char large, std::size_t count) {
  if (count < 16) return {static_cast<char>(small | count)};
  std::string bytes{static_cast<char>(large)};
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(count >> shift);
  return bytes;
}
}  // namespace

std::string packed_list(std::size_t items) { return head(0x90, 0xdd, items); }
std::string packed_map(std::size_t pairs) { return head(0x80, 0xdf, pairs); }

std::string repeated(std::string_view text, std::size_t times) {
  if (text.size() == 1) return std::string(times, text[0]);
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace stint::testing
