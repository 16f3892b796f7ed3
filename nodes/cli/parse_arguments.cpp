#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <array>

#include "nodes/cli/argument_parts.hpp"
#include "nodes/cli/help_text.hpp"
#include "nodes/config/duration.hpp"
#include "nodes/config/endpoint.hpp"

namespace stint {

namespace {

constexpr std::int64_t longest_wait_ms = 86'400'000;
constexpr std::array<const char*, 6> later_commands{"limit", "handler", "tail", "bench", "keygen", "backup"};
constexpr std::array<const char*, 2> later_queue_commands{"pause", "resume"};

// Known words of later versions: taken whole, so that the refusal can name them.
void add_later_command(CLI::App& parent, const char* name) {
  CLI::App* const app = parent.add_subcommand(name);
  app->group("")->allow_extras()->set_help_flag("");
  app->callback([name] { refuse_argument(name, "not in this version of stint"); });
}

// The deepest command that was named: `stint job list`.
std::string command_path(const CLI::App& root) {
  std::string path = "stint";
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    path += " " + app->get_name();
  }
  return path;
}

Failure usage_failure(const CLI::App& root, std::string message) {
  while (message.ends_with('\n')) message.pop_back();
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  return {
      .status = ExitStatus::usage, .message = message, .hint = "  See `" + command_path(root) + " --help`."};
}

std::optional<std::string> unknown_command(const CLI::App& root, int count, const char* const* arguments) {
  if (count < 2 || arguments[1][0] == '-' || arguments[1][0] == '\0') return {};
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == arguments[1]) return {};
  }
  return "'" + std::string(arguments[1]) + "' is not a command";
}

std::int64_t read_duration(const char* name, const std::string& text, std::int64_t least_ms,
                           std::int64_t most_ms) {
  const auto duration_ms = parse_duration_ms(text);
  if (!duration_ms) refuse_argument(name, duration_ms.error().message);
  if (*duration_ms >= least_ms && *duration_ms <= most_ms) return *duration_ms;
  refuse_argument(name, "'" + text + "' is out of range; expected " + duration_text(least_ms) + " to " +
                            duration_text(most_ms));
}

void add_commands(CLI::App& root, Parsing& parsing) {
  root.require_subcommand(1);
  root.set_help_flag("-h,--help", "show this help, or that of a command");
  root.footer(std::string(help_footer()));
  root.formatter(make_help_formatter());
  add_node_commands(root, parsing);
  add_enqueue_command(root, parsing);
  add_inspect_commands(root, parsing);
  for (const char* name : later_commands) add_later_command(root, name);
  for (const char* name : later_queue_commands) add_later_command(*root.get_subcommand("queue"), name);
  add_later_command(*root.get_subcommand("job"), "explain");
}

}  // namespace

CLI::App* add_command(CLI::App& parent, const char* name, const char* description, const char* examples) {
  CLI::App* const app = parent.add_subcommand(name, description);
  app->set_help_flag("-h,--help", "show this help");
  app->footer(examples);
  return app;
}

void add_json_option(CLI::App& app, bool& json) { app.add_flag("--json", json, "print JSON"); }

void add_client_options(CLI::App& app, ClientOptions& options) {
  app.add_option("--server", options.server.endpoint, "where the server is (" + options.server.endpoint + ")")
      ->envname("STINT_SERVER")
      ->option_text("ENDPOINT")
      ->check([](const std::string& text) {
        const Status status = check_connect_endpoint(text);
        return status ? std::string() : status.error().message;
      });
  add_duration(app, "--wait", options.server.wait_ms, 1, longest_wait_ms,
               "how long to wait for the server (5s)");
  add_json_option(app, options.json);
}

CLI::Option* add_duration(CLI::App& app, const char* names, std::int64_t& target_ms, std::int64_t least_ms,
                          std::int64_t most_ms, const char* description) {
  const auto take = [=, &target_ms](const std::string& text) {
    target_ms = read_duration(names, text, least_ms, most_ms);
  };
  return app.add_option_function<std::string>(names, take, description)->option_text("DURATION");
}

CLI::Option* add_duration(CLI::App& app, const char* names, std::optional<std::int64_t>& target_ms,
                          std::int64_t least_ms, std::int64_t most_ms, const char* description) {
  const auto take = [=, &target_ms](const std::string& text) {
    target_ms = read_duration(names, text, least_ms, most_ms);
  };
  return app.add_option_function<std::string>(names, take, description)->option_text("DURATION");
}

void add_later_options(CLI::App& app, Parsing& parsing, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    CLI::Option* const option = app.add_option(name)->group("")->expected(0, 1);
    parsing.later.push_back(option);
  }
}

void refuse_argument(const std::string& name, const std::string& why) {
  throw CLI::ValidationError(name, why);
}

Result<std::variant<Command, HelpText>, Failure> parse_arguments(int count, const char* const* arguments) {
  Parsing parsing;
  CLI::App root("A job server whose rate limits are global and exact, without a database server or a broker.",
                "stint");
  add_commands(root, parsing);
  if (const auto unknown = unknown_command(root, count, arguments)) return usage_failure(root, *unknown);
  try {
    root.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    return std::variant<Command, HelpText>(HelpText{root.help()});
  } catch (const CLI::ParseError& error) {
    return usage_failure(root, error.what());
  }
  for (const CLI::Option* option : parsing.later) {
    if (option->count() > 0)
      return usage_failure(root, option->get_name() + ": not in this version of stint");
  }
  return std::variant<Command, HelpText>(std::move(parsing.command));
}

}  // namespace stint
