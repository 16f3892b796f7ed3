#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "nodes/cli/argument_parts.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

constexpr std::int64_t most_rows = 1'000'000;
constexpr JobId largest_id = (JobId{1} << 53) - 1;  // of the wire

constexpr const char* list_examples = R"(Examples:
  stint job list --state dead
  stint job list --queue email --handler send_email --rows 1000 --json
)";

constexpr const char* status_examples = R"(Examples:
  stint status
  stint status --json
  stint status --watch
)";

constexpr const char* change_examples = R"(Several ids may be given; each is answered for itself.

Examples:
  stint job retry 17
  stint job list --state dead --json | jq '.jobs[].id' | xargs stint job retry
)";

// A command that takes nothing of its own.
template <class Kind>
CLI::App* add_plain(CLI::App& parent, Parsing& parsing, const char* name, const char* description,
                    const char* examples) {
  auto command = std::make_shared<Kind>();
  CLI::App* const app = add_client_command(parent, parsing, command->client, name, description, examples);
  app->callback([command, &parsing] { parsing.command = *command; });
  return app;
}

void add_job_list(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<JobListCommand>();
  auto state = std::make_shared<std::string>();
  CLI::App* const app = add_client_command(group, parsing, command->client, "list",
                                           "List jobs, those that ended too.", list_examples);
  app->add_option("-q,--queue", command->filter.queue, "only this queue")->option_text("NAME");
  app->add_option("--handler", command->filter.handler, "only this handler")->option_text("NAME");
  app->add_option("--state", *state, "waiting, scheduled, retrying, running, completed, dead or cancelled")
      ->option_text("STATE")
      ->check(one_of(
          {"waiting", "scheduled", "retrying", "blocked", "running", "completed", "dead", "cancelled"}));
  app->add_option("--rows", command->rows, "at most so many (100)")
      ->option_text("N")
      ->check(whole_number(1, most_rows));
  app->callback([command, state, &parsing] {
    if (!state->empty()) command->filter.state = job_state_from(*state);
    if (!command->filter.queue.empty() && !is_queue_name(command->filter.queue)) {
      refuse_argument("--queue", "'" + command->filter.queue + "' is not a queue name");
    }
    if (!command->filter.handler.empty() && !is_handler_name(command->filter.handler)) {
      refuse_argument("--handler", "'" + command->filter.handler + "' is not a handler name");
    }
    parsing.command = *command;
  });
}

void add_job_show(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<JobShowCommand>();
  CLI::App* const app = add_client_command(group, parsing, command->client, "show",
                                           "Show a job, its payload and the history of its runs.",
                                           "Examples:\n  stint job show 17\n  stint job show 17 --json\n");
  app->add_option("ID", command->id, "the job's id")->required()->check(whole_number(1, largest_id));
  app->add_flag("--whole", command->whole, "do not cut the payload and results");
  app->callback([command, &parsing] { parsing.command = *command; });
}

void add_job_explain(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<JobExplainCommand>();
  CLI::App* const app = add_client_command(
      group, parsing, command->client, "explain", "Tell why a job does not run, and until when.",
      "Examples:\n  stint job explain 17\n  stint job explain 17 --json\n");
  app->add_option("ID", command->id, "the job's id")->required()->check(whole_number(1, largest_id));
  app->callback([command, &parsing] { parsing.command = *command; });
}

void add_job_change(CLI::App& group, Parsing& parsing, JobChangeCommand::Change change, const char* name,
                    const char* description) {
  auto command = std::make_shared<JobChangeCommand>();
  command->change = change;
  CLI::App* const app =
      add_client_command(group, parsing, command->client, name, description, change_examples);
  app->add_option("ID", command->ids, "the ids of the jobs")->required()->check(whole_number(1, largest_id));
  app->callback([command, &parsing] { parsing.command = *command; });
}

void add_job_group(CLI::App& root, Parsing& parsing) {
  using Change = JobChangeCommand::Change;
  CLI::App* const group = add_group(root, "job", "Look at jobs and change them.");
  add_job_list(*group, parsing);
  add_job_show(*group, parsing);
  add_job_explain(*group, parsing);
  add_job_change(*group, parsing, Change::retry, "retry",
                 "Let dead, retrying or scheduled jobs wait again, ready now.");
  add_job_change(*group, parsing, Change::cancel, "cancel",
                 "Cancel jobs; a running one when its worker agrees or its lease ends.");
  add_job_change(*group, parsing, Change::remove, "delete",
                 "Forget jobs that do not run, with their history.");
}

void add_queue_group(CLI::App& root, Parsing& parsing) {
  CLI::App* const group = add_group(root, "queue", "Look at queues, pause and resume them.");
  add_plain<QueueListCommand>(*group, parsing, "list",
                              "List the queues that have jobs, workers or a setting.",
                              "Examples:\n  stint queue list\n");
  auto command = std::make_shared<QueueShowCommand>();
  CLI::App* const app =
      add_client_command(*group, parsing, command->client, "show", "Show a queue and what waits in it.",
                         "Examples:\n  stint queue show email\n");
  app->add_option("NAME", command->name, "the queue")->required();
  app->callback([command, &parsing] {
    if (!is_queue_name(command->name)) refuse_argument("NAME", "'" + command->name + "' is not a queue name");
    parsing.command = *command;
  });
}

void add_status(CLI::App& root, Parsing& parsing) {
  auto command = std::make_shared<StatusCommand>();
  CLI::App* const app = add_client_command(root, parsing, command->client, "status",
                                           "Show the server on one screen.", status_examples);
  CLI::Option* const watch =
      app->add_flag("--watch", command->watch, "once a second: queues, and starts against their limits");
  app->add_option("--times", command->times, "watch so many times (until interrupted)")
      ->option_text("N")
      ->check(whole_number(1, most_rows))
      ->needs(watch);
  app->callback([command, &parsing] { parsing.command = *command; });
}

}  // namespace

void add_inspect_commands(CLI::App& root, Parsing& parsing) {
  add_job_group(root, parsing);
  add_queue_group(root, parsing);
  CLI::App* const worker = add_group(root, "worker", "Look at workers.");
  add_plain<WorkerListCommand>(*worker, parsing, "list", "List the living sessions of workers.",
                               "Examples:\n  stint worker list\n");
  add_status(root, parsing);
  add_plain<PingCommand>(root, parsing, "ping", "Ask whether the server is ready, and how far away it is.",
                         "Exits 69 when nobody answers, or the server is not ready yet.\n\nExamples:\n"
                         "  stint ping\n  stint ping --wait 30s\n");
  auto command = std::make_shared<VersionCommand>();
  CLI::App* const version =
      add_command(root, "version", "Show the version of this program.", "Examples:\n  stint version\n");
  add_json_option(*version, command->json);
  version->callback([command, &parsing] { parsing.command = *command; });
}

}  // namespace stint
