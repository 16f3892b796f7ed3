// File descriptors as the runners use them: owned, close-on-exec, never blocking.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/result.hpp"

namespace stint {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

// Both ends are close-on-exec and above the descriptors that a child process is given by number.
struct Pipe {
  Descriptor read;
  Descriptor write;
};
Result<Pipe> make_pipe();

void set_nonblocking(const Descriptor& descriptor);

enum class IoProgress { some, none_now, over };

// Appends what is there, at most about `most` bytes; over: the other side has closed it.
IoProgress read_some(const Descriptor& from, std::string& into, std::size_t most);

// Writes from `bytes` on and takes off what was written; over: nobody reads any more. Raises no SIGPIPE.
IoProgress write_some(const Descriptor& to, std::string_view& bytes);

// An error that says what could not be done and why, from errno.
Error system_error(std::string_view what);

}  // namespace stint
