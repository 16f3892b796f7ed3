// StopSource: how a node is asked to end. A program is by SIGTERM and SIGINT; a node inside another program
// by a call.
#pragma once

#include <functional>

namespace stint {

class StopSource {
 public:
  virtual ~StopSource() = default;
  // Readable (level-triggered) while take() has something.
  virtual int fd() const = 0;
  // How often the node was asked since the last call.
  virtual int take() = 0;
};

// Blocks its signals for this thread and those it starts from now on: make it before any other thread.
class SignalStop final : public StopSource {
 public:
  // With `on_hang_up`, SIGHUP ends nothing: take() calls it instead.
  explicit SignalStop(std::function<void()> on_hang_up = nullptr);
  ~SignalStop() override;
  SignalStop(const SignalStop&) = delete;
  SignalStop& operator=(const SignalStop&) = delete;
  int fd() const override { return fd_; }
  int take() override;

 private:
  std::function<void()> on_hang_up_;
  int fd_;
};

class CallStop final : public StopSource {
 public:
  CallStop();
  ~CallStop() override;
  CallStop(const CallStop&) = delete;
  CallStop& operator=(const CallStop&) = delete;
  // From any thread.
  void stop();
  int fd() const override { return fd_; }
  int take() override;

 private:
  int fd_;
};

}  // namespace stint
