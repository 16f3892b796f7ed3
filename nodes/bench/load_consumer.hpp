// The load driver that works: a process of its own, `stint bench consume`, started by a benchmark. It speaks
// the protocol itself, without a worker's threads: its handler is empty. It works until SIGTERM and prints
// lines as the producer does, the first when the server knows all its sessions.
#pragma once

#include <cstdint>
#include <string>

namespace stint {

struct ConsumerOptions {
  std::string server;
  std::string queue;
  std::string handler;
  std::int64_t batch = 1;        // jobs an ask
  std::int64_t outstanding = 1;  // asks that wait for their answers, over all connections
  std::int64_t connections = 1;  // each with a session of its own, and 1 to 64 asks
  // A file for what the stamps of payloads say: microseconds from sending to starting, eight bytes each;
  // empty: none.
  std::string samples;
  std::int64_t parent = 0;  // the process that it ends with; 0: none
};

// The exit status.
int run_bench_consumer(const ConsumerOptions& options);

}  // namespace stint
