#include "nodes/cli/console.hpp"

#include <cstdlib>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nodes/cli/printable.hpp"

namespace stint {

namespace {

int terminal_width(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

bool wants_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* const terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

}  // namespace

Console Console::of_process() {
  Console console;
  console.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  console.err_is_terminal = isatty(STDERR_FILENO) == 1;
  console.colour = console.out_is_terminal && wants_colour();
  console.width = console.out_is_terminal ? terminal_width(STDOUT_FILENO) : 0;
  return console;
}

void Console::complain(const Failure& failure) const {
  std::fflush(out);
  std::string text = "stint: " + printable_lines(failure.message) + "\n";
  if (!failure.hint.empty()) text += printable_lines(failure.hint) + "\n";
  std::fwrite(text.data(), 1, text.size(), err);
}

void Console::note(std::string_view line) const {
  std::fflush(out);
  const std::string text = printable_lines(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), err);
}

ExitStatus Console::finish(ExitStatus status) const {
  if (std::fflush(out) == 0 && std::ferror(out) == 0) return status;
  complain({.status = ExitStatus::io, .message = "cannot write the output"});
  return status == ExitStatus::done ? ExitStatus::io : status;
}

std::string_view style_begin(Style style, bool colour) {
  if (!colour) return "";
  switch (style) {
    case Style::plain:
      return "";
    case Style::bold:
      return "\x1b[1m";
    case Style::faint:
      return "\x1b[2m";
    case Style::red:
      return "\x1b[31m";
    case Style::green:
      return "\x1b[32m";
    case Style::yellow:
      return "\x1b[33m";
    case Style::cyan:
      return "\x1b[36m";
  }
  return "";
}

std::string_view style_end(Style style, bool colour) {
  return colour && style != Style::plain ? "\x1b[0m" : "";
}

}  // namespace stint
