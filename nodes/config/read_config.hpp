// Reading a node's config: the TOML file, what the command line adds to it, and the NodeConfig that results.
// All faults of a file are found, not only the first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "nodes/config/config.hpp"
#include "nodes/config/config_fault.hpp"
#include "protocol/result.hpp"

namespace stint {

// What both a file and the command line may say of a node; the command line wins.
struct NodeSettings {
  std::optional<std::string> name;
  std::optional<Roles> roles;
  std::optional<std::string> front_door;
  std::optional<std::string> events;
  std::optional<std::string> database;
  std::optional<std::string> log_level;
  std::optional<bool> insecure;
};

struct ConfigFile {
  std::string path;  // empty: there is no file
  NodeSettings node;
  Bounds bounds;
  Defaults defaults;
  std::map<std::string, QueueConfig> queues;
  std::map<std::string, Limit> handlers;
  ClusterConfig cluster;
  WorkerConfig worker;
};

Result<ConfigFile, ConfigFaults> read_config(const std::string& path);

// What a node of this file is told in the end. Faults: those of the file and the settings that do not go
// together, in one go.
Result<NodeConfig, ConfigFaults> load_config(const std::string& path, const NodeSettings& command_line);

// The same from text; `path` is for messages.
Result<ConfigFile, ConfigFaults> parse_config(std::string_view text, const std::string& path);

// What the node is told in the end. Faults: settings that do not go together.
Result<NodeConfig, ConfigFaults> resolve_config(const ConfigFile& file, const NodeSettings& command_line);

// One of storage, limiter, worker; false: another word.
bool add_role(Roles& roles, std::string_view role);

bool is_log_level(std::string_view text);

}  // namespace stint
