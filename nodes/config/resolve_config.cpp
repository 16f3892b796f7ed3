#include <string>
#include <unistd.h>
#include <utility>

#include "nodes/config/cluster.hpp"
#include "nodes/config/endpoint.hpp"
#include "nodes/config/read_config.hpp"

namespace stint {

namespace {

// The command line's word, else the file's, else `otherwise`.
template <class Value>
Value first_of(const std::optional<Value>& command_line, const std::optional<Value>& file, Value otherwise) {
  if (command_line) return *command_line;
  return file.value_or(std::move(otherwise));
}

class Checks {
 public:
  explicit Checks(const std::string& file) : file_(file) {}

  void expect(bool holds, const std::string& key, const std::string& value, const std::string& expected) {
    if (!holds) faults_.push_back({.file = file_, .key = key, .value = value, .message = expected});
  }
  ConfigFaults take() { return std::move(faults_); }

 private:
  std::string file_;
  ConfigFaults faults_;
};

std::string in_quotes(const std::string& text) { return '"' + text + '"'; }

std::string roles_text(const Roles& roles) {
  std::string text;
  const auto add = [&](bool has, const char* role) {
    if (has) text.append(text.empty() ? "" : ", ").append(in_quotes(role));
  };
  add(roles.storage, "storage");
  add(roles.limiter, "limiter");
  add(roles.worker, "worker");
  return "[" + text + "]";
}

void check_listening(Checks& checks, const std::string& key, const std::string& endpoint, bool insecure) {
  if (endpoint.empty()) return;
  checks.expect(insecure || is_loopback(endpoint), key, in_quotes(endpoint),
                "listens beyond this machine without keys; expected a loopback address, or --insecure "
                "(in a file: node.insecure = true)");
}

// Permits a queue, or so many workers and each queue's share of them.
void check_worker_mode(Checks& checks, const WorkerConfig& worker) {
  const bool has_permits = !worker.queues.empty();
  const bool has_shares = !worker.shares.empty();
  checks.expect(has_permits || has_shares, "worker.queues", "",
                "expected at least one queue and its permits");
  if (has_permits && (has_shares || worker.workers)) {
    const auto& [queue, permits] = *worker.queues.begin();
    checks.expect(false, "worker.queues." + queue, std::to_string(permits),
                  "permits a queue do not go with weighted queues; expected min and weight for each, or "
                  "permits for each and no worker.workers");
    return;
  }
  checks.expect(!has_shares || worker.workers, "worker.workers", "",
                "expected how many jobs may run at once, over all the weighted queues");
  std::int64_t least = 0;
  for (const auto& [queue, share] : worker.shares) least += share.min;
  checks.expect(!worker.workers || least <= *worker.workers, "worker.workers",
                std::to_string(worker.workers.value_or(0)),
                "expected at least " + std::to_string(least) + ", the sum of min of its queues");
}

void check_worker(Checks& checks, const WorkerConfig& worker) {
  check_worker_mode(checks, worker);
  checks.expect(!worker.handlers.empty(), "worker.handlers", "", "expected at least one handler");
  for (const auto& [name, handler] : worker.handlers) {
    checks.expect(!handler.command.empty() && !handler.command.front().empty(),
                  "worker.handlers." + name + ".command", "", "expected a program and its arguments");
  }
}

std::string limiter_names(const ClusterConfig& cluster) {
  std::string names;
  for (const auto& [name, endpoint] : cluster.limiters) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

// Without a cluster one node has storage and limiter; with one, names and roles are as it says.
void check_roles(Checks& checks, const NodeConfig& config) {
  const Roles& roles = config.roles;
  const ClusterConfig& cluster = config.cluster;
  if (!cluster.any()) {
    checks.expect(roles.storage == roles.limiter, "node.roles", roles_text(roles),
                  "storage and limiter on different nodes need a [cluster]; expected both or neither");
    return;
  }
  const bool is_listed = cluster.limiters.contains(config.name);
  const std::string listed = "; cluster.limiters has " + limiter_names(cluster);
  if (roles.limiter && !(roles.storage && cluster.limiters.empty())) {
    checks.expect(is_listed, "node.name", in_quotes(config.name),
                  "a node with the role limiter must be named in the cluster" + listed);
  } else if (!roles.limiter) {
    checks.expect(!is_listed, "node.name", in_quotes(config.name),
                  "cluster.limiters names this node, so it needs the role limiter" + listed);
  }
  checks.expect(!roles.storage || roles.limiter || !cluster.limiters.empty(), "cluster.limiters", "",
                "expected at least one, as the storage node has not the role limiter itself");
}

// Two limiters, or the storage and a limiter of another node, cannot be at one endpoint.
void check_endpoints(Checks& checks, const NodeConfig& config) {
  std::map<std::string, std::string> taken;
  for (const auto& [name, endpoint] : config.cluster.limiters) {
    const auto [other, is_free] = taken.emplace(endpoint, name);
    checks.expect(is_free, "cluster.limiters." + name, in_quotes(endpoint),
                  "is the endpoint of " + other->second + " too; expected one of its own");
    const bool is_storage = endpoint == config.cluster.storage;
    if (config.roles.storage && config.roles.limiter && name == config.name) {
      checks.expect(is_storage, "cluster.limiters." + name, in_quotes(endpoint),
                    "expected " + in_quotes(config.cluster.storage) + ", as this node is the storage too");
    } else if (config.roles.storage || name == config.name) {
      checks.expect(!is_storage, "cluster.limiters." + name, in_quotes(endpoint),
                    "is the endpoint of the storage, which is another node; expected one of its own");
    }
  }
}

}  // namespace

Result<NodeConfig, ConfigFaults> resolve_config(const ConfigFile& file, const NodeSettings& command_line) {
  const NodeConfig standard;
  NodeConfig config;
  config.roles = first_of(command_line.roles, file.node.roles, standard.roles);
  config.name = first_of(command_line.name, file.node.name, config.roles.storage ? standard.name : "worker");
  config.cluster = file.cluster;
  // A pure worker node binds nothing unless it is told to, and only storage has events.
  const std::string in_cluster = endpoint_in(config.cluster, config.name, config.roles);
  const std::string own_door = in_cluster.empty() ? standard.front_door : in_cluster;
  config.front_door = first_of(command_line.front_door, file.node.front_door,
                               config.roles.storage || config.roles.limiter ? own_door : "");
  config.events =
      first_of(command_line.events, file.node.events, config.roles.storage ? standard.events : "");
  config.insecure = first_of(command_line.insecure, file.node.insecure, false);
  config.database = first_of(command_line.database, file.node.database, standard.database);
  config.log_level = first_of(command_line.log_level, file.node.log_level, standard.log_level);
  config.bounds = file.bounds;
  config.defaults = file.defaults;
  config.queues = file.queues;
  config.handlers = file.handlers;
  config.worker = file.worker;

  // A name that was chosen is the worker's too: it then takes over from its earlier sessions.
  if (command_line.name || file.node.name) {
    config.worker.name = config.name;
    config.worker.takes_over = true;
  }
  if (config.worker.servers.empty() && !config.roles.storage) {
    config.worker.servers =
        config.cluster.any() ? endpoints_of(config.cluster) : std::vector{standard.front_door};
  }

  Checks checks(file.path);
  check_roles(checks, config);
  check_endpoints(checks, config);
  checks.expect(
      config.front_door != in_cluster || in_cluster.empty() || check_listen_endpoint(in_cluster).ok(),
      "node.front_door", in_quotes(config.front_door),
      "is what the cluster says, but a name to connect to; expected an endpoint to listen at");
  check_listening(checks, "node.front_door", config.front_door, config.insecure);
  check_listening(checks, "node.events", config.events, config.insecure);
  checks.expect(config.events.empty() || config.roles.storage, "node.events", in_quotes(config.events),
                "expected only on a node with the role storage");
  checks.expect(config.events.empty() || config.events != config.front_door, "node.events",
                in_quotes(config.events), "expected another endpoint than node.front_door");
  if (config.roles.worker) check_worker(checks, config.worker);
  ConfigFaults faults = checks.take();
  if (!faults.empty()) return faults;
  return config;
}

}  // namespace stint
