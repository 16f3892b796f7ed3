// How long the disk itself takes: what no server that acknowledges after a sync can be faster than.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "nodes/cli/exit_status.hpp"
#include "protocol/result.hpp"

namespace stint {

// Writes 4 KiB to the end of a growing file in this folder and syncs it (fdatasync), so many times; removes
// the file. Microseconds each. Errors: io.
Result<std::vector<std::int64_t>, Failure> measure_syncs(const std::filesystem::path& folder, int count);

}  // namespace stint
