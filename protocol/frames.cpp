#include "protocol/frames.hpp"

#include <algorithm>
#include <optional>

#include "protocol/bounds.hpp"

namespace stint {
namespace {

constexpr std::size_t frames_of_message = 4;

FrameFault fault(ErrorCode code, std::string message) {
  FrameFault fault;
  fault.error.code = code;
  fault.error.message = std::move(message);
  return fault;
}

// Of another version of this protocol: `STINT` and a number.
bool is_other_version(std::string_view frame) {
  return frame.size() >= 6 && frame.size() <= 16 && frame.substr(0, 5) == "STINT" && frame != wire_magic &&
         std::all_of(frame.begin() + 5, frame.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// How many frames stand before the message, with the empty one that ends them.
std::optional<std::size_t> envelope_length(const std::vector<std::string_view>& frames) {
  if (frames.front() == wire_magic || is_other_version(frames.front())) return 0;
  const std::size_t most = std::min<std::size_t>(frames.size(), Bounds::envelope_frames);
  for (std::size_t i = 0; i < most; ++i) {
    if (frames[i].empty()) return i + 1;
  }
  return std::nullopt;
}

// What is wrong with the frames of a message, whose first is `frames[0]`; no error if nothing is.
std::optional<FrameFault> judge(const std::vector<std::string_view>& frames, std::size_t first) {
  const std::size_t count = frames.size() - first;
  if (count == 0) return fault(ErrorCode::bad_frame, "there are no frames behind the envelope");
  if (is_other_version(frames[first])) {
    return fault(ErrorCode::unsupported_version, "this server speaks STINT1 only");
  }
  if (frames[first] != wire_magic) {
    return fault(ErrorCode::bad_frame, "the first frame of a message is STINT1");
  }
  if (count != frames_of_message) {
    return fault(ErrorCode::bad_frame,
                 "a message has four frames (STINT1, type, correlation, body), not " + std::to_string(count));
  }
  if (frames[first + 1].empty()) return fault(ErrorCode::bad_frame, "the type is empty");
  if (frames[first + 2].size() > Bounds::correlation_bytes) {
    return fault(ErrorCode::bad_frame, "a correlation has at most 64 bytes");
  }
  if (frames[first + 3].size() > Bounds::message_bytes) {
    return fault(ErrorCode::too_large, "a body has at most 16 MiB");
  }
  return std::nullopt;
}

}  // namespace

Result<ParsedFrames, FrameFault> parse_frames(const std::vector<std::string_view>& frames) {
  if (frames.empty()) return fault(ErrorCode::bad_frame, "there are no frames");
  const std::optional<std::size_t> length = envelope_length(frames);
  if (!length) {
    return fault(ErrorCode::bad_frame,
                 "the first frame is neither STINT1 nor is there an empty frame among the first eight");
  }
  const std::vector<std::string_view> envelope(frames.begin(),
                                               frames.begin() + static_cast<std::ptrdiff_t>(*length));
  if (std::optional<FrameFault> found = judge(frames, *length)) {
    found->envelope = envelope;
    // The third frame is the correlation whatever else is wrong, so that the sender can tell what failed.
    if (frames.size() > *length + 2 && frames[*length + 2].size() <= Bounds::correlation_bytes) {
      found->correlation = frames[*length + 2];
    }
    return std::move(*found);
  }
  ParsedFrames parsed;
  parsed.envelope = envelope;
  parsed.type = frames[*length + 1];
  parsed.correlation = frames[*length + 2];
  parsed.body = frames[*length + 3];
  return parsed;
}

}  // namespace stint
