// ThreadRunner: runs C++ functions as handlers, on a pool of threads. Owned by the worker's node.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nodes/runners/handler_function.hpp"
#include "nodes/runners/runner.hpp"

namespace stint {

class ThreadRunner final : public Runner {
 public:
  // When it goes, functions that still run are asked to stop and have so long; a thread that does not end is
  // left.
  static constexpr auto leave_bound = std::chrono::seconds(2);

  // As many runs at once as there are threads; as many again may wait for one.
  ThreadRunner(std::map<std::string, HandlerFunction> handlers, std::size_t threads);
  ~ThreadRunner() override;
  ThreadRunner(const ThreadRunner&) = delete;
  ThreadRunner& operator=(const ThreadRunner&) = delete;

  void start(StartRun&& start) override;
  // Sets what RunContext::stop_requested() says: a thread cannot be ended from outside.
  void stop(const JobRun& run) override;
  int fd() const override;
  std::vector<Message> take() override;

 private:
  class Pool;
  // Shared with its threads: one that does not end may outlive the runner.
  std::shared_ptr<Pool> pool_;
};

}  // namespace stint
