// Reading event chunks back into messages.
#pragma once

#include <vector>

#include "actors/events/event.hpp"
#include "protocol/result.hpp"
#include "storage/store.hpp"

namespace stint {

// The messages of a chunk, numbered. Error: internal, the chunk is damaged or of a format this build does not
// know.
Result<std::vector<EventMessage>> decode_events(const EventChunk& chunk);

}  // namespace stint
