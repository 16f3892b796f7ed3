// Hash containers of names that can be searched by a view.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace stint {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

using NameSet = std::unordered_set<std::string, StringHash, std::equal_to<>>;

template <class Value>
using NameMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

}  // namespace stint
