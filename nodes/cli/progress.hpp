// Progress: how far a long command has come, as a bar on stderr where that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "nodes/cli/console.hpp"

namespace stint {

class Progress {
 public:
  // `what` stands before the bar. Nothing is shown on anything but a terminal.
  Progress(const Console& console, std::string what, std::int64_t total);
  ~Progress();  // takes the bar away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance_to(std::int64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  std::string what_;
  std::int64_t total_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_{};
  bool is_shown_ = false;
};

// `enqueueing [#####.....]  50%  500/1,000  2,500/s  0s left`
std::string progress_line(const std::string& what, std::int64_t done, std::int64_t total,
                          std::int64_t elapsed_ms);

}  // namespace stint
