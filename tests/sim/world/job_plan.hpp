// JobPlan: what a simulated job does when it runs. It travels as the job's payload, with a token that tells
// every job that was ever sent from every other.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/values.hpp"

namespace stint::sim {

enum class Deed {
  complete,
  fail,     // its first `times` attempts, then it completes
  give_up,  // dead at once: do not retry
  snooze,   // its first `times` runs, then it completes
  release,  // its first `times` runs, then it completes
  kill,     // its worker, each time
  hang,     // until its timeout
};

struct JobPlan {
  std::string token;
  Deed deed = Deed::complete;
  std::int64_t times = 0;
  std::int64_t took_ms = 10;
  // Its first run reports that nothing more of its handler, or its queue, may start for so long; 0: not.
  std::int64_t pause_ms = 0;
  bool pauses_queue = false;
};

Payload to_payload(const JobPlan& plan);
JobPlan from_payload(const Payload& payload);

}  // namespace stint::sim
