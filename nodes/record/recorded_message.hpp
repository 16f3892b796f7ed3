// A message as a recording keeps it, and back. Unlike over a link, nothing that actors are told is lost.
#pragma once

#include <string>

#include "actors/kernel/message.hpp"
#include "protocol/result.hpp"
#include "protocol/time.hpp"

namespace stint {

struct RecordedBody {
  std::string kind;
  std::string bytes;
};

// `now`: instants are kept as they lie from it. Only what comes from outside the actors can be kept.
RecordedBody record(const Message& message, Instant now);
// Errors: bad_message.
Result<Message> message_of(const std::string& kind, const std::string& bytes, Instant now);

// One line of what leaves: what it is, to whom, and a hash of all it says but for what differs from run to
// run.
std::string line_of(const Envelope& envelope, Instant now);

}  // namespace stint
