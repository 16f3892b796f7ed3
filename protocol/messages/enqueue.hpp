// Sending jobs: the request `enqueue` and its answer. All or nothing.
#pragma once

#include <string>
#include <vector>

#include "protocol/limit.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

struct NewJob {
  std::string handler;
  std::string queue = "default";
  Payload payload;
  int priority = 5;                      // 0 (first) to 9
  std::optional<std::int64_t> delay_ms;  // at most one of these two
  std::optional<WallMs> run_at_ms;
  std::optional<std::int64_t> max_attempts;
  std::optional<Backoff> backoff;
  std::optional<std::int64_t> timeout_ms;
  Meta meta;
  std::optional<Limit> limit;  // of its handler, not of the job alone
};

struct Enqueue {
  std::vector<NewJob> jobs;
  std::string batch_key;  // empty: none
};

struct Enqueued {
  std::vector<JobId> ids;                // one a job, in order
  std::vector<std::int64_t> duplicates;  // positions of jobs that existed already
};

}  // namespace stint
