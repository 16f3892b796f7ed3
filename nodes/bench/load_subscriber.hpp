// A subscriber of a benchmark: a process of its own, `stint bench subscribe`. It takes and decodes every
// event until SIGTERM, or subscribes to all and reads none.
#pragma once

#include <cstdint>
#include <string>

namespace stint {

struct SubscriberOptions {
  std::string events;       // the endpoint of the event stream
  bool stalled = false;     // reads nothing
  std::int64_t parent = 0;  // the process that it ends with; 0: none
};

// The exit status.
int run_bench_subscriber(const SubscriberOptions& options);

}  // namespace stint
