#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "nodes/cli/argument_parts.hpp"
#include "nodes/config/limit_text.hpp"

namespace stint {

namespace {

constexpr std::int64_t longest_pause_ms = 10LL * 365 * 86'400'000;
constexpr std::int64_t largest_number = std::int64_t{1} << 53;

constexpr const char* set_queue_examples =
    R"(Rates are starts a second, or like 5/m and 100/h. What is set replaces what an
operator has set before, whole.

Examples:
  stint limit set queue email --rate 10 --burst 20
  stint limit set queue reports --rate 100/h --max-running 2
  stint limit set queue email --unlimited
)";

constexpr const char* set_handler_examples =
    R"(At most MAX in any WINDOW, over all queues and workers. What is set replaces
what an operator has set before, whole.

Examples:
  stint limit set handler send_email --max 60 --window 60s
  stint limit set handler call_api --max 1000 --window 1h --count started
  stint limit set handler transcode --max-running 3
)";

constexpr const char* show_examples =
    R"(Without a name: all that have a limit or a pause.

Examples:
  stint limit show
  stint limit show queue email
  stint limit show handler send_email --json
)";

constexpr const char* clear_examples =
    R"(Removes what an operator has set; what workers declare, jobs bring along and the
server's config says stays in force. --all removes that of workers and jobs too.

Examples:
  stint limit clear queue email
  stint limit clear handler send_email --all
)";

constexpr const char* check_examples =
    R"(Exits 0 when there is room for a start, 75 when there is none; prints when there
will be. It reserves nothing.

Examples:
  stint limit check handler send_email && echo "go on"
  stint limit check queue email --json | jq .available_in_ms
)";

constexpr const char* pause_examples =
    R"(Runs that are on go on. Of two pauses the later end wins; resume ends it.

Examples:
  stint queue pause email --for 30s
  stint handler pause send_email
)";

CLI::App* name_argument(CLI::App* app, LimitScope scope, std::string& name) {
  app->add_option("NAME", name, scope == LimitScope::queue ? "the queue" : "the handler")->required();
  return app;
}

// `queue NAME` or `handler NAME`.
void add_scope_and_name(CLI::App& app, std::string& scope, std::string& name, bool is_required) {
  app.add_option("SCOPE", scope, "queue or handler")
      ->required(is_required)
      ->check(one_of({"queue", "handler"}));
  app.add_option("NAME", name, "its name")->required(is_required);
}

LimitScope scope_of(const std::string& word) {
  return word == "handler" ? LimitScope::handler : LimitScope::queue;
}

// The other kind's options, so that the refusal can say what this kind has.
void add_other_kind(CLI::App& app, std::initializer_list<const char*> names, const char* why) {
  for (const char* name : names) {
    app.add_option_function<std::string>(name, [=](const std::string&) { refuse_argument(name, why); })
        ->group("");
  }
}

// What both kinds of limits have, behind the options of the one kind.
void end_set(CLI::App& app, Parsing& parsing, const std::shared_ptr<LimitSetCommand>& command) {
  Limit& limit = command->request.limit;
  app.add_option("--max-running", limit.max_running, "at most so many runs at the same time")
      ->option_text("N");
  app.add_flag("--unlimited", limit.unlimited, "lift whatever else is set, configured or declared");
  app.add_option("--if-version", command->request.if_version, "only if this is the version in force")
      ->option_text("N")
      ->check(whole_number(0, largest_number));
  add_client_options(app, command->client);
  add_later_options(app, parsing, {"--key", "--server-key"});
  app.callback([command, &parsing] {
    check_name(command->request.scope, command->request.name, "NAME");
    check_limit(command->request.limit, command->request.scope, "");
    parsing.command = *command;
  });
}

void add_set_of_queues(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<LimitSetCommand>();
  command->request.scope = LimitScope::queue;
  CLI::App* const app =
      add_command(group, "queue", "Set the limit of a queue: a token bucket.", set_queue_examples);
  name_argument(app, LimitScope::queue, command->request.name);
  const auto take_rate = [command](const std::string& text) {
    const auto rate = parse_rate(text);
    if (!rate) refuse_argument("--rate", rate.error().message);
    command->request.limit.rate = *rate;
  };
  app->add_option_function<std::string>("--rate", take_rate, "starts a second, or like 5/m, 100/h")
      ->option_text("RATE");
  app->add_option("--burst", command->request.limit.burst, "at most so many at once (a second's worth)")
      ->option_text("N");
  add_other_kind(*app, {"--max", "--window", "--count"}, "is for handlers; a queue has --rate and --burst");
  end_set(*app, parsing, command);
}

void add_set_of_handlers(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<LimitSetCommand>();
  command->request.scope = LimitScope::handler;
  CLI::App* const app =
      add_command(group, "handler", "Set the limit of a handler: a sliding window.", set_handler_examples);
  name_argument(app, LimitScope::handler, command->request.name);
  app->add_option("--max", command->request.limit.max, "at most so many in any window")->option_text("N");
  add_duration(*app, "--window", command->request.limit.window_ms, 0, longest_pause_ms,
               "the window's length");
  const auto take_count = [command](const std::string& word) {
    if (word == "started") command->request.limit.count = CountPolicy::started;
  };
  app->add_option_function<std::string>("--count", take_count,
                                        "what counts: completed runs (completed) or every start (started)")
      ->option_text("POLICY")
      ->check(one_of({"completed", "started"}));
  add_other_kind(*app, {"--rate", "--burst"}, "is for queues; a handler has --max and --window");
  end_set(*app, parsing, command);
}

