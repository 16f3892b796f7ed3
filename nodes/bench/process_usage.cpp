#include "nodes/bench/process_usage.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <unistd.h>

namespace stint {

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `VmRSS:     1234 kB`
std::int64_t bytes_at(std::string_view status, std::string_view key) {
  const std::size_t at = status.find(key);
  if (at == std::string_view::npos) return 0;
  return std::atoll(std::string(status.substr(at + key.size(), 32)).c_str()) * 1'024;
}

}  // namespace

ProcessUsage usage_from(std::string_view status, std::string_view stat, std::int64_t ticks_per_s) {
  ProcessUsage usage;
  usage.resident_bytes = bytes_at(status, "VmRSS:");
  usage.resident_peak_bytes = bytes_at(status, "VmHWM:");
  // The name in parentheses may have spaces and parentheses of its own.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return usage;
  std::istringstream fields{std::string(stat.substr(name_end + 1))};
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  std::int64_t user = 0;
  std::int64_t system = 0;
  fields >> user >> system;
  usage.cpu_us = (user + system) * 1'000'000 / ticks_per_s;
  return usage;
}

ProcessUsage usage_of(int process_id) {
  const std::string folder = "/proc/" + std::to_string(process_id);
  return usage_from(text_of(folder + "/status"), text_of(folder + "/stat"), sysconf(_SC_CLK_TCK));
}

}  // namespace stint
