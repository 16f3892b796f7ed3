// What a load driver says of itself: lines of JSON on its output, read by the benchmark that started it.
#pragma once

#include <cstdint>
#include <string>

#include "nodes/cli/exit_status.hpp"
#include "protocol/result.hpp"

namespace stint {

// All counts since its start. What a driver does not know stays 0.
struct DriverLine {
  bool ended = false;         // nothing more will come
  std::int64_t jobs = 0;      // enqueued, or finished, and acknowledged; or told in events
  std::int64_t ids = 0;       // the sum of their ids
  std::int64_t first_us = 0;  // when the first request was sent (bench_now_us())
  std::int64_t last_us = 0;   // when the last acknowledgement came
  std::int64_t messages = 0;  // requests, batches or published messages
  std::int64_t put_off = 0;   // requests that the server wanted later
  std::int64_t again = 0;     // runs that were not their job's first
  std::string failure;        // why it gave up; empty: it did not
};

void print(const DriverLine& line);
// Errors: internal, it is none.
Result<DriverLine, Failure> read_driver_line(const std::string& text);

// Prints a line whenever a tenth of a second has passed since the last one; returns whether it did.
class DriverReport {
 public:
  bool tick(const DriverLine& line, std::int64_t now_us) {
    if (now_us < next_us_) return false;
    print(line);
    next_us_ = now_us + 100'000;
    return true;
  }

 private:
  std::int64_t next_us_ = 0;
};

// This process ends with the one that started it, however that one ends, and at once if it has already.
// Called before signals are blocked.
void end_with_parent(std::int64_t parent);

}  // namespace stint
