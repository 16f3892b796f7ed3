// The content of an enqueue as 64 bits: the same for the same jobs, however they were encoded, in every build
// (rule D8: it is stored).
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/messages/enqueue.hpp"

namespace stint {

std::uint64_t content_hash(const std::vector<NewJob>& jobs);

}  // namespace stint
