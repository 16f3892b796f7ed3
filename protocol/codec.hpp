// Codec: message structs to msgpack bodies and back. Everything that comes from outside is checked here:
// form, types, ranges, sizes, names. Never throws; a message that is decoded is valid but for what only the
// server's state can tell.
#pragma once

#include <string>
#include <string_view>

#include "protocol/bounds.hpp"
#include "protocol/messages.hpp"
#include "protocol/result.hpp"

namespace stint {

struct DecodedRequest {
  Request request;
  bool numbers_as_float = false;  // the client wants integers above 2^32-1 as floats
};

// Errors: unknown_type, bad_message, too_large; with the path of the first fault.
Result<DecodedRequest> decode_request(std::string_view type, std::string_view body, const Bounds& bounds);

// What a client does with an answer; the same checks hold.
Result<Answer> decode_answer(std::string_view type, std::string_view body, const Bounds& bounds);

// The second frame of a message: "enqueue", "welcome", ...
std::string_view wire_type(const Request& request);
std::string_view wire_type(const Answer& answer);

// The body. The shortest integers, or floats for those above 2^32-1.
std::string encode(const Request& request);
std::string encode(const Answer& answer, bool numbers_as_float = false);
// What is published beside a topic.
std::string encode(const EventMessage& event);
std::string encode(const EventLogHead& head);

}  // namespace stint
