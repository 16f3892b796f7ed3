// CommandRunner: runs command handlers, one process a job. Owned by the worker's node, used by its loop's
// thread alone.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "nodes/config/config.hpp"
#include "nodes/runners/command_run.hpp"
#include "nodes/runners/descriptors.hpp"
#include "nodes/runners/handler_guard.hpp"
#include "nodes/runners/runner.hpp"
#include "protocol/bounds.hpp"

namespace stint {

struct CommandRunnerOptions {
  std::map<std::string, CommandHandler> handlers;
  std::int64_t result_bytes = Bounds{}.result_bytes;
  // From SIGTERM to SIGKILL for a run that is stopped.
  Duration kill_after = std::chrono::seconds(5);
};

class CommandRunner final : public Runner {
 public:
  // Processes started in one take(): starting one takes about a millisecond, and the loop has other things to
  // do.
  static constexpr std::size_t starts_at_once = 8;

  explicit CommandRunner(CommandRunnerOptions options);
  // Kills what still runs.
  ~CommandRunner() override;
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  void start(StartRun&& start) override;
  void stop(const JobRun& run) override;
  int fd() const override { return ready_.get(); }
  std::vector<Message> take() override;

 private:
  using Slot = std::uint64_t;  // of a run; never used again
  struct Waiting {
    LeasedJob job;
    WallMs deadline_ms = 0;
  };

  void start_waiting();
  void start_one(Waiting&& waiting);
  void attend_ready();
  void attend(Slot slot, CommandRun::Stream stream);
  void end(Slot slot);
  void kill_overdue();
  void set_timer();
  void watch(const Descriptor& descriptor, std::uint32_t events, std::uint64_t data);
  void say(Message message);
  // Keeps fd() readable while there is something to start or to say.
  void set_flag(bool up);

  CommandRunnerOptions options_;
  Descriptor ready_;  // an epoll over all that follows
  Descriptor flag_;
  Descriptor timer_;
  HandlerGuard guard_;
  std::deque<Waiting> waiting_;
  std::map<Slot, CommandRun> runs_;
  std::map<JobRun, Slot> slots_;
  Slot last_slot_ = 0;
  std::vector<Message> said_;
  bool flag_is_up_ = false;
};

}  // namespace stint
