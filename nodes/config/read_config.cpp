#include "nodes/config/read_config.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "nodes/config/endpoint.hpp"
#include "nodes/config/read_limits.hpp"
#include "nodes/config/table_reader.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

using Expected = std::optional<std::string>;

constexpr std::size_t longest_file = 1 << 20;
constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t day_ms = 86'400'000;
constexpr std::int64_t year_ms = 365 * day_ms;
constexpr std::int64_t most_permits = 10'000;
constexpr std::int64_t most_weight = 1'000;
constexpr std::array<std::string_view, 5> log_levels{"debug", "info", "warning", "error", "off"};

Expected queue_name(const std::string& text) {
  if (is_queue_name(text)) return {};
  return "a queue name: 1 to 128 letters, digits or any of . _ : -, beginning with a letter or digit";
}

Expected worker_name(const std::string& text) {
  if (is_worker_name(text)) return {};
  return "a name: 1 to 128 letters, digits or any of . _ : -, beginning with a letter or digit";
}

Expected handler_name(const std::string& text) {
  if (is_handler_name(text)) return {};
  return "a handler name: 1 to 255 bytes of UTF-8 without spaces, hidden characters, / or =";
}

Expected connect_endpoint(const std::string& text) {
  if (check_connect_endpoint(text).ok()) return {};
  return "an endpoint to connect to, like tcp://10.0.0.1:7611";
}

Expected listen_endpoint(const std::string& text) {
  if (check_listen_endpoint(text).ok()) return {};
  return "an endpoint to listen at: an address or a network interface of this machine, or *, and a port, "
         "like "
         "tcp://127.0.0.1:7611";
}

Expected log_level(const std::string& text) {
  if (is_log_level(text)) return {};
  return "one of debug, info, warning, error, off";
}

Expected role(const std::string& text) {
  Roles ignored;
  if (add_role(ignored, text)) return {};
  return "one of storage, limiter, worker";
}

Expected not_empty(const std::string& text) {
  if (!text.empty() && text.find('\0') == std::string::npos) return {};
  return "a text that is not empty";
}

Expected argument(const std::string& text) {
  if (text.find('\0') == std::string::npos) return {};
  return "a text without zero bytes";
}

void read_node(TableReader& node, NodeSettings& settings) {
  node.text("name", settings.name, worker_name);
  std::vector<std::string> roles;
  node.texts("roles", roles, role);
  if (!roles.empty()) {
    settings.roles = Roles{.storage = false, .limiter = false, .worker = false};
    for (const std::string& one : roles) add_role(*settings.roles, one);
  }
  node.text("front_door", settings.front_door, listen_endpoint);
  node.text("events", settings.events, listen_endpoint);
  node.text("log_level", settings.log_level, log_level);
  node.boolean("insecure", settings.insecure);
}

