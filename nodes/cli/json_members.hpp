// The members of a JSON object with their values as they are written, so that a payload keeps its text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stint {

// Keys as written, with their quotes. `object` must be the text of a valid JSON object.
std::vector<std::pair<std::string_view, std::string_view>> json_members(std::string_view object);

}  // namespace stint
