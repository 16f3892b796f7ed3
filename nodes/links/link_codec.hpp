// What crosses links as bytes and back. Everything that comes is checked as if it came from a client.
// Instants never cross (rule D10): they are sent as they lie from the sender's now, and read from the
// receiver's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "actors/kernel/message.hpp"
#include "nodes/links/link_messages.hpp"
#include "protocol/bounds.hpp"
#include "protocol/result.hpp"

namespace stint {

inline constexpr std::string_view link_hello_type = "link_hello";
inline constexpr std::string_view link_welcome_type = "link_welcome";
inline constexpr std::string_view link_type = "link";

std::string encode(const LinkHello& hello);
std::string encode(const LinkWelcome& welcome);
// Errors: bad_message, with the path of the first fault.
Result<LinkHello> decode_link_hello(std::string_view body);
Result<LinkWelcome> decode_link_welcome(std::string_view body);

// The correlation frame of a message.
std::string encode(const LinkHeader& header);
// Nothing: it is none.
std::optional<LinkHeader> decode_link_header(std::string_view frame);

struct LinkBody {
  std::string_view kind;
  std::string bytes;
};

// Nothing: such a message does not leave its node.
std::optional<LinkBody> encode_for_link(Message&& message, Instant now);
// Errors: unknown_type, bad_message, too_large.
Result<Message> decode_from_link(std::string_view kind, std::string_view body, Instant now,
                                 const Bounds& bounds);

}  // namespace stint
