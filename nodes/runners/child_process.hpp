// ChildProcess: a command that was started as the leader of a process group of its own. Owned by its run.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "nodes/runners/descriptors.hpp"
#include "protocol/result.hpp"

namespace stint {

// The child's ends; it has them as 0, 1, 2 and 3, and no other descriptor.
struct ChildFiles {
  int input = -1;
  int output = -1;
  int error = -1;
  int report = -1;
};
inline constexpr int child_report_fd = 3;

struct ChildExit {
  bool by_signal = false;
  int number = 0;  // exit status or signal
};

class ChildProcess {
 public:
  // `command[0]` is looked up in PATH. The child has no blocked and no handled signals. Errors: internal,
  // with the reason, if the command cannot be started.
  static Result<ChildProcess> start(const std::vector<std::string>& command,
                                    const std::vector<std::string>& environment, const ChildFiles& files);

  pid_t group() const { return pid_; }
  // Readable once it has ended.
  const Descriptor& ended() const { return ended_; }

  // The whole group: the command and what it has started.
  void signal_group(int signal) const;
  // Blocks until it has ended; call once.
  ChildExit wait();

 private:
  ChildProcess(pid_t pid, Descriptor ended) : pid_(pid), ended_(std::move(ended)) {}

  pid_t pid_;
  Descriptor ended_;
};

}  // namespace stint
