// Runner: runs handlers for the worker actor, outside the actors. The node's loop owns it, passes it StartRun
// and StopRun, watches fd() and takes what it has to say.
#pragma once

#include <vector>

#include "actors/kernel/message.hpp"

namespace stint {

class Runner {
 public:
  virtual ~Runner() = default;
  // Never blocks. A run that cannot be started ends as failed, through take().
  virtual void start(StartRun&& start) = 0;
  // Ends a run early; unknown runs are ignored.
  virtual void stop(const JobRun& run) = 0;
  // Readable (level-triggered) while take() has something.
  virtual int fd() const = 0;
  // RunEnded, exactly one for every start(), and RunProgress.
  virtual std::vector<Message> take() = 0;
};

}  // namespace stint
