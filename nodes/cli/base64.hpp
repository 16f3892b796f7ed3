// Base64 as of RFC 4648, for bytes in JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stint {

std::string to_base64(std::string_view bytes);

// Nothing: not Base64. Padding is required.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace stint
