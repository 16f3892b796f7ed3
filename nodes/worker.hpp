// Worker: a program's own worker. It registers C++ functions as handlers and works until it is told to stop:
//
//   stint::Worker worker({.queues = {{"email", 10}}});
//   worker.handle("send_email", [](const stint::LeasedJob& job, stint::RunContext&) {
//     return stint::HandlerResult::completed("sent " + job.payload.bytes);
//   });
//   return worker.run();
//
// Weighted instead, 20 threads for all queues, and a limit of the handler that holds for every worker:
//
//   stint::Worker worker({.workers = 20,
//                         .shares = {{"email", {.min = 2, .weight = 3}}, {"default", {.weight = 1}}}});
//   worker.handle("send_email", send_email, {}, stint::at_most(60, 60'000));
//
// Link `stint_nodes`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nodes/config/config.hpp"
#include "nodes/runners/handler_function.hpp"
#include "protocol/limit.hpp"

namespace stint {

// At most so many runs of a handler in any window: those that are on and those that completed, or with
// `started` every start.
inline Limit at_most(std::int64_t max, std::int64_t window_ms, CountPolicy count = CountPolicy::completed) {
  Limit limit;
  limit.max = max;
  limit.window_ms = window_ms;
  limit.count = count;
  return limit;
}

struct WorkerSettings {
  std::vector<std::string> servers{};  // endpoints; empty: STINT_SERVER, else tcp://127.0.0.1:7611
  std::string name{};  // empty: host and pid; a named worker takes over from its earlier lives
  std::map<std::string, std::int64_t> queues{};  // permits a queue, each a thread; 10,000 in all
  // Weighted, without `queues`: so many threads for all queues together, 1 to 10,000. `min` of them are kept
  // for a queue; of the rest it has a share by its weight, 1 to 1000, which the others use while it cannot.
  std::optional<std::int64_t> workers{};
  std::map<std::string, QueueShare> shares{};
  std::int64_t grace_ms = 25'000;  // for running jobs, when it is told to stop
  bool stops_on_signals = true;    // SIGTERM and SIGINT; else on stop() alone
  std::string log_level = "info";  // debug, info, warning, error or off; to stderr

  // How long it works; none of these: until it is told to stop.
  bool once = false;   // at most one job, do not wait
  bool drain = false;  // until nothing is ready
  std::optional<std::int64_t> max_jobs{};
};

class Worker {
 public:
  explicit Worker(WorkerSettings settings);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The function is called on several threads at once, and may be called until run() has returned.
  // `timeout_ms`: at most this a run, whatever the job allows; the function is then asked to stop
  // (RunContext::stop_requested). `limit`: what this worker declares; it holds for every worker of the
  // handler, below what an operator or the server's config sets (rule L8). Not while run() runs.
  void handle(const std::string& handler, HandlerFunction function,
              std::optional<std::int64_t> timeout_ms = {}, std::optional<Limit> limit = {});

  // Returns what the program should exit with: 0, or as `stint work` does; then why is on stderr. With
  // `stops_on_signals`, call it before the program has other threads: it blocks both signals for those that
  // follow.
  int run();

  // From any thread: takes no more, finishes within the grace time, releases the rest; run() returns.
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace stint
