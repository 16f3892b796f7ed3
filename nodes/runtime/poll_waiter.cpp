#include "nodes/runtime/poll_waiter.hpp"

#include <algorithm>
#include <cassert>
#include <ctime>
#include <sys/timerfd.h>
#include <unistd.h>

namespace stint {
namespace {

timespec to_timespec(Duration since_boot) {
  // A zero would disarm the timer.
  const auto at = std::max(since_boot, Duration(1));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  return {.tv_sec = seconds.count(), .tv_nsec = std::chrono::nanoseconds(at - seconds).count()};
}

}  // namespace

PollWaiter::PollWaiter(NodeClock& clock, StopSource& stop)
    : clock_(clock), stop_(stop), timer_(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)) {
  assert(timer_ >= 0);
  watch(stop_.fd());
  watch(timer_);
}

PollWaiter::~PollWaiter() { close(timer_); }

void PollWaiter::watch(std::function<zmq::socket_ref()> socket) { sockets_.push_back(std::move(socket)); }

void PollWaiter::watch(int fd) { fds_.push_back(fd); }

int PollWaiter::wait(std::optional<Instant> until) {
  const bool is_due = until && *until <= clock_.now();
  if (!is_due) set_timer(until);
  items_.clear();
  for (const int fd : fds_) items_.push_back({nullptr, fd, ZMQ_POLLIN, 0});
  for (const auto& socket : sockets_) items_.push_back({socket().handle(), 0, ZMQ_POLLIN, 0});
  // An interrupted wait is a wait that is over: the loop comes back.
  zmq_poll(items_.data(), static_cast<int>(items_.size()), is_due ? 0 : -1);
  return items_.front().revents != 0 ? stop_.take() : 0;
}

// A timer that has fired stays readable until it is set again, and that is so before each wait that needs
// one.
void PollWaiter::set_timer(std::optional<Instant> until) {
  if (until == timer_set_to_ && until && *until > clock_.now()) return;
  itimerspec setting{};
  if (until) setting.it_value = to_timespec(clock_.since_boot(*until));
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &setting, nullptr);
  timer_set_to_ = until;
}

}  // namespace stint
