// StopSource: how a node is asked to end. A program is by SIGTERM and SIGINT; a node inside another program
// by a call.
#pragma once

namespace stint {

class StopSource {
 public:
  virtual ~StopSource() = default;
  // Readable (level-triggered) while take() has something.
  virtual int fd() const = 0;
  // How often the node was asked since the last call.
  virtual int take() = 0;
};

// Blocks both signals for this thread and those it starts from now on: make it before any other thread.
class SignalStop final : public StopSource {
 public:
  SignalStop();
  ~SignalStop() override;
  SignalStop(const SignalStop&) = delete;
  SignalStop& operator=(const SignalStop&) = delete;
  int fd() const override { return fd_; }
  int take() override;

 private:
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
