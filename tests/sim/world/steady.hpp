// Steady: a scene where nothing goes wrong: workers with permits to spare and a backlog of short jobs for one
// limited queue and handler. What starts then is up to the limits alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/world/scene.hpp"

namespace stint::sim {

Limit rate_limit(double per_second, std::int64_t burst);
Limit window_limit(std::int64_t max, std::int64_t window_ms, CountPolicy count);

class Steady {
 public:
  // Each has a queue and a handler of its own. Nothing of it starts before limit() was called.
  Steady(Scene& scene, int jobs, int workers = 3);

  const std::string& queue() const { return queue_; }
  const std::string& handler() const { return handler_; }
  // More jobs.
  void enqueue(int jobs);
  // Sets it, and lets the jobs start.
  void limit(const LimitName& name, const Limit& limit);
  std::int64_t starts() const { return scene_.checker.limits.starts_of({LimitScope::queue, queue_}); }
  double starts_in(Duration span);
  std::vector<std::int64_t> starts_of_workers() const;
  // Kills its workers: whatever waits goes on waiting.
  void end();

 private:
  void ask(const Request& request);

  Scene& scene_;
  Producer* producer_ = nullptr;
  std::string queue_;
  std::string handler_;
  std::unique_ptr<Client> operator_;
  std::vector<Worker*> workers_;
};

}  // namespace stint::sim
