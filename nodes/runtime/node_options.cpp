#include "nodes/runtime/node_options.hpp"

#include <algorithm>
#include <random>
#include <unistd.h>

#include "protocol/names.hpp"
#include "protocol/version.hpp"

namespace stint {
namespace {

SessionId random_session() {
  std::random_device random;
  SessionId session;
  for (unsigned char& byte : session.bytes) byte = static_cast<unsigned char>(random() & 0xff);
  return session;
}

std::string read_hostname() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Host and pid, in the letters that a worker's name may have.
std::string nameless_worker(const std::string& hostname) {
  std::string name = hostname.substr(0, 100) + ":" + std::to_string(getpid());
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        return !is_worker_name({&c, 1}) && c != '.' && c != ':';
      },
      '-');
  return is_worker_name(name) ? name : "worker-" + std::to_string(getpid());
}

}  // namespace

StorageOptions storage_options(const NodeConfig& config) {
  StorageOptions options;
  options.server = config.name;
  options.bounds = config.bounds;
  options.defaults = config.defaults;
  for (const auto& [name, queue] : config.queues) {
    if (queue.batch_max) options.batch_max[name] = *queue.batch_max;
    if (queue.limit) options.queue_limits[name] = *queue.limit;
  }
  options.handler_limits.insert(config.handlers.begin(), config.handlers.end());
  return options;
}

WorkerOptions worker_options(const NodeConfig& config) {
  WorkerOptions options;
  options.hostname = read_hostname();
  options.worker = config.worker.name.empty() ? nameless_worker(options.hostname) : config.worker.name;
  options.client = "stint " + std::string(stint_version);
  options.session = random_session();
  for (const auto& [name, handler] : config.worker.handlers) {
    options.handlers[name] = {.timeout_ms = handler.timeout_ms, .limit = handler.limit};
  }
  options.queues = config.worker.queues;
  options.workers = config.worker.workers;
  for (const auto& [name, share] : config.worker.shares) {
    options.shares[name] = {.min = share.min, .weight = share.weight};
  }
  options.takes_over = config.worker.takes_over;
  options.pid = getpid();
  options.grace = from_ms(config.worker.grace_ms);
  options.once = config.worker.once;
  options.drain = config.worker.drain;
  options.max_jobs = config.worker.max_jobs;
  // One that does not wait for jobs does not wait for a server either, beyond what any command waits.
  if (options.once || options.drain) options.give_up_after = from_ms(5'000);
  return options;
}

}  // namespace stint
