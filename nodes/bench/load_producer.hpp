// The load driver that enqueues: a process of its own, `stint bench produce`, started by a benchmark. Every
// tenth of a second it prints a line of JSON about how far it is, the last one with `ended`.
#pragma once

#include <cstdint>
#include <string>

namespace stint {

struct ProducerOptions {
  std::string server;
  std::string queue;
  std::string handler;
  std::int64_t batch = 1;        // jobs a request
  std::int64_t payload = 0;      // bytes a job
  std::int64_t outstanding = 1;  // requests that wait for their answers
  // It ends with the first that is reached: so many jobs, whole requests, or so long; 0: no bound.
  std::int64_t jobs = 0;
  std::int64_t run_ms = 0;
  // Above 0: so many jobs a second at random moments, whatever is outstanding.
  double jobs_per_s = 0;
  // Above 0: between an answer and the next request, half as long to one and a half times.
  std::int64_t gap_us = 0;
  // A payload begins with the moment it was sent (bench_now_us(), eight bytes as this machine has them).
  bool stamped = false;
  std::int64_t parent = 0;  // the process that it ends with; 0: none
};

// The exit status.
int run_bench_producer(const ProducerOptions& options);

}  // namespace stint
