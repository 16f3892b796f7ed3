// What another process of this machine uses, as the kernel's /proc tells it.
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

// From the text of /proc/ID/status and /proc/ID/stat, with so many ticks of the processor's time a second.
ProcessUsage usage_from(std::string_view status, std::string_view stat, std::int64_t ticks_per_s);

}  // namespace stint
