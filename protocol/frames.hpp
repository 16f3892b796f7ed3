// The frames around a body: `STINT1`, type, correlation, body, behind an optional envelope that is returned
// unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/result.hpp"

namespace stint {

inline constexpr std::string_view wire_magic = "STINT1";

// Views into the frames that were parsed.
struct ParsedFrames {
  std::vector<std::string_view> envelope;  // with the empty frame that ends it; returned unchanged
  std::string_view type;
  std::string_view correlation;
  std::string_view body;
};

// What is wrong with a message that has no readable type; what could be read of its envelope and correlation
// is kept, so that the error can be answered.
struct FrameFault {
  Error error;  // bad_frame, unsupported_version or too_large
  std::vector<std::string_view> envelope;
  std::string_view correlation;
};

// `frames` are those after the routing id of the ROUTER.
Result<ParsedFrames, FrameFault> parse_frames(const std::vector<std::string_view>& frames);

}  // namespace stint
