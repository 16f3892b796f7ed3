// CommandRun: one job as a process of its own: payload on its stdin, result on its stdout, the end of its
// stderr the error. JSON lines that it writes to the descriptor STINT_REPORT_FD tell its progress at once,
// and with its end when to retry and what to pause; of two lines about one thing the later counts. Owned by
// the command runner, which tells it when one of its descriptors is ready.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "actors/kernel/internal_messages.hpp"
#include "nodes/runners/child_process.hpp"
#include "nodes/runners/descriptors.hpp"
#include "protocol/messages/worker.hpp"
#include "protocol/time.hpp"

namespace stint {

class CommandRun {
 public:
  enum class Stream { input, output, error, report, end };
  static constexpr std::array streams{Stream::input, Stream::output, Stream::error, Stream::report,
                                      Stream::end};

  static constexpr std::size_t error_bytes = 15 << 10;  // of the end of stderr: fits an error whole
  static constexpr std::size_t line_bytes = 4 << 10;    // of a line of STINT_REPORT_FD

  // Errors: the command cannot be started.
  static Result<CommandRun> start(LeasedJob&& job, const std::vector<std::string>& command,
                                  WallMs deadline_ms, std::int64_t result_bytes);

  JobRun key() const { return key_; }
  const Descriptor& descriptor(Stream stream) const;
  pid_t group() const { return child_.group(); }
  void signal_group(int signal) const { child_.signal_group(signal); }

  // Reads or writes what it can without blocking, a bounded piece of it. Not for `end`.
  void attend(Stream stream);
  // The process has ended: takes what it has left in its pipes. What it has started is killed.
  RunResult finish();

  // Since the last call.
  std::optional<std::int64_t> take_progress() { return std::exchange(progress_, std::nullopt); }
  // What was wrong with what it reported; empty: nothing.
  std::string take_fault() { return std::exchange(fault_, {}); }

  std::optional<Instant> kill_at;  // it was told to stop

 private:
  CommandRun(LeasedJob&& job, ChildProcess child, std::int64_t result_bytes);

  void write_input();
  void read_output(std::size_t most);
  void read_error(std::size_t most);
  void read_report(std::size_t most);
  void hear(std::string_view line);
  void complain(std::string_view text);
  RunResult judge(const ChildExit& exit);

  JobRun key_;
  ChildProcess child_;
  Descriptor input_;
  Descriptor output_;
  Descriptor error_;
  Descriptor report_;

  std::size_t result_bytes_;
  std::string payload_;
  std::size_t written_ = 0;
  std::string result_;
  bool is_too_long_ = false;
  std::string error_tail_;
  std::string line_;
  bool skips_line_ = false;  // the line is too long, the rest of it is not kept
  std::optional<std::int64_t> progress_;
  std::optional<std::int64_t> retry_in_ms_;
  std::optional<PauseReport> pause_;
  std::string fault_;
  bool has_complained_ = false;
};

}  // namespace stint
