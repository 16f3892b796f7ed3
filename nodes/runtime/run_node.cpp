#include "nodes/runtime/run_node.hpp"

#include <csignal>
#include <string>
#include <sys/resource.h>
#include <utility>

#include "nodes/runners/find_program.hpp"
#include "nodes/runtime/node.hpp"

namespace stint {
namespace {

bool is_held_back(const WorkSummary& work) {
  return work.jobs() == 0 &&
         (work.last_empty == EmptyReason::limited || work.last_empty == EmptyReason::paused);
}

// How a worker's life ends as a process: a worker that ran nothing because of a limit should be tried again
// later.
Result<Done, Failure> judge(const NodeConfig& config, const WorkSummary& work) {
  switch (work.end) {
    case WorkEnd::refused: {
      const Error refusal =
          work.refusal.value_or(Error{ErrorCode::internal, "the server refused the worker"});
      return Failure{.status = exit_status_of(refusal.code), .message = refusal.message};
    }
    case WorkEnd::no_server: {
      const std::string server = config.worker.servers.empty() ? "" : " at " + config.worker.servers.front();
      return Failure{.status = ExitStatus::no_server, .message = "no server answers" + server};
    }
    default:
      break;
  }
  if (config.worker.once && is_held_back(work)) {
    return Failure{.status = ExitStatus::limited,
                   .message = "nothing may start now: the work is limited or paused"};
  }
  return Done{};
}

// Its jobs would fail one after the other.
void tell_of_missing_programs(const WorkerConfig& worker, Log& log) {
  for (const auto& [name, handler] : worker.handlers) {
    const std::string& program = handler.command.front();
    if (const auto fault = fault_of_program(program)) {
      log.warning("a handler's command cannot be started, its jobs will fail",
                  {{"handler", name}, {"command", program}, {"reason", *fault}});
    }
  }
}

// A server holds a file for each connection, and the usual 1024 are soon used up.
void use_all_files_allowed() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

Result<Done, Failure> run_node(const NodeConfig& config) {
  Log log(config.log_level);
  SignalStop stop([&log] {
    log.warning("SIGHUP: this version reloads nothing; restart the node for its config to take effect");
  });
  // A handler that closes its input, a client that has gone: both are told by the call that writes.
  std::signal(SIGPIPE, SIG_IGN);
  if (config.roles.storage || config.roles.limiter) use_all_files_allowed();
  if (config.roles.worker) tell_of_missing_programs(config.worker, log);
  return run_node(config, stop, log, nullptr);
}

Result<Done, Failure> run_node(const NodeConfig& config, StopSource& stop, Log& log,
                               std::unique_ptr<Runner> runner) {
  auto node = Node::open(config, stop, log, std::move(runner));
  if (!node) return node.error();
  (*node)->run();
  if (const auto work = (*node)->work()) return judge(config, *work);
  return Done{};
}

}  // namespace stint
