// Clock: where a node reads the time (rule D10). Owned by the node; a test hands in one that it moves itself.
#pragma once

#include <string>

#include "protocol/time.hpp"

namespace stint {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Duration since_boot() = 0;
  virtual WallMs wall_now() = 0;
};

// CLOCK_BOOTTIME, which counts the time a machine sleeps too, and CLOCK_REALTIME.
class SystemClock final : public Clock {
 public:
  Duration since_boot() override;
  WallMs wall_now() override;
};

// StintClock: the time since boot plus the offset that makes instants of earlier boots comparable.
class NodeClock {
 public:
  explicit NodeClock(Clock& clock, Duration offset = Duration::zero()) : clock_(clock), offset_(offset) {}
  Instant now() { return Instant(clock_.since_boot() + offset_); }
  WallMs wall_now() { return clock_.wall_now(); }
  // The same moment as the machine counts it, for timers of the kernel; negative before the boot.
  Duration since_boot(Instant instant) const { return instant.time_since_epoch() - offset_; }

 private:
  Clock& clock_;
  Duration offset_;
};

// The kernel's name of the machine's current boot; empty if it has none.
std::string read_boot_id();

}  // namespace stint
