#include "nodes/bench/process_usage.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

namespace stint {

namespace {

// `VmRSS:     1234 kB`
std::int64_t bytes_at(std::string_view status, std::string_view key) {
  const std::size_t at = status.find(key);
  if (at == std::string_view::npos) return 0;
  return std::atoll(std::string(status.substr(at + key.size(), 32)).c_str()) * 1'024;
}

// Finer than the ticks that /proc counts in.
std::int64_t cpu_us_of(int process_id) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process_id, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return std::int64_t{used.tv_sec} * 1'000'000 + used.tv_nsec / 1'000;
}

}  // namespace

ProcessUsage memory_from(std::string_view status) {
  ProcessUsage usage;
  usage.resident_bytes = bytes_at(status, "VmRSS:");
  usage.resident_peak_bytes = bytes_at(status, "VmHWM:");
  return usage;
}

ProcessUsage usage_of(int process_id) {
  if (process_id <= 0) return {};  // for the kernel's clocks, 0 is the one that asks
  std::ifstream status("/proc/" + std::to_string(process_id) + "/status");
  ProcessUsage usage = memory_from(std::string(std::istreambuf_iterator<char>(status), {}));
  usage.cpu_us = cpu_us_of(process_id);
  return usage;
}

}  // namespace stint
