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
  config.worker.grace_ms = settings.grace_ms;
  config.worker.once = settings.once;
  config.worker.drain = settings.drain;
  config.worker.max_jobs = settings.max_jobs;
  return config;
}

std::int64_t permits_of(const WorkerConfig& worker) {
  std::int64_t permits = 0;
  for (const auto& [queue, count] : worker.queues) permits += count;
  return permits;
}

// What is wrong with the settings; empty: nothing.
std::string fault_of(const WorkerConfig& worker) {
  if (worker.handlers.empty()) return "a worker needs a handler";
  if (worker.queues.empty()) return "a worker needs a queue";
  if (!worker.name.empty() && !is_worker_name(worker.name))
    return "'" + worker.name + "' is not a worker name";
  for (const auto& [name, handler] : worker.handlers) {
    if (!is_handler_name(name)) return "'" + name + "' is not a handler name";
  }
  for (const auto& [queue, permits] : worker.queues) {
    if (!is_queue_name(queue)) return "'" + queue + "' is not a queue name";
    if (permits < 1 || permits > most_permits) return "queue " + queue + ": expected 1 to 10000 permits";
  }
  if (permits_of(worker) > most_permits) return "expected at most 10000 permits over all queues";
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
                    std::optional<std::int64_t> timeout_ms) {
  parts_->config.worker.handlers[handler].timeout_ms = timeout_ms;
  parts_->handlers[handler] = std::move(function);
}

int Worker::run() {
  const NodeConfig& config = parts_->config;
  Log log(config.log_level);
  if (const std::string fault = fault_of(config.worker); !fault.empty()) {
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
