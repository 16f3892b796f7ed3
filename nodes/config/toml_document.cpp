#include "nodes/config/toml_document.hpp"

#include <array>
#include <charconv>
#include <sstream>
#include <toml++/toml.h>

namespace stint {

namespace {

constexpr std::size_t longest_written = 60;

// As short as it can be written and read again: 0.1 is 0.1.
std::string shortest(double number) {
  std::array<char, 32> digits{};
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  const std::string text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_whole ? text + ".0" : text;
}

std::string in_short(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& value) {
    if constexpr (toml::is_table<decltype(value)>) {
      out << (value.empty() ? "{ }" : "{ ... }");
    } else if constexpr (toml::is_string<decltype(value)>) {
      out << '"' << value.get() << '"';
    } else if constexpr (toml::is_boolean<decltype(value)>) {
      out << (value.get() ? "true" : "false");
    } else if constexpr (toml::is_floating_point<decltype(value)>) {
      out << shortest(value.get());
    } else {
      out << toml::toml_formatter(value, toml::format_flags::none);
    }
  });
  std::string text = std::move(out).str();
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  if (text.size() > longest_written) text = text.substr(0, longest_written) + "...";
  return text;
}

TomlValue plain(const toml::node& node);

TomlValue::Table plain_table(const toml::table& table) {
  TomlValue::Table entries;
  for (const auto& [key, node] : table) {
    const int line = static_cast<int>(key.source().begin.line);
    entries.push_back({.key = std::string(key.str()), .line = line, .value = plain(node)});
  }
  return entries;
}

TomlValue plain(const toml::node& node) {
  TomlValue plain_value{
      .line = static_cast<int>(node.source().begin.line), .written = in_short(node), .value = false};
  node.visit([&](const auto& value) {
    using Kind = decltype(value);
    if constexpr (toml::is_table<Kind>) {
      plain_value.value = plain_table(value);
    } else if constexpr (toml::is_array<Kind>) {
      TomlValue::Array elements;
      for (const toml::node& element : value) elements.push_back(plain(element));
      plain_value.value = std::move(elements);
    } else if constexpr (toml::is_string<Kind> || toml::is_integer<Kind> || toml::is_floating_point<Kind> ||
                         toml::is_boolean<Kind>) {
      plain_value.value = value.get();
    } else {
      plain_value.value = TomlValue::Moment{};
    }
  });
  return plain_value;
}

}  // namespace

Result<TomlValue::Table, ConfigFault> parse_toml(std::string_view text) {
  try {
    return plain_table(toml::parse(text));
  } catch (const toml::parse_error& error) {
    return ConfigFault{.line = static_cast<int>(error.source().begin.line),
                       .message = "not TOML: " + std::string(error.description())};
  }
}

}  // namespace stint
