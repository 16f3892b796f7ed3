// What the user asked for, as plain data: one struct a command. parse_arguments() makes them from argv; the
// commands' own files carry them out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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

struct StatusCommand {
  ClientOptions client;
};

struct PingCommand {
  ClientOptions client;
};

struct ConfigCheckCommand {
  std::string file;
  bool json = false;
};

struct VersionCommand {
  bool json = false;
};

using Command = std::variant<NodeCommand, WorkCommand, EnqueueCommand, JobListCommand, JobShowCommand,
                             JobChangeCommand, QueueListCommand, QueueShowCommand, WorkerListCommand,
                             StatusCommand, PingCommand, ConfigCheckCommand, VersionCommand>;

// Nothing is left to do: help was asked for.
struct HelpText {
  std::string text;
};

// Errors: usage, in one line with a hint.
Result<std::variant<Command, HelpText>, Failure> parse_arguments(int count, const char* const* arguments);

}  // namespace stint
