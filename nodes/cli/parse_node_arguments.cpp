#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <thread>

#include "nodes/cli/argument_parts.hpp"
#include "nodes/cli/work_options.hpp"
#include "nodes/config/endpoint.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

constexpr std::int64_t longest_grace_ms = 86'400'000;

constexpr const char* node_examples =
    R"(Without --config: storage and limiter on loopback, stint.db in the current
folder.

Examples:
  stint node
  stint node --config /etc/stint/server.toml
  stint node --db /var/lib/stint/jobs.db --front-door tcp://127.0.0.1:7700
)";

constexpr const char* work_examples =
    R"(A handler's command gets the payload on stdin; its stdout is the result. Exit 0:
completed, 75: snoozed, 65: dead, anything else: failed, and tried again later.
It is run as it is, without a shell; for pipes give it one: 'h=sh -c "a | b"'.

Examples:
  stint work --queue email:10 --handler 'send_email=python3 send_email.py'
  stint work --queue default --handler resize=./resize.sh --drain
  stint work --queue api --handler call=./call.sh --limit call=60/60s
  stint work --workers 20 --queue email:min=2,weight=3 --queue default \
             --handler 'send_email=python3 send_email.py'
  stint work --queue default:1 --handler 'check=sha256sum' --once
)";

constexpr const char* check_examples =
    R"(Every fault is named with its line, key, value and what was expected.

Examples:
  stint config check server.toml
)";

std::string check_worker_name(const std::string& name) {
  return is_worker_name(name) ? ""
                              : "'" + name + "' is not a name; expected letters, digits or any of . _ : -";
}

std::string check_listen(const std::string& endpoint) {
  const Status status = check_listen_endpoint(endpoint);
  return status ? "" : status.error().message;
}

std::string check_connect(const std::string& endpoint) {
  const Status status = check_connect_endpoint(endpoint);
  return status ? "" : status.error().message;
}

void add_name_and_log(CLI::App& app, NodeSettings& settings, const char* name_description) {
  app.add_option("--name", settings.name, name_description)->option_text("NAME")->check(check_worker_name);
  app.add_option("--log-level", settings.log_level, "debug, info, warning, error or off (info)")
      ->option_text("LEVEL")
      ->check(one_of({"debug", "info", "warning", "error", "off"}));
}

void add_node(CLI::App& root, Parsing& parsing) {
  CLI::App* const app =
      add_command(root, "node", "Run a node: the server, or a worker from a config.", node_examples);
  auto command = std::make_shared<NodeCommand>();
  auto roles = std::make_shared<std::vector<std::string>>();
  NodeSettings& settings = command->settings;
  app->add_option("--config", command->config_file, "the node's TOML file")->option_text("FILE");
  app->add_option("--role", *roles, "storage, limiter or worker; may be repeated")
      ->option_text("ROLE")
      ->allow_extra_args(false)
      ->check(one_of({"storage", "limiter", "worker"}));
  app->add_option("--front-door", settings.front_door, "where clients connect (tcp://127.0.0.1:7611)")
      ->option_text("ENDPOINT")
      ->check(check_listen);
  app->add_option("--events", settings.events, "where events are published (tcp://127.0.0.1:7612)")
      ->option_text("ENDPOINT")
      ->check(check_listen);
  app->add_option("--db", settings.database, "the database file (stint.db)")->option_text("FILE");
  add_name_and_log(*app, settings, "the node's name (server)");
  app->add_option("--record", command->record_file,
                  "write down all that the node is given, and a copy of its database (FILE.db), to replay "
                  "it; each start writes FILE anew")
      ->option_text("FILE");
  app->add_flag_callback(
      "--insecure", [command] { command->settings.insecure = true; },
      "listen beyond this machine without keys");
  app->callback([command, roles, &parsing] {
    if (!roles->empty()) command->settings.roles = Roles{.storage = false, .limiter = false, .worker = false};
    for (const std::string& role : *roles) add_role(*command->settings.roles, role);
    parsing.command = *command;
  });
}

// What is typed and must be looked at before it is a worker.
struct TypedWork {
  std::vector<std::string> queues;
  std::vector<std::string> handlers;
  std::vector<std::string> limits;
};

// Without permits a queue has one a core; with --workers it has a share of them.
void take_queues(const std::vector<std::string>& texts, WorkerConfig& worker) {
  const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (const std::string& text : texts) {
    const auto queue = parse_queue_option(text);
    if (!queue) refuse_argument("--queue", queue.error().message);
    if (worker.queues.contains(queue->name) || worker.shares.contains(queue->name)) {
      refuse_argument("--queue", "'" + queue->name + "' is given twice");
    }
    if (queue->share && !worker.workers) {
      refuse_argument("--queue", "'" + text + "' is a share of --workers, which is not given");
    }
    if (queue->permits && worker.workers) {
      refuse_argument("--queue", "'" + text + "' has permits; with --workers expected min and weight, like " +
                                     queue->name + ":min=2,weight=3");
    }
    if (worker.workers) {
      worker.shares[queue->name] = queue->share.value_or(QueueShare{});
    } else {
      worker.queues[queue->name] = queue->permits.value_or(cores);
    }
  }
  std::int64_t least = 0;
  for (const auto& [name, share] : worker.shares) least += share.min;
  if (worker.workers && least > *worker.workers) {
    refuse_argument("--workers", std::to_string(*worker.workers) + " are fewer than the sum of min, " +
                                     std::to_string(least));
  }
}