void read_bounds(TableReader& table, Bounds& bounds) {
  table.whole("payload_bytes", bounds.payload_bytes, 1, Bounds::batch_bytes);
  table.whole("result_bytes", bounds.result_bytes, 1, Bounds::batch_bytes);
  table.whole("meta_bytes", bounds.meta_bytes, 0, 1 << 20);
  table.whole("jobs_per_request", bounds.jobs_per_request, 1, 10'000);
  table.whole("batch_max", bounds.batch_max, 1, 1'000);
}

void read_backoff(TableReader& backoff, Defaults& defaults) {
  backoff.duration("first", defaults.backoff_first_ms, 0, year_ms);
  backoff.number("factor", defaults.backoff_factor, 1.0, Bounds::backoff_factor);
  backoff.duration("cap", defaults.backoff_cap_ms, 0, year_ms);
  backoff.number("jitter", defaults.backoff_jitter, 0.0, 1.0);
}

void read_defaults(TableReader& table, Defaults& defaults) {
  table.whole("max_attempts", defaults.max_attempts, 1, 1'000'000);
  table.table("backoff", [&](TableReader& backoff) { read_backoff(backoff, defaults); });
  table.whole("max_lost", defaults.max_lost, 1, 1'000'000);
  table.duration("lease", defaults.lease_ms, 100, day_ms);
  table.duration("timeout", defaults.timeout_ms, 1, year_ms);
  table.duration("wait", defaults.wait_ms, 0, Bounds::wait_ms);
  table.duration("keep_logs", defaults.keep_logs_ms, second_ms, 10 * year_ms);
  table.duration("keep_dead", defaults.keep_dead_ms, second_ms, 10 * year_ms);
  table.duration("keep_events", defaults.keep_events_ms, second_ms, 10 * year_ms);
  table.whole("keep_events_bytes", defaults.keep_events_bytes, 1 << 20, 1LL << 40);
  table.duration("keep_sessions", defaults.keep_sessions_ms, second_ms, 10 * year_ms);
  table.duration("keep_batch_keys", defaults.keep_batch_keys_ms, second_ms, 10 * year_ms);
  table.whole("keep_batch_keys_count", defaults.keep_batch_keys, 1, 100'000'000);
}

void read_queue(TableReader& table, QueueConfig& queue) {
  std::int64_t batch_max = 0;
  table.whole("batch_max", batch_max, 1, 1'000);
  if (batch_max > 0) queue.batch_max = batch_max;
  read_queue_limit(table, queue.limit);
}

void read_worker_handler(TableReader& table, CommandHandler& handler) {
  table.texts("command", handler.command, argument);
  std::int64_t timeout_ms = 0;
  table.duration("timeout", timeout_ms, 1, year_ms);
  if (timeout_ms > 0) handler.timeout_ms = timeout_ms;
  read_declared_limit(table, handler.limit);
}

void read_share(TableReader& table, QueueShare& share) {
  table.whole("min", share.min, 0, most_permits);
  table.whole("weight", share.weight, 1, most_weight);
}

// A number of permits, or a share of the worker's `workers`.
void read_worker_queue(const std::string& name, TableReader& queues, WorkerConfig& worker) {
  if (queues.has_table(name)) {
    queues.table(name, [&](TableReader& table) { read_share(table, worker.shares[name]); });
  } else {
    queues.whole(name, worker.queues[name], 1, most_permits);
  }
}

void read_worker(TableReader& table, WorkerConfig& worker) {
  table.texts("server", worker.servers, connect_endpoint);
  std::int64_t workers = 0;
  table.whole("workers", workers, 1, most_permits);
  if (workers > 0) worker.workers = workers;
  table.named_values("queues", queue_name, [&](const std::string& name, TableReader& queues) {
    read_worker_queue(name, queues, worker);
  });
  table.duration("grace", worker.grace_ms, 0, day_ms);
  table.named_tables("handlers", handler_name, [&](const std::string& name, TableReader& handler) {
    read_worker_handler(handler, worker.handlers[name]);
  });
}

void read_cluster(TableReader& table, ClusterConfig& cluster) {
  const auto read_endpoint = [](std::string_view key, TableReader& from, std::string& target) {
    std::optional<std::string> endpoint;
    from.text(key, endpoint, connect_endpoint);
    target = endpoint.value_or("");
  };
  read_endpoint("storage", table, cluster.storage);
  if (!table.has("storage")) table.refuse("storage", "expected the endpoint of the storage node");
  table.named_values("limiters", worker_name, [&](const std::string& name, TableReader& limiters) {
    read_endpoint(name, limiters, cluster.limiters[name]);
  });
}

void read_file(TableReader& file, ConfigFile& config) {
  file.table("node", [&](TableReader& table) { read_node(table, config.node); });
  file.table("storage", [&](TableReader& table) { table.text("file", config.node.database, not_empty); });
  file.table("bounds", [&](TableReader& table) { read_bounds(table, config.bounds); });
  file.table("defaults", [&](TableReader& table) { read_defaults(table, config.defaults); });
  file.named_tables("queues", queue_name, [&](const std::string& name, TableReader& table) {
    read_queue(table, config.queues[name]);
  });
  file.named_tables("handlers", handler_name, [&](const std::string& name, TableReader& table) {
    std::optional<Limit> limit;
    read_handler_limit(table, limit);
    if (limit) config.handlers[name] = *limit;
  });
  file.table("cluster", [&](TableReader& table) { read_cluster(table, config.cluster); });
  file.table("worker", [&](TableReader& table) { read_worker(table, config.worker); });
}

// As far as it could be read: what is faulty is as if it were absent.
struct Parsed {
  ConfigFile config;
  ConfigFaults faults;
};

Parsed parse(std::string_view text, const std::string& path) {
  Parsed parsed;
  parsed.config.path = path;
  auto table = parse_toml(text);
  if (!table) {
    table.error().file = path;
    parsed.faults.push_back(std::move(table.error()));
    return parsed;
  }
  {
    TableReader file(*table, "", parsed.faults);
    read_file(file, parsed.config);
  }
  for (ConfigFault& fault : parsed.faults) fault.file = path;
  std::stable_sort(parsed.faults.begin(), parsed.faults.end(),
                   [](const ConfigFault& a, const ConfigFault& b) { return a.line < b.line; });
  return parsed;
}

bool is_within(std::string_view key, std::string_view table) {
  return key.starts_with(table) && (key.size() == table.size() || key[table.size()] == '.');
}

// Whether one of the keys that could not be read may be all that is wrong with it.
bool follows_from(const ConfigFault& fault, const ConfigFaults& unread) {
  return std::any_of(unread.begin(), unread.end(), [&](const ConfigFault& one) {
    // These decide what kind of node it is, and so what else it needs.
    const bool decides = one.key.empty() || is_within(one.key, "node.roles") ||
                         is_within(one.key, "node.name") || is_within(one.key, "cluster");
    return decides || is_within(one.key, fault.key) || is_within(fault.key, one.key);
  });
}

Result<std::string, ConfigFault> read_text(const std::string& path) {
  const auto fault = [&](std::string message) {
    return ConfigFault{.file = path, .message = std::move(message)};
  };
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(longest_file + 1, '\0');
  if (!file.is_open()) return fault(std::string("cannot be opened: ") + std::strerror(errno));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || file.gcount() == 0) {
    file.clear();
    file.peek();
    if (file.bad()) return fault("cannot be read");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > longest_file) return fault("is over 1 MiB; expected a config");
  return text;
}

}  // namespace

bool add_role(Roles& roles, std::string_view role) {
  if (role == "storage") return roles.storage = true;
  if (role == "limiter") return roles.limiter = true;
  if (role == "worker") return roles.worker = true;
  return false;
}

bool is_log_level(std::string_view text) {
  return std::find(log_levels.begin(), log_levels.end(), text) != log_levels.end();
}

Result<ConfigFile, ConfigFaults> parse_config(std::string_view text, const std::string& path) {
  Parsed parsed = parse(text, path);
  if (parsed.faults.empty()) return std::move(parsed.config);
  return std::move(parsed.faults);
}

Result<ConfigFile, ConfigFaults> read_config(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return ConfigFaults{text.error()};
  return parse_config(*text, path);
}

Result<NodeConfig, ConfigFaults> load_config(const std::string& path, const NodeSettings& command_line) {
  const auto text = read_text(path);
  if (!text) return ConfigFaults{text.error()};
  Parsed parsed = parse(*text, path);
  auto resolved = resolve_config(parsed.config, command_line);
  if (parsed.faults.empty()) return resolved;
  ConfigFaults faults = parsed.faults;
  if (resolved) return faults;
  for (ConfigFault& fault : resolved.error()) {
    if (!follows_from(fault, parsed.faults)) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace stint
