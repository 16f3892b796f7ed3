#include "nodes/runtime/stop_source.hpp"

#include <cassert>
#include <csignal>
#include <cstdint>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

namespace stint {

SignalStop::SignalStop(std::function<void()> on_hang_up) : on_hang_up_(std::move(on_hang_up)) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  if (on_hang_up_) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  fd_ = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  assert(fd_ >= 0);
}

SignalStop::~SignalStop() { close(fd_); }

int SignalStop::take() {
  int times = 0;
  for (signalfd_siginfo signal{}; read(fd_, &signal, sizeof signal) == sizeof signal;) {
    if (signal.ssi_signo == SIGHUP) {
      on_hang_up_();
    } else {
      ++times;
    }
  }
  return times;
}

CallStop::CallStop() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) { assert(fd_ >= 0); }

CallStop::~CallStop() { close(fd_); }

void CallStop::stop() {
  const std::uint64_t once = 1;
  const auto written = write(fd_, &once, sizeof once);
  assert(written == sizeof once);
  static_cast<void>(written);
}

int CallStop::take() {
  std::uint64_t times = 0;
  if (read(fd_, &times, sizeof times) != sizeof times) return 0;
  return static_cast<int>(times);
}

}  // namespace stint
