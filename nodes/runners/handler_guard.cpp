#include "nodes/runners/handler_guard.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stint {

namespace {

// The groups a guard can remember; more go unguarded. A worker has at most 10,000 permits.
constexpr std::size_t most_groups = 16'384;

// Of the parent nothing but the pipe is kept, so that whoever reads its output sees the end of it.
void let_go_of_the_parent(int words) {
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  prctl(PR_SET_NAME, "stint-guard");
  const int nothing = open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, standard);
  dup2(words, 3);
  close_range(4, ~0U, 0);
}

// Runs in a copy of a process that may have had other threads: nothing here may take memory or a lock.
[[noreturn]] void guard(int words) {
  let_go_of_the_parent(words);
  std::array<pid_t, most_groups> groups;
  std::size_t count = 0;
  pid_t word = 0;
  for (;;) {
    const ssize_t got = read(3, &word, sizeof word);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof word) break;
    if (word > 0 && count < groups.size()) groups[count++] = word;
    if (word < 0) {
      auto* const end = groups.data() + count;
      count = static_cast<std::size_t>(std::remove(groups.data(), end, -word) - groups.data());
    }
  }
  for (std::size_t at = 0; at < count; ++at) kill(-groups[at], SIGKILL);
  _exit(0);
}

}  // namespace

HandlerGuard::HandlerGuard() {
  auto pipe = make_pipe();
  if (!pipe) return;
  guard_ = fork();
  if (guard_ == 0) guard(pipe->read.get());
  if (guard_ < 0) return;
  words_ = std::move(pipe->write);
  set_nonblocking(words_);
}

HandlerGuard::~HandlerGuard() {
  words_.close();
  if (guard_ > 0) waitpid(guard_, nullptr, 0);
}

void HandlerGuard::tell(pid_t word) {
  if (!words_.is_open()) return;
  std::string_view bytes(reinterpret_cast<const char*>(&word), sizeof word);
  write_some(words_, bytes);
}

}  // namespace stint
