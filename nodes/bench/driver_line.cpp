#include "nodes/bench/driver_line.hpp"

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <unistd.h>

namespace stint {

void print(const DriverLine& line) {
  const nlohmann::json json{
      {"ended", line.ended},       {"jobs", line.jobs},       {"ids", line.ids},
      {"first_us", line.first_us}, {"last_us", line.last_us}, {"messages", line.messages},
      {"put_off", line.put_off},   {"again", line.again},     {"failure", line.failure}};
  std::puts(json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

Result<DriverLine, Failure> read_driver_line(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return Failure{.status = ExitStatus::internal, .message = "a load driver said: " + text};
  }
  DriverLine line;
  line.ended = json.value("ended", false);
  line.jobs = json.value("jobs", std::int64_t{0});
  line.ids = json.value("ids", std::int64_t{0});
  line.first_us = json.value("first_us", std::int64_t{0});
  line.last_us = json.value("last_us", std::int64_t{0});
  line.messages = json.value("messages", std::int64_t{0});
  line.put_off = json.value("put_off", std::int64_t{0});
  line.again = json.value("again", std::int64_t{0});
  line.failure = json.value("failure", std::string());
  return line;
}

void end_with_parent(std::int64_t parent) {
  if (parent == 0) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) raise(SIGTERM);
}

}  // namespace stint
