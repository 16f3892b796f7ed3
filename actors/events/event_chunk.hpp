// Event chunks: the messages of one commit in few bytes, and how they are read back. EventBuilder writes
// them.
//
// All numbers are varints. A chunk: format; at_ms; names of queues and of handlers (each: count, texts);
// sessions (count; each: 16 bytes, worker's name); then each message: kind; the distance to the message
// before of its topic (0: none); and
//   of jobs: queue, number of items, and each item: job as the zigzag difference from the one before,
//   handler,
//     run, attempt, session (from 1; 0: none), next. Queues and handlers are positions among their names.
//   of a limit: scope, name, source (from 1; 0: none), limit (0: none; else chunk_limit.hpp), for_ms (from 1;
//     0: none).
// Format 1 had neither distances nor messages of limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/messages/events.hpp"
#include "protocol/result.hpp"
#include "storage/store.hpp"

namespace stint {

constexpr std::uint64_t event_chunk_format = 2;

// The messages of a chunk, numbered, as those of the history `log`. Error: internal, the chunk is damaged or
// of a format this build does not know.
Result<std::vector<EventMessage>> decode_events(const EventChunk& chunk, const std::string& log);

}  // namespace stint
