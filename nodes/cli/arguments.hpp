// What the user asked for, as plain data: one struct a command. parse_arguments() makes them from argv; the
// commands' own files carry them out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nodes/bench/backlog_bench.hpp"
#include "nodes/bench/fanout_bench.hpp"
#include "nodes/bench/latency_bench.hpp"
#include "nodes/bench/limits_bench.hpp"
#include "nodes/bench/load_consumer.hpp"
#include "nodes/bench/load_producer.hpp"
#include "nodes/bench/load_subscriber.hpp"
#include "nodes/bench/throughput_bench.hpp"
#include "nodes/cli/client_connection.hpp"
#include "nodes/config/read_config.hpp"
#include "protocol/messages.hpp"

namespace stint {

// How a command that talks to a server and prints data does so.
struct ClientOptions {
  ServerOptions server;
  bool json = false;
};

struct NodeCommand {
  std::string config_file;  // empty: none
  std::string record_file;  // empty: none
  NodeSettings settings;
};

// A worker node from the command line alone.
struct WorkCommand {
  NodeSettings settings;
  WorkerConfig worker;
};

struct EnqueueCommand {
  ClientOptions client;
  NewJob job;  // the job, or what the lines of a file leave out
  bool payload_from_stdin = false;
  std::string file;        // JSON lines; `-` is stdin; empty: none
  std::int64_t count = 1;  // of copies of the job
  std::string batch_key;   // empty: a random one
};

struct JobListCommand {
  ClientOptions client;
  ListJobs filter;
  std::int64_t rows = 100;  // at most
};

struct JobShowCommand {
  ClientOptions client;
  JobId id = 0;
  bool whole = false;  // payload and results uncut
};

struct JobChangeCommand {
  enum class Change { retry, cancel, remove };
  ClientOptions client;
  Change change = Change::retry;
  std::vector<JobId> ids;
};

struct QueueListCommand {
  ClientOptions client;
};

struct QueueShowCommand {
  ClientOptions client;
  std::string name;
};

struct WorkerListCommand {
  ClientOptions client;
};

struct HandlerListCommand {
  ClientOptions client;
};

struct HandlerShowCommand {
  ClientOptions client;
  std::string name;
};

struct LimitSetCommand {
  ClientOptions client;
  SetLimit request;
};

struct LimitShowCommand {
  ClientOptions client;
  std::optional<LimitScope> scope;  // of one name, or of all that are shown
  std::string name;                 // empty: all
};

struct LimitClearCommand {
  ClientOptions client;
  ClearLimit request;
};

struct LimitCheckCommand {
  ClientOptions client;
  GetLimit request;
};

struct PauseCommand {
  ClientOptions client;
  Pause request;
};

struct ResumeCommand {
  ClientOptions client;
  Resume request;
};

struct JobExplainCommand {
  ClientOptions client;
  JobId id = 0;
};

struct TailCommand {
  ClientOptions client;
  ReadEvents filter;                     // queue, handler, events; `log` if it must be that
  std::optional<std::int64_t> from_seq;  // 0: the oldest that is kept; nothing: from now on
};

struct StatusCommand {
  ClientOptions client;
  bool watch = false;
  std::optional<std::int64_t> times;  // of watching; nothing: until it is interrupted
};

struct PingCommand {
  ClientOptions client;
};

struct ConfigCheckCommand {
  std::string file;
  bool json = false;
};

struct BenchLimitsCommand {
  LimitsBenchOptions options;
};

struct BenchThroughputCommand {
  ThroughputBenchOptions options;
};

struct BenchLatencyCommand {
  LatencyBenchOptions options;
};

struct BenchBacklogCommand {
  BacklogBenchOptions options;
};

struct BenchFanoutCommand {
  FanoutBenchOptions options;
};

// What `bench` starts as its workers and load drivers; people do not type them.
struct BenchWorkerCommand {
  BenchWorkerOptions options;
};

struct BenchProduceCommand {
  ProducerOptions options;
};

struct BenchConsumeCommand {
  ConsumerOptions options;
};

struct BenchSubscribeCommand {
  SubscriberOptions options;
};

struct VersionCommand {
  bool json = false;
};

using Command =
    std::variant<NodeCommand, WorkCommand, EnqueueCommand, JobListCommand, JobShowCommand, JobChangeCommand,
                 JobExplainCommand, QueueListCommand, QueueShowCommand, WorkerListCommand, HandlerListCommand,
                 HandlerShowCommand, LimitSetCommand, LimitShowCommand, LimitClearCommand, LimitCheckCommand,
                 PauseCommand, ResumeCommand, TailCommand, StatusCommand, PingCommand, ConfigCheckCommand,
                 BenchLimitsCommand, BenchThroughputCommand, BenchLatencyCommand, BenchBacklogCommand,
                 BenchFanoutCommand, BenchWorkerCommand, BenchProduceCommand, BenchConsumeCommand,
                 BenchSubscribeCommand, VersionCommand>;

// Nothing is left to do: help was asked for.
struct HelpText {
  std::string text;
};

// Errors: usage, in one line with a hint.
Result<std::variant<Command, HelpText>, Failure> parse_arguments(int count, const char* const* arguments);

}  // namespace stint
