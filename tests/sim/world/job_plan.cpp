#include "tests/sim/world/job_plan.hpp"

#include <sstream>

namespace stint::sim {

Payload to_payload(const JobPlan& plan) {
  std::ostringstream text;
  text << plan.token << ' ' << static_cast<int>(plan.deed) << ' ' << plan.times << ' ' << plan.took_ms << ' '
       << plan.pause_ms << ' ' << plan.pauses_queue;
  return Payload{text.str(), true};
}

JobPlan from_payload(const Payload& payload) {
  std::istringstream text(payload.bytes);
  JobPlan plan;
  int deed = 0;
  text >> plan.token >> deed >> plan.times >> plan.took_ms >> plan.pause_ms >> plan.pauses_queue;
  plan.deed = static_cast<Deed>(deed);
  return plan;
}

}  // namespace stint::sim