void add_set_group(CLI::App& limit_group, Parsing& parsing) {
  CLI::App* const group = add_group(limit_group, "set", "Set the limit of a queue or handler.");
  add_set_of_queues(*group, parsing);
  add_set_of_handlers(*group, parsing);
}

// A command on one name, given by its scope and name.
template <class Kind>
void add_on_name(CLI::App& group, Parsing& parsing, const char* name, const char* description,
                 const char* examples, const std::function<void(CLI::App&, Kind&)>& add_more = {}) {
  auto command = std::make_shared<Kind>();
  auto scope = std::make_shared<std::string>();
  CLI::App* const app = add_client_command(group, parsing, command->client, name, description, examples);
  add_scope_and_name(*app, *scope, command->request.name, true);
  if (add_more) add_more(*app, *command);
  app->callback([command, scope, &parsing] {
    command->request.scope = scope_of(*scope);
    check_name(command->request.scope, command->request.name, "NAME");
    parsing.command = *command;
  });
}

void add_show(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<LimitShowCommand>();
  auto scope = std::make_shared<std::string>();
  CLI::App* const app =
      add_client_command(group, parsing, command->client, "show",
                         "Show what limits hold, and how much room there is.", show_examples);
  add_scope_and_name(*app, *scope, command->name, false);
  app->callback([command, scope, &parsing] {
    if (!scope->empty()) command->scope = scope_of(*scope);
    if (!command->name.empty()) check_name(*command->scope, command->name, "NAME");
    parsing.command = *command;
  });
}

// `stint queue pause` and `stint handler pause`, and the same of resume.
void add_pause_and_resume(CLI::App& group, Parsing& parsing, LimitScope scope) {
  auto pause = std::make_shared<PauseCommand>();
  pause->request.scope = scope;
  CLI::App* const pausing =
      add_client_command(group, parsing, pause->client, "pause",
                         scope == LimitScope::queue ? "Start no more jobs of a queue for a while."
                                                    : "Start no more jobs of a handler for a while.",
                         pause_examples);
  name_argument(pausing, scope, pause->request.name);
  add_duration(*pausing, "--for", pause->request.for_ms, 1, longest_pause_ms,
               "how long (until it is resumed)");
  pausing->callback([pause, scope, &parsing] {
    check_name(scope, pause->request.name, "NAME");
    parsing.command = *pause;
  });

  auto resume = std::make_shared<ResumeCommand>();
  resume->request.scope = scope;
  CLI::App* const resuming =
      add_client_command(group, parsing, resume->client, "resume", "End a pause.",
                         scope == LimitScope::queue ? "Examples:\n  stint queue resume email\n"
                                                    : "Examples:\n  stint handler resume send_email\n");
  name_argument(resuming, scope, resume->request.name);
  resuming->callback([resume, scope, &parsing] {
    check_name(scope, resume->request.name, "NAME");
    parsing.command = *resume;
  });
}

void add_limit_group(CLI::App& root, Parsing& parsing) {
  CLI::App* const group = add_group(root, "limit", "Set, show and lift limits; ask whether there is room.");
  add_set_group(*group, parsing);
  add_show(*group, parsing);
  add_on_name<LimitClearCommand>(*group, parsing, "clear", "Remove the limit that an operator has set.",
                                 clear_examples, [](CLI::App& app, LimitClearCommand& command) {
                                   app.add_flag("--all", command.request.all,
                                                "what workers declared and jobs brought along too");
                                 });
  add_on_name<LimitCheckCommand>(*group, parsing, "check", "Ask whether a start is allowed now, or when.",
                                 check_examples);
}

void add_handler_group(CLI::App& root, Parsing& parsing) {
  CLI::App* const group = add_group(root, "handler", "Look at handlers, pause and resume them.");
  auto list = std::make_shared<HandlerListCommand>();
  CLI::App* const listing = add_client_command(*group, parsing, list->client, "list",
                                               "List the handlers that have jobs, workers or a limit.",
                                               "Examples:\n  stint handler list\n");
  listing->callback([list, &parsing] { parsing.command = *list; });

  auto show = std::make_shared<HandlerShowCommand>();
  CLI::App* const showing = add_client_command(*group, parsing, show->client, "show",
                                               "Show a handler, its limit and where its jobs wait.",
                                               "Examples:\n  stint handler show send_email\n");
  name_argument(showing, LimitScope::handler, show->name);
  showing->callback([show, &parsing] {
    check_name(LimitScope::handler, show->name, "NAME");
    parsing.command = *show;
  });
  add_pause_and_resume(*group, parsing, LimitScope::handler);
}

}  // namespace

void add_limit_commands(CLI::App& root, Parsing& parsing) {
  add_limit_group(root, parsing);
  add_handler_group(root, parsing);
  add_pause_and_resume(*root.get_subcommand("queue"), parsing, LimitScope::queue);
}

}  // namespace stint