void take_handlers(const TypedWork& typed, WorkerConfig& worker) {
  for (const std::string& text : typed.handlers) {
    const auto handler = parse_handler_option(text);
    if (!handler) refuse_argument("--handler", handler.error().message);
    CommandHandler one{.command = handler->command, .timeout_ms = {}, .limit = {}};
    if (!worker.handlers.emplace(handler->name, std::move(one)).second) {
      refuse_argument("--handler", "'" + handler->name + "' is given twice");
    }
  }
  for (const std::string& text : typed.limits) {
    const auto limit = parse_limit_option(text);
    if (!limit) refuse_argument("--limit", limit.error().message);
    const auto handler = worker.handlers.find(limit->handler);
    if (handler == worker.handlers.end()) {
      refuse_argument("--limit", "'" + limit->handler + "' is not a handler of this worker; see --handler");
    }
    if (handler->second.limit) refuse_argument("--limit", "'" + limit->handler + "' is given twice");
    handler->second.limit = limit->limit;
  }
}

void add_work(CLI::App& root, Parsing& parsing) {
  CLI::App* const app =
      add_command(root, "work", "Work: take jobs and run a command for each.", work_examples);
  auto command = std::make_shared<WorkCommand>();
  auto typed = std::make_shared<TypedWork>();
  WorkerConfig& worker = command->worker;
  app->add_option(
         "-q,--queue", typed->queues,
         "a queue to take from, at most PERMITS jobs at once (one a core); with --workers its SHARE, "
         "min=N,weight=N; may be repeated")
      ->option_text("NAME[:PERMITS|:SHARE]")
      ->required()
      ->allow_extra_args(false);
  app->add_option("--handler", typed->handlers, "the command that runs a handler's jobs; may be repeated")
      ->option_text("NAME=COMMAND")
      ->required()
      ->allow_extra_args(false);
  app->add_option("--limit", typed->limits,
                  "of a handler, for every worker: at most MAX in any WINDOW; may be repeated")
      ->option_text("NAME=MAX/WINDOW")
      ->allow_extra_args(false);
  app->add_option("--workers", worker.workers, "weighted: at most so many jobs at once over all queues")
      ->option_text("N")
      ->check(whole_number(1, 10'000));
  worker.servers = {"tcp://127.0.0.1:7611"};
  app->add_option("--server", worker.servers, "where the server is (tcp://127.0.0.1:7611); may be repeated")
      ->option_text("ENDPOINT")
      ->envname("STINT_SERVER")
      ->allow_extra_args(false)
      ->check(check_connect);
  add_name_and_log(*app, command->settings,
                   "the worker's name (host and pid); takes over from its earlier sessions");
  add_duration(*app, "--grace", worker.grace_ms, 0, longest_grace_ms,
               "how long running jobs may go on when told to stop (25s)");
  CLI::Option* const once =
      app->add_flag("--once", worker.once,
                    "at most one job; do not wait: exits 0 when none is ready, 75 when limited or paused");
  CLI::Option* const drain = app->add_flag(
      "--drain", worker.drain,
      "until nothing is ready; waits where a limit or a pause with an end holds ready jobs back, not for a "
      "pause without one, nor for scheduled jobs and retries that are not due");
  app->add_option("--max-jobs", worker.max_jobs, "stop after so many jobs")
      ->option_text("N")
      ->check(whole_number(1, std::int64_t{1} << 53))
      ->excludes(once);
  once->excludes(drain);
  add_later_options(*app, parsing, {"--key", "--server-key"});
  app->callback([command, typed, &parsing] {
    take_queues(typed->queues, command->worker);
    take_handlers(*typed, command->worker);
    command->settings.roles = Roles{.storage = false, .limiter = false, .worker = true};
    parsing.command = *command;
  });
}

void add_config(CLI::App& root, Parsing& parsing) {
  CLI::App* const group = add_command(root, "config", "Look after config files.", "");
  group->require_subcommand(1);
  CLI::App* const app =
      add_command(*group, "check", "Check a config file without starting anything.", check_examples);
  auto command = std::make_shared<ConfigCheckCommand>();
  app->add_option("FILE", command->file, "the TOML file")->required();
  add_json_option(*app, command->json);
  app->callback([command, &parsing] { parsing.command = *command; });
}

}  // namespace

void add_node_commands(CLI::App& root, Parsing& parsing) {
  add_node(root, parsing);
  add_work(root, parsing);
  add_config(root, parsing);
}

}  // namespace stint
