#include "nodes/cli/progress.hpp"

#include <algorithm>

#include "nodes/cli/time_text.hpp"

namespace stint {

namespace {

constexpr std::int64_t bar_width = 24;
constexpr auto show_every = std::chrono::milliseconds(100);
constexpr std::string_view begin_of_line = "\r\x1b[K";

}  // namespace

Progress::Progress(const Console& console, std::string what, std::int64_t total)
    : console_(console), what_(std::move(what)), total_(total) {}

Progress::~Progress() {
  if (is_shown_) std::fwrite(begin_of_line.data(), 1, begin_of_line.size(), console_.err);
}

void Progress::advance_to(std::int64_t done) {
  const auto now = Clock::now();
  if (!console_.err_is_terminal || now - shown_ < show_every) return;
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - begin_);
  const std::string text = std::string(begin_of_line) + progress_line(what_, done, total_, elapsed.count());
  std::fwrite(text.data(), 1, text.size(), console_.err);
  std::fflush(console_.err);
  shown_ = now;
  is_shown_ = true;
}

std::string progress_line(const std::string& what, std::int64_t done, std::int64_t total,
                          std::int64_t elapsed_ms) {
  const std::int64_t whole = std::max<std::int64_t>(total, 1);
  const auto filled = static_cast<std::size_t>(bar_width * done / whole);
  std::string line = what + " [" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "] ";
  const std::string percent = std::to_string(100 * done / whole);
  line += std::string(3 - std::min<std::size_t>(3, percent.size()), ' ') + percent + "%  " +
          count_text(done) + "/" + count_text(total);
  if (elapsed_ms > 0 && done > 0) {
    line += "  " + count_text(done * 1'000 / elapsed_ms) + "/s  ";
    line += span_text((total - done) * elapsed_ms / done / 1'000 * 1'000 + 1'000) + " left";
  }
  return line;
}

}  // namespace stint
