// Console: where a command writes. Data goes to `out`, everything else to `err`.
#pragma once

#include <cstdio>
#include <string_view>

#include "nodes/cli/exit_status.hpp"

namespace stint {

struct Console {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;  // of `out`
  int width = 0;        // of `out` in columns; 0: no bound

  // The streams of this process. Colours only on a terminal, and never with NO_COLOR set or TERM=dumb.
  static Console of_process();

  void print(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), out); }
  // `stint: message` and the hint below it, on `err`.
  void complain(const Failure& failure) const;
  void note(std::string_view line) const;
  // Flushes; what was printed and did not arrive is an IO failure.
  ExitStatus finish(ExitStatus status) const;
};

// ANSI sequences, empty where the console has no colours.
enum class Style { plain, bold, faint, red, green, yellow, cyan };
std::string_view style_begin(Style style, bool colour);
std::string_view style_end(Style style, bool colour);

}  // namespace stint
