#include "nodes/runners/command_run.hpp"

#include <cassert>
#include <csignal>
#include <cstring>
#include <utility>

#include "actors/worker/results.hpp"
#include "nodes/runners/handler_environment.hpp"
#include "nodes/runners/handler_json.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

constexpr std::size_t piece_bytes = 64 << 10;  // read at once while it runs
// Read after its end: no pipe holds more. Who has left the group and writes on is not waited for.
constexpr std::size_t rest_bytes = 1 << 20;

// What a command says with its exit status; all other but 0 are failures.
constexpr int exit_dead = 65;
constexpr int exit_snoozed = 75;

std::string describe(const ChildExit& exit) {
  if (!exit.by_signal) return "exit status " + std::to_string(exit.number);
  return "signal " + std::to_string(exit.number) + " (" + strsignal(exit.number) + ")";
}

// The end of stderr: whole lines if there are any, without the last newline.
std::string end_of(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    text.remove_prefix(text.size() - most);
    if (const auto line = text.find('\n'); line + 1 < text.size() && line != text.npos)
      text.remove_prefix(line + 1);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return to_utf8(text);
}

}  // namespace

Result<CommandRun> CommandRun::start(LeasedJob&& job, const std::vector<std::string>& command,
                                     WallMs deadline_ms, std::int64_t result_bytes) {
  auto input = make_pipe();
  if (!input) return input.error();
  auto output = make_pipe();
  if (!output) return output.error();
  auto error = make_pipe();
  if (!error) return error.error();
  auto report = make_pipe();
  if (!report) return report.error();

  const ChildFiles files{input->read.get(), output->write.get(), error->write.get(), report->write.get()};
  auto child = ChildProcess::start(command, handler_environment(job, deadline_ms), files);
  if (!child) return child.error();

  CommandRun run(std::move(job), std::move(*child), result_bytes);
  run.input_ = std::move(input->write);
  run.output_ = std::move(output->read);
  run.error_ = std::move(error->read);
  run.report_ = std::move(report->read);
  for (const Stream stream : {Stream::input, Stream::output, Stream::error, Stream::report}) {
    set_nonblocking(run.descriptor(stream));
  }
  run.write_input();
  return run;
}

CommandRun::CommandRun(LeasedJob&& job, ChildProcess child, std::int64_t result_bytes)
    : key_{job.id, job.run},
      child_(std::move(child)),
      result_bytes_(static_cast<std::size_t>(result_bytes)),
      payload_(std::move(job.payload.bytes)) {}

const Descriptor& CommandRun::descriptor(Stream stream) const {
  switch (stream) {
    case Stream::input:
      return input_;
    case Stream::output:
      return output_;
    case Stream::error:
      return error_;
    case Stream::report:
      return report_;
    case Stream::end:
      break;
  }
  return child_.ended();
}

void CommandRun::attend(Stream stream) {
  // Closed by what came before in the same round.
  if (!descriptor(stream).is_open()) return;
  switch (stream) {
    case Stream::input:
      return write_input();
    case Stream::output:
      return read_output(piece_bytes);
    case Stream::error:
      return read_error(piece_bytes);
    case Stream::report:
      return read_report(piece_bytes);
    case Stream::end:
      assert(!"finish() ends a run");
  }
}

void CommandRun::write_input() {
  std::string_view rest = std::string_view(payload_).substr(written_);
  const IoProgress progress = write_some(input_, rest);
  written_ = payload_.size() - rest.size();
  if (progress == IoProgress::none_now) return;
  // All is written, or the command does not want to read it, which is its own affair.
  input_.close();
  payload_ = {};
  written_ = 0;
}

void CommandRun::read_output(std::size_t most) {
  const IoProgress progress = read_some(output_, result_, most);
  if (result_.size() > result_bytes_) {
    is_too_long_ = true;
    result_ = {};
    output_.close();
    signal_group(SIGKILL);
  } else if (progress == IoProgress::over) {
    output_.close();
  }
}

void CommandRun::read_error(std::size_t most) {
  if (read_some(error_, error_tail_, most) == IoProgress::over) error_.close();
  // Cut seldom: moving the rest costs as much as it is long.
  if (error_tail_.size() > 8 * error_bytes) error_tail_.erase(0, error_tail_.size() - 2 * error_bytes);
}

void CommandRun::read_report(std::size_t most) {
  if (read_some(report_, line_, most) == IoProgress::over) {
    report_.close();
    line_ += '\n';
  }
  std::size_t begin = 0;
  for (std::size_t end; (end = line_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(line_).substr(begin, end - begin);
    if (!std::exchange(skips_line_, false) && !line.empty()) hear(line);
  }
  line_.erase(0, begin);
  if (line_.size() <= line_bytes) return;
  complain("a line is longer than " + std::to_string(line_bytes) + " bytes");
  line_.clear();
  skips_line_ = true;
}

void CommandRun::hear(std::string_view line) {
  const auto report = parse_report_line(line);
  if (!report) return complain(report.error().message);
  if (report->progress) progress_ = report->progress;
  if (report->retry_in_ms) retry_in_ms_ = report->retry_in_ms;
  if (report->pause) pause_ = report->pause;
}

// Once a run: a handler with a fault must not fill the log.
void CommandRun::complain(std::string_view text) {
  if (std::exchange(has_complained_, true)) return;
  fault_ = text;
}

RunResult CommandRun::finish() {
  signal_group(SIGKILL);
  if (output_.is_open()) read_output(std::max(rest_bytes, result_bytes_ + 1));
  if (error_.is_open()) read_error(rest_bytes);
  if (report_.is_open()) read_report(rest_bytes);
  if (!line_.empty() && !skips_line_) hear(std::exchange(line_, {}));
  RunResult result = judge(child_.wait());
  result.pause = pause_;
  return result;
}

RunResult CommandRun::judge(const ChildExit& exit) {
  if (is_too_long_) {
    return failed(key_, "result_too_large",
                  "the command wrote more than the " + std::to_string(result_bytes_) + " bytes of a result");
  }
  if (!exit.by_signal && exit.number == 0) {
    RunResult result = result_of(key_, Outcome::completed);
    const bool is_text = is_utf8(result_);
    result.result = Payload{std::move(result_), is_text};
    return result;
  }
  std::string message = end_of(error_tail_, error_bytes);
  RunResult result = failed(key_, describe(exit), message.empty() ? describe(exit) : std::move(message));
  result.retry_in_ms = retry_in_ms_;
  if (!exit.by_signal && exit.number == exit_dead) result.outcome = Outcome::dead;
  if (!exit.by_signal && exit.number == exit_snoozed) {
    result.outcome = Outcome::snoozed;
    result.error.reset();
  }
  return result;
}

}  // namespace stint
