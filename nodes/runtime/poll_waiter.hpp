// PollWaiter: waits in zmq_poll on a node's sockets, its runner, a stop source, and a timer of the kernel,
// which wakes to the microsecond where the poll's own timeout knows only milliseconds. All are
// level-triggered.
#pragma once

#include <functional>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "nodes/runtime/clock.hpp"
#include "nodes/runtime/ports.hpp"
#include "nodes/runtime/stop_source.hpp"

namespace stint {

class PollWaiter final : public Waiter {
 public:
  PollWaiter(NodeClock& clock, StopSource& stop);
  ~PollWaiter() override;
  PollWaiter(const PollWaiter&) = delete;
  PollWaiter& operator=(const PollWaiter&) = delete;

  // What to wake for. A socket is asked for before each wait: a link that goes to another server changes its
  // own.
  void watch(std::function<zmq::socket_ref()> socket);
  void watch(int fd);

  int wait(std::optional<Instant> until) override;

 private:
  void set_timer(std::optional<Instant> until);

  NodeClock& clock_;
  StopSource& stop_;
  int timer_;
  std::optional<Instant> timer_set_to_;
  std::vector<std::function<zmq::socket_ref()>> sockets_;
  std::vector<int> fds_;
  std::vector<zmq_pollitem_t> items_;
};

}  // namespace stint
