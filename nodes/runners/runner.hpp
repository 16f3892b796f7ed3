// Runner: runs handlers for the worker actor, outside the actors. The node's loop owns it, passes it StartRun
// and StopRun, watches fd() and takes what it has to say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/kernel/message.hpp"

namespace stint {

class Runner {
 public:
  // The longest time a handler may report, of a pause or until a retry: ten years, all that a server takes.
  static constexpr std::int64_t longest_report_ms = 10LL * 365 * 24 * 3'600'000;

  virtual ~Runner() = default;
  // Never blocks. A run that cannot be started ends as failed, through take().
  virtual void start(StartRun&& start) = 0;
  // Ends a run early; unknown runs are ignored.
  virtual void stop(const JobRun& run) = 0;
  // Readable (level-triggered) while take() has something.
  virtual int fd() const = 0;
  // RunEnded, exactly one for every start(), RunProgress, and a WorkerNotice of a report that is no good.
  virtual std::vector<Message> take() = 0;
};

// What people are told of a handler's report that is no good; the run goes on.
inline WorkerNotice bad_report(const JobRun& run, std::string_view fault) {
  return {WorkerNotice::Level::warning, "bad_report",
          "job " + std::to_string(run.id) + " run " + std::to_string(run.run) +
              " reported badly: " + std::string(fault)};
}

}  // namespace stint
