// JSON lines: one job a line, in the words of the wire, with what is kinder to people: durations as they are
// written elsewhere, payloads of any JSON.
#pragma once

#include <string_view>

#include "protocol/messages/enqueue.hpp"
#include "protocol/result.hpp"

namespace stint {

// What the line leaves out is taken from `defaults`. Errors: bad_message, with the field.
Result<NewJob> parse_job_line(std::string_view line, const NewJob& defaults);

}  // namespace stint
