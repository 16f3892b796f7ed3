// RunnerBench: drives a runner as a node's loop does: waits on its descriptor, takes what it says.
#pragma once

#include <gtest/gtest.h>
#include <optional>
#include <poll.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nodes/runners/runner.hpp"

namespace stint {

inline StartRun job_for(const std::string& handler, std::string payload = "", JobId id = 1) {
  StartRun start;
  start.job.id = id;
  start.job.run = 1;
  start.job.attempt = 1;
  start.job.max_attempts = 25;
  start.job.queue = "default";
  start.job.handler = handler;
  start.job.payload = {std::move(payload), true};
  start.job.timeout_ms = 60'000;
  return start;
}

class RunnerBench {
 public:
  explicit RunnerBench(Runner& runner) : runner_(runner) {}

  // Until it has said one of these; long enough for any machine.
  template <class T>
  T expect() {
    for (int rounds = 0; rounds < 100'000; ++rounds) {
      if (auto message = take<T>()) return std::move(*message);
      pollfd ready{runner_.fd(), POLLIN, 0};
      if (poll(&ready, 1, 60'000) != 1) break;
      for (Message& message : runner_.take()) said_.push_back(std::move(message));
    }
    ADD_FAILURE() << "the runner has not said it";
    return {};
  }
  RunResult result() { return expect<RunEnded>().result; }

  template <class T>
  std::optional<T> take() {
    for (auto at = said_.begin(); at != said_.end(); ++at) {
      if (T* message = std::get_if<T>(&*at)) {
        T taken = std::move(*message);
        said_.erase(at);
        return taken;
      }
    }
    return std::nullopt;
  }
  bool is_readable() const {
    pollfd ready{runner_.fd(), POLLIN, 0};
    return poll(&ready, 1, 0) == 1;
  }

 private:
  Runner& runner_;
  std::vector<Message> said_;
};

}  // namespace stint
