#include "nodes/runtime/clock.hpp"

#include <ctime>
#include <fstream>

namespace stint {
namespace {

std::chrono::nanoseconds read(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Duration SystemClock::since_boot() { return std::chrono::floor<Duration>(read(CLOCK_BOOTTIME)); }

WallMs SystemClock::wall_now() {
  return std::chrono::floor<std::chrono::milliseconds>(read(CLOCK_REALTIME)).count();
}

std::string read_boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace stint
