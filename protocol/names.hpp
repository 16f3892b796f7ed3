// Which names are allowed.
#pragma once

#include <string_view>

namespace stint {

// [A-Za-z0-9][A-Za-z0-9._:-]{0,127}
bool is_queue_name(std::string_view name);
bool is_worker_name(std::string_view name);

// 1 to 255 bytes of UTF-8 without control characters, spaces, '/' or '='.
bool is_handler_name(std::string_view name);

bool is_utf8(std::string_view text);

}  // namespace stint
