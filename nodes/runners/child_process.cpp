#include "nodes/runners/child_process.hpp"

#include <cassert>
#include <cerrno>
#include <csignal>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stint {

namespace {

class FileActions {
 public:
  explicit FileActions(const ChildFiles& files) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, files.input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, files.output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, files.error, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, files.report, child_report_fd);
    posix_spawn_file_actions_addclosefrom_np(&actions_, child_report_fd + 1);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// A node blocks signals to read them; a child would inherit that and be deaf to SIGTERM.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  // exec's interface is older than const; it does not write to them.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command,
                                         const std::vector<std::string>& environment,
                                         const ChildFiles& files) {
  assert(!command.empty());
  const FileActions actions(files);
  const Attributes attributes;
  pid_t pid = 0;
  errno = posix_spawnp(&pid, command[0].c_str(), actions.get(), attributes.get(), pointers_to(command).data(),
                       pointers_to(environment).data());
  if (errno != 0) return system_error("cannot start " + command[0]);

  Descriptor ended(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  ChildProcess child(pid, std::move(ended));
  if (!child.ended_.is_open()) {
    const Error error = system_error("cannot watch " + command[0]);
    child.signal_group(SIGKILL);
    child.wait();
    return error;
  }
  return child;
}

void ChildProcess::signal_group(int signal) const { kill(-pid_, signal); }

ChildExit ChildProcess::wait() {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) continue;
  return {.by_signal = info.si_code != CLD_EXITED, .number = info.si_status};
}

}  // namespace stint
