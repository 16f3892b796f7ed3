#include "actors/storage/clock_resume.hpp"

#include <algorithm>

#include "actors/jobs/backoff.hpp"

namespace stint {

Duration resume_clock(const StoreHeader& header, const MachineTime& machine) {
  const Instant at_boot_time(machine.since_boot);
  if (header.starts == 0) return Duration::zero();
  if (header.boot_id == machine.boot_id) {
    // The clock was ahead of its commits; it still is, unless the header is damaged.
    return std::max(header.clock_offset, header.last_commit - at_boot_time);
  }
  return later(header.last_commit, machine.wall_ms - header.last_commit_ms) - at_boot_time;
}

std::string log_name(std::uint64_t random_high, std::uint64_t random_low) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string name;
  for (const std::uint64_t half : {random_high, random_low}) {
    for (int shift = 60; shift >= 0; shift -= 4) name.push_back(digits[(half >> shift) & 0xF]);
  }
  return name;
}

}  // namespace stint
