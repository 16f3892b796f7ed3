// Published events as a subscriber reads them: the second frame, beside its topic. The same checks hold as
// for what a server answers.
#pragma once

#include <string_view>

#include "protocol/messages/events.hpp"
#include "protocol/result.hpp"

namespace stint {

// Of any topic but `log/head`. Errors: bad_message, too_large.
Result<EventMessage> decode_event(std::string_view body);

}  // namespace stint
