// Config: all that a node is told when it starts, from its file and its command line. Plain data; reading and
// checking is in read_config.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/bounds.hpp"
#include "protocol/limit.hpp"

namespace stint {

struct Roles {
  bool storage = false;
  bool limiter = false;
  bool worker = false;
};

// The config layer of one queue.
struct QueueConfig {
  std::optional<std::int64_t> batch_max;
  std::optional<Limit> limit;
};

// The nodes that work together, the same on each of them: where they are reached, by name. Without limiters
// of its own, a cluster has the storage node's.
struct ClusterConfig {
  std::string storage;                          // endpoint; empty: one node hosts all
  std::map<std::string, std::string> limiters;  // endpoints by node name

  bool any() const { return !storage.empty(); }
};

// A handler that this node's worker serves by running a command, one process a job.
struct CommandHandler {
  std::vector<std::string> command;        // argv; looked up in PATH
  std::optional<std::int64_t> timeout_ms;  // at most this, whatever the job allows
  std::optional<Limit> limit;              // what the worker declares
};

// A queue's part of a weighted worker: at least `min` of its workers while there is work for them, and of the
// rest a share by `weight`.
struct QueueShare {
  std::int64_t min = 0;
  std::int64_t weight = 1;
  friend bool operator==(const QueueShare&, const QueueShare&) = default;
};

struct WorkerConfig {
  std::string name;                            // empty: host and pid
  bool takes_over = false;                     // a named worker ends its earlier sessions' leases
  std::vector<std::string> servers;            // endpoints; empty: the server is this node itself
  std::map<std::string, std::int64_t> queues;  // hard: permits a queue
  // Weighted instead: so many workers for all queues together, and each queue's share.
  std::optional<std::int64_t> workers;
  std::map<std::string, QueueShare> shares;
  std::map<std::string, CommandHandler> handlers;
  std::int64_t grace_ms = 25'000;
  // How long the worker works; none of them: until it is told to stop.
  bool once = false;   // at most one job, do not wait
  bool drain = false;  // until nothing is ready
  std::optional<std::int64_t> max_jobs;
};

// What a node is given, and when, is written down to be replayed.
struct RecordConfig {
  std::string file;         // empty: it is not
  std::string config_text;  // of the node's file, from which the same node is made again
};

struct NodeConfig {
  std::string name = "server";
  Roles roles{.storage = true, .limiter = true, .worker = false};
  std::string front_door = "tcp://127.0.0.1:7611";  // empty: binds nothing
  std::string events = "tcp://127.0.0.1:7612";      // empty: none
  bool insecure = false;                            // may listen beyond loopback without keys
  std::string database = "stint.db";
  Bounds bounds;
  Defaults defaults;
  std::map<std::string, QueueConfig> queues;
  std::map<std::string, Limit> handlers;  // the config layer of handlers
  ClusterConfig cluster;
  WorkerConfig worker;
  std::string log_level = "info";
  RecordConfig record;
};

}  // namespace stint
