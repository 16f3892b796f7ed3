// A TOML file as plain values, each with the line it stands on. Owned by the config's reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nodes/config/config_fault.hpp"
#include "protocol/result.hpp"

namespace stint {

struct TomlEntry;

struct TomlValue {
  using Array = std::vector<TomlValue>;
  using Table = std::vector<TomlEntry>;
  struct Moment {};  // dates and times, which no key of stint takes

  int line = 0;
  std::string written;  // for messages: the value in short, on one line
  std::variant<bool, std::int64_t, double, std::string, Array, Table, Moment> value;
};

struct TomlEntry {
  std::string key;
  int line = 0;
  TomlValue value;
};

// Errors: what is not TOML, with its line.
Result<TomlValue::Table, ConfigFault> parse_toml(std::string_view text);

}  // namespace stint
