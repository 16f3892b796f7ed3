// HandlerGuard: a small process that outlives a worker which is killed, and then kills the process groups of
// the handlers that the worker has left behind. Owned by the command runner.
#pragma once

#include <sys/types.h>

#include "nodes/runners/descriptors.hpp"

namespace stint {

class HandlerGuard {
 public:
  HandlerGuard();
  // The groups that are still watched are killed.
  ~HandlerGuard();
  HandlerGuard(const HandlerGuard&) = delete;
  HandlerGuard& operator=(const HandlerGuard&) = delete;

  void watch(pid_t group) { tell(group); }
  // To be called before the leader of the group is waited for: after that its number may be another's.
  void forget(pid_t group) { tell(-group); }

 private:
  void tell(pid_t word);

  Descriptor words_;  // closed by the kernel when this process ends, however it ends
  pid_t guard_ = -1;
};

}  // namespace stint
