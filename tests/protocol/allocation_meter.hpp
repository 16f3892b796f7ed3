// How much memory this thread has asked for: for tests of what an input may cost.
#pragma once

#include <cstddef>

namespace stint::testing {

// Bytes allocated since the start, whether they were freed or not.
std::size_t bytes_allocated();

}  // namespace stint::testing
