// BatchBudget: a batch is bounded in bytes and in values, whatever the jobs hold, so that its message never
// exceeds what a receiver takes.
#pragma once

#include <cstdint>

#include "protocol/bounds.hpp"
#include "storage/store.hpp"

namespace stint {

class BatchBudget {
 public:
  // False: the job does not fit any more. The first one always does.
  bool take(const JobRow& row) {
    const bool is_first = bytes_ == 0 && values_ == 0;
    std::int64_t bytes = row.payload_bytes;
    for (const auto& [key, value] : row.meta) bytes += std::ssize(key) + std::ssize(value);
    const std::int64_t values = values_of_a_job + 2 * std::ssize(row.meta);
    if (!is_first && (bytes_ + bytes > Bounds::batch_bytes || values_ + values > most_values)) return false;
    bytes_ += bytes;
    values_ += values;
    return true;
  }

 private:
  static constexpr std::int64_t values_of_a_job = 30;  // keys and values of a leased job, and some to spare
  static constexpr std::int64_t most_values = Bounds::message_values * 3 / 4;

  std::int64_t bytes_ = 0;
  std::int64_t values_ = 0;
};

}  // namespace stint
