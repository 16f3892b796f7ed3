// What this build calls itself.
#pragma once

#include <string_view>

namespace stint {

inline constexpr std::string_view stint_version = "0.1.0";

}  // namespace stint
