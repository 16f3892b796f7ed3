#include <string>
#include <unistd.h>
#include <utility>

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

void check_worker(Checks& checks, const WorkerConfig& worker) {
  checks.expect(!worker.queues.empty(), "worker.queues", "", "expected at least one queue and its permits");
  checks.expect(!worker.handlers.empty(), "worker.handlers", "", "expected at least one handler");
  for (const auto& [name, handler] : worker.handlers) {
    checks.expect(!handler.command.empty() && !handler.command.front().empty(),
                  "worker.handlers." + name + ".command", "", "expected a program and its arguments");
  }
}

}  // namespace

Result<NodeConfig, ConfigFaults> resolve_config(const ConfigFile& file, const NodeSettings& command_line) {
  const NodeConfig standard;
  NodeConfig config;
  config.roles = first_of(command_line.roles, file.node.roles, standard.roles);
  config.name = first_of(command_line.name, file.node.name, config.roles.storage ? standard.name : "worker");
  // A pure worker node binds nothing unless it is told to, and only storage has events.
  config.front_door = first_of(command_line.front_door, file.node.front_door,
                               config.roles.storage || config.roles.limiter ? standard.front_door : "");
  config.events =
      first_of(command_line.events, file.node.events, config.roles.storage ? standard.events : "");
  config.insecure = first_of(command_line.insecure, file.node.insecure, false);
  config.database = first_of(command_line.database, file.node.database, standard.database);
  config.log_level = first_of(command_line.log_level, file.node.log_level, standard.log_level);
  config.bounds = file.bounds;
  config.defaults = file.defaults;
  config.queues = file.queues;
  config.worker = file.worker;

  // A name that was chosen is the worker's too: it then takes over from its earlier sessions.
  if (command_line.name || file.node.name) {
    config.worker.name = config.name;
    config.worker.takes_over = true;
  }
  if (config.worker.servers.empty() && !config.roles.storage) config.worker.servers = {standard.front_door};

  Checks checks(file.path);
  checks.expect(
      config.roles.storage == config.roles.limiter, "node.roles", roles_text(config.roles),
      "storage and limiter on different nodes are not supported by this version of stint; expected both or "
      "neither");
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
