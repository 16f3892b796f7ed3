// LoadDriver: puts load on a server by processes outside of it, one that enqueues and one that works, and
// says what came of it. Owned by a benchmark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nodes/bench/bench_fleet.hpp"
#include "nodes/bench/bench_watch.hpp"
#include "nodes/bench/driver_line.hpp"
#include "nodes/bench/quantiles.hpp"

namespace stint {

struct Load {
  std::int64_t batch = 100;       // jobs a request
  std::int64_t payload = 100;     // bytes a job
  std::int64_t outstanding = 64;  // enqueues on the way, and asks
  std::int64_t connections = 1;   // of workers
  // One of the two: so many jobs, rounded up to whole requests, or as many as can be in the time.
  std::int64_t jobs = 0;
  std::int64_t run_ms = 0;
  // How they are spread over time; both 0: as fast as they can be. See ProducerOptions.
  double jobs_per_s = 0;
  std::int64_t gap_us = 0;
  bool stamped = false;  // measure from sending to starting; the payload has at least 8 bytes
};

// From the first request's sending to the last acknowledgement of a finished run.
struct LoadRun {
  std::int64_t jobs = 0;
  double seconds = 0;
  double jobs_per_s = 0;
  bool is_whole = false;                 // what was enqueued ended, each job once, in its first run
  std::int64_t put_off = 0;              // requests that the server wanted later
  double server_us = 0;                  // of the server's processors a job; 0: not known
  std::vector<std::int64_t> samples_us;  // from sending to starting, where it is measured
};

class LoadDriver {
 public:
  LoadDriver(BenchFleet& fleet, BenchWatch& watch);

  // With a fleet of its own, what Load allows is within what this config allows.
  static const char* storage_config();

  Result<LoadRun, Failure> run(const Load& load);
  // Enqueues so many jobs that nobody works on, of the queue and handler `waiting()`.
  Result<Done, Failure> fill(std::int64_t jobs, std::int64_t payload);

  const std::string& queue() const { return queue_; }
  static std::string waiting() { return "bench-waiting"; }

  // Subscribers to everything; they take part until the next call. Waits until they are connected.
  Result<Done, Failure> subscribe(const std::string& events, int readers, int stalled);
  // How many items of events the readers have been told, each.
  Result<std::vector<std::int64_t>, Failure> told() const;

 private:
  Result<std::string, Failure> launch(const std::string& what, std::vector<std::string> arguments);
  Result<std::string, Failure> start_producer(const Load& load, const std::string& queue,
                                              const std::string& handler);
  Result<std::string, Failure> start_consumer(const Load& load, const std::string& samples);
  // The newest line of a driver, if it has written one; as an error what ended it.
  Result<std::optional<DriverLine>, Failure> line_of(const std::string& name) const;
  Result<DriverLine, Failure> wait_for_line(const std::string& name);
  // Until the producer has ended; then until the consumer has finished so many jobs. The step of the watch
  // goes on with the jobs of `load`, or with its time.
  Result<DriverLine, Failure> wait_for_producer(const std::string& name, const Load& load);
  Result<DriverLine, Failure> wait_for_jobs(const std::string& name, std::int64_t jobs);
  Result<LoadRun, Failure> judge(const DriverLine& produced, const DriverLine& consumed,
                                 const std::string& samples) const;

  BenchFleet& fleet_;
  BenchWatch& watch_;
  std::string queue_ = "bench";
  std::vector<std::string> readers_;
  int launched_ = 0;
};

}  // namespace stint
