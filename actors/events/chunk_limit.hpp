// A limit inside an event chunk: which of its parts follow, as bits; burst; then rate (8 bytes), max,
// window_ms and max_running, those there are. Never 0 at its start, which stands for no limit.
#pragma once

#include <optional>
#include <string>

#include "actors/events/varint.hpp"
#include "protocol/limit.hpp"

namespace stint {

void append_limit(std::string& bytes, const Limit& limit);

// What follows the bits, which were read before. Nothing: these bits are not known.
std::optional<Limit> read_limit(std::uint64_t bits, VarintReader& reader);

}  // namespace stint
