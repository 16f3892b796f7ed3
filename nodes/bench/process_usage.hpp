// What another process of this machine uses.
#pragma once

#include <cstdint>
#include <string_view>

namespace stint {

struct ProcessUsage {
  std::int64_t resident_bytes = 0;
  std::int64_t resident_peak_bytes = 0;
  std::int64_t cpu_us = 0;  // of all its threads, since it started
};

// All 0 if there is no such process.
ProcessUsage usage_of(int process_id);

// The memory, from the text of /proc/ID/status.
ProcessUsage memory_from(std::string_view status);

}  // namespace stint
