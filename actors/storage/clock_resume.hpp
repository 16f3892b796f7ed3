// Where StintClock goes on when a store is opened. The node that will host the storage actor asks this before
// it hosts any actor, and reads its clock as CLOCK_BOOTTIME plus `offset` from then on.
#pragma once

#include <string>
#include <string_view>

#include "protocol/time.hpp"
#include "storage/store.hpp"

namespace stint {

// What the machine says at the moment of the start.
struct MachineTime {
  std::string boot_id;    // of /proc/sys/kernel/random/boot_id
  Duration since_boot{};  // CLOCK_BOOTTIME
  WallMs wall_ms = 0;
};

// StintClock minus CLOCK_BOOTTIME. Within one boot it is kept. In another boot, StintClock goes on where the
// last commit left it, plus what the wall clock says has passed since; never backwards.
Duration resume_clock(const StoreHeader& header, const MachineTime& machine);

// 32 hexadecimal digits: a name for the history of a new file (StoreHeader::log).
std::string log_name(std::uint64_t random_high, std::uint64_t random_low);

}  // namespace stint
