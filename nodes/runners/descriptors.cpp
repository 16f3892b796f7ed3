#include "nodes/runners/descriptors.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace stint {

namespace {

// Above those a child is given by number (0 to 3), so that handing over one does not close another.
constexpr int lowest_own = 10;

// While it lives, SIGPIPE stays away from this thread; one that a write has raised goes with it.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    if (sigismember(&before_, SIGPIPE) == 1) return;
    const timespec at_once{};
    while (sigtimedwait(&pipe_, nullptr, &at_once) == -1 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

bool lift(Descriptor& end) {
  if (end.get() >= lowest_own) return true;
  Descriptor lifted(fcntl(end.get(), F_DUPFD_CLOEXEC, lowest_own));
  if (!lifted.is_open()) return false;
  end = std::move(lifted);
  return true;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

void Descriptor::close() {
  if (is_open()) ::close(std::exchange(fd_, -1));
}

Error system_error(std::string_view what) {
  Error error;
  error.message = std::string(what) + ": " + std::generic_category().message(errno);
  return error;
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("cannot make a pipe");
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  if (!lift(pipe.read) || !lift(pipe.write)) return system_error("cannot make a pipe");
  return pipe;
}

void set_nonblocking(const Descriptor& descriptor) {
  fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

IoProgress read_some(const Descriptor& from, std::string& into, std::size_t most) {
  std::array<char, 16 * 1024> block;
  for (std::size_t taken = 0; taken < most;) {
    const ssize_t count = read(from.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return IoProgress::none_now;
    if (count <= 0) return IoProgress::over;
    into.append(block.data(), static_cast<std::size_t>(count));
    taken += static_cast<std::size_t>(count);
  }
  return IoProgress::some;
}

IoProgress write_some(const Descriptor& to, std::string_view& bytes) {
  const WithoutPipeSignal without_signal;
  while (!bytes.empty()) {
    const ssize_t count = write(to.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return IoProgress::none_now;
    if (count < 0) return IoProgress::over;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return IoProgress::some;
}

}  // namespace stint
