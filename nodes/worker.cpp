#include "nodes/worker.hpp"

#include <cassert>
#include <cstdlib>
#include <optional>
#include <sys/epoll.h>
#include <utility>

#include "nodes/config/config.hpp"
#include "nodes/config/endpoint.hpp"
#include "nodes/runners/descriptors.hpp"
#include "nodes/runners/thread_runner.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/run_node.hpp"
#include "nodes/runtime/stop_source.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

constexpr std::int64_t most_permits = 10'000;
constexpr std::int64_t most_weight = 1'000;

// Two stop sources as one.
class EitherStop final : public StopSource {
 public:
  EitherStop(StopSource& one, StopSource& other)
      : one_(one), other_(other), ready_(epoll_create1(EPOLL_CLOEXEC)) {
    watch(one_);
    watch(other_);
  }
  int fd() const override { return ready_.get(); }
  int take() override { return one_.take() + other_.take(); }

 private:
  void watch(const StopSource& source) {
    epoll_event event{};
    event.events = EPOLLIN;
    const int added = epoll_ctl(ready_.get(), EPOLL_CTL_ADD, source.fd(), &event);
    assert(added == 0);
    static_cast<void>(added);
  }

  StopSource& one_;
  StopSource& other_;
  Descriptor ready_;
};

std::string default_server() {
  const char* const server = std::getenv("STINT_SERVER");
  return server != nullptr && *server != '\0' ? server : "tcp://127.0.0.1:7611";
}

NodeConfig node_config(const WorkerSettings& settings) {
  NodeConfig config;
  config.roles = {.storage = false, .limiter = false, .worker = true};
  config.front_door.clear();
  config.events.clear();
  config.log_level = settings.log_level;
  config.worker.name = settings.name;
  config.worker.takes_over = !settings.name.empty();
  config.worker.servers = settings.servers;
  if (config.worker.servers.empty()) config.worker.servers.push_back(default_server());
  config.worker.queues = settings.queues;
  config.worker.workers = settings.workers;
  config.worker.shares = settings.shares;
  config.worker.grace_ms = settings.grace_ms;
  config.worker.once = settings.once;
  config.worker.drain = settings.drain;
  config.worker.max_jobs = settings.max_jobs;
  return config;
}

// Runs at once, over all queues.
std::int64_t permits_of(const WorkerConfig& worker) {
  if (worker.workers) return *worker.workers;
  std::int64_t permits = 0;
  for (const auto& [queue, count] : worker.queues) permits += count;
  return permits;
}

std::string fault_of_permits(const WorkerConfig& worker) {
  if (worker.queues.empty()) return "a worker needs a queue";
  for (const auto& [queue, permits] : worker.queues) {
    if (!is_queue_name(queue)) return "'" + queue + "' is not a queue name";
    if (permits < 1 || permits > most_permits) return "queue " + queue + ": expected 1 to 10000 permits";
  }
  return permits_of(worker) > most_permits ? "expected at most 10000 permits over all queues" : "";
}

std::string fault_of_shares(const WorkerConfig& worker) {
  if (!worker.queues.empty()) return "permits a queue do not go with a number of workers for all queues";
  if (!worker.workers) return "shares need a number of workers for all queues";
  if (worker.shares.empty()) return "a worker needs a queue";
  if (*worker.workers < 1 || *worker.workers > most_permits) return "expected 1 to 10000 workers";
  std::int64_t least = 0;
  for (const auto& [queue, share] : worker.shares) {
    if (!is_queue_name(queue)) return "'" + queue + "' is not a queue name";
    if (share.min < 0 || share.min > *worker.workers)
      return "queue " + queue + ": expected a min of 0 to the number of workers";
    if (share.weight < 1 || share.weight > most_weight)
      return "queue " + queue + ": expected a weight of 1 to 1000";
    least += share.min;
  }
  return least > *worker.workers ? "expected no more min over all queues than there are workers" : "";
}

std::string fault_of_handler(const std::string& name, const CommandHandler& handler) {
  if (!is_handler_name(name)) return "'" + name + "' is not a handler name";
  if (!handler.limit) return {};
  const auto fault = fault_of(*handler.limit, LimitScope::handler);
  if (!fault) return {};
  return "handler " + name + ": limit" + (fault->field.empty() ? "" : "." + fault->field) + " " +
         fault->message;
}

// What is wrong with the settings; empty: nothing.
std::string fault_of_worker(const WorkerConfig& worker) {
  if (worker.handlers.empty()) return "a worker needs a handler";
  if (!worker.name.empty() && !is_worker_name(worker.name))
    return "'" + worker.name + "' is not a worker name";
  for (const auto& [name, handler] : worker.handlers) {
    if (std::string fault = fault_of_handler(name, handler); !fault.empty()) return fault;
  }
  const bool is_weighted = worker.workers || !worker.shares.empty();
  if (std::string fault = is_weighted ? fault_of_shares(worker) : fault_of_permits(worker); !fault.empty())
    return fault;
  if (worker.grace_ms < 0) return "the grace time is negative";
  if (worker.max_jobs.value_or(1) < 1) return "expected at least 1 as max_jobs";
  for (const auto& server : worker.servers) {
    if (const Status checked = check_connect_endpoint(server); !checked) return checked.error().message;
  }
  return {};
}

}  // namespace

struct Worker::Parts {
  NodeConfig config;
  bool stops_on_signals = true;
  std::map<std::string, HandlerFunction> handlers;
  CallStop stop;
};

Worker::Worker(WorkerSettings settings) : parts_(std::make_unique<Parts>()) {
  parts_->config = node_config(settings);
  parts_->stops_on_signals = settings.stops_on_signals;
}

Worker::~Worker() = default;

void Worker::handle(const std::string& handler, HandlerFunction function,
                    std::optional<std::int64_t> timeout_ms, std::optional<Limit> limit) {
  CommandHandler& config = parts_->config.worker.handlers[handler];
  config.timeout_ms = timeout_ms;
  config.limit = limit;
  parts_->handlers[handler] = std::move(function);
}

int Worker::run() {
  const NodeConfig& config = parts_->config;
  Log log(config.log_level);
  if (const std::string fault = fault_of_worker(config.worker); !fault.empty()) {
    log.error(fault);
    return static_cast<int>(ExitStatus::config);
  }
  // Before the first thread of the runner, which is to leave the signals alone.
  std::optional<SignalStop> signals;
  if (parts_->stops_on_signals) signals.emplace();
  std::optional<EitherStop> either;
  if (signals) either.emplace(*signals, parts_->stop);
  StopSource& stop = either ? static_cast<StopSource&>(*either) : parts_->stop;

  auto runner =
      std::make_unique<ThreadRunner>(parts_->handlers, static_cast<std::size_t>(permits_of(config.worker)));
  const auto ended = run_node(config, stop, log, std::move(runner));
  if (ended) return static_cast<int>(ExitStatus::done);
  log.error(ended.error().message);
  return static_cast<int>(ended.error().status);
}

void Worker::stop() { parts_->stop.stop(); }

}  // namespace stint
