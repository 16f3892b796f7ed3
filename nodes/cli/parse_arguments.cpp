#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <charconv>

#include "nodes/cli/argument_parts.hpp"
#include "nodes/cli/help_text.hpp"
#include "nodes/config/duration.hpp"
#include "nodes/config/endpoint.hpp"
#include "nodes/config/limit_text.hpp"
#include "protocol/names.hpp"
#include "protocol/version.hpp"

namespace stint {

namespace {

constexpr std::int64_t longest_wait_ms = 86'400'000;
constexpr std::array<const char*, 2> later_commands{"keygen", "backup"};

// Known words of later versions: taken whole, so that the refusal can name them.
void add_later_command(CLI::App& parent, const char* name) {
  CLI::App* const app = parent.add_subcommand(name);
  app->group("")->allow_extras()->set_help_flag("");
  app->callback([name] { refuse_argument(name, "not in this version of stint"); });
}

bool is_offered(const CLI::App& command) { return !command.get_group().empty(); }

// The deepest command that was named: `stint job list`.
std::string command_path(const CLI::App& root) {
  std::string path = "stint";
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty() && is_offered(*app->get_subcommands().front())) {
    app = app->get_subcommands().front();
    path += " " + app->get_name();
  }
  return path;
}

Failure usage_failure(const std::string& path, std::string message) {
  while (message.ends_with('\n')) message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  if (message.starts_with("The ")) message.front() = 't';  // the library's own sentences
  return {.status = ExitStatus::usage, .message = message, .hint = "  See `" + path + " --help`."};
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Follows the first words to a command. Failure: a word that is none, or one is missing.
std::optional<Failure> check_command(const CLI::App& root, int count, const char* const* arguments) {
  const CLI::App* app = &root;
  std::string path = "stint";
  for (int i = 1; !commands_of(*app).empty(); ++i) {
    if (i < count && arguments[i][0] == '-') {
      if (app->get_option_no_throw(arguments[i]) != nullptr) return {};
      return usage_failure(path, "'" + std::string(arguments[i]) + "' is not an option of " + path);
    }
    const std::string word = i < count ? arguments[i] : "";
    const CLI::App* named = nullptr;
    std::string offered;
    for (const CLI::App* command : commands_of(*app)) {
      if (command->get_name() == word) named = command;
      if (is_offered(*command)) offered.append(offered.empty() ? "" : ", ").append(command->get_name());
    }
    if (named == nullptr) {
      return usage_failure(
          path, (i < count ? "'" + word + "' is not a command; " : "") + "expected one of " + offered);
    }
    if (!is_offered(*named)) return {};
    path += " " + word;
    app = named;
  }
  return {};
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
  root.set_version_flag("--version", std::string(stint_version), "show the version of this program");
  root.footer(std::string(help_footer()));
  root.formatter(make_help_formatter());
  add_node_commands(root, parsing);
  add_enqueue_command(root, parsing);
  add_inspect_commands(root, parsing);
  add_limit_commands(root, parsing);
  add_tail_command(root, parsing);
  add_bench_commands(root, parsing);
  for (const char* name : later_commands) add_later_command(root, name);
}

}  // namespace

CLI::App* add_command(CLI::App& parent, const char* name, const char* description, const char* examples) {
  CLI::App* const app = parent.add_subcommand(name, description);
  app->set_help_flag("-h,--help", "show this help");
  app->footer(examples);
  return app;
}

CLI::App* add_group(CLI::App& parent, const char* name, const char* description) {
  CLI::App* const group = add_command(parent, name, description, "");
  group->require_subcommand(1);
  return group;
}

CLI::App* add_client_command(CLI::App& parent, Parsing& parsing, ClientOptions& options, const char* name,
                             const char* description, const char* examples) {
  CLI::App* const app = add_command(parent, name, description, examples);
  add_client_options(*app, options);
  add_later_options(*app, parsing, {"--key", "--server-key"});
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

std::function<std::string(const std::string&)> whole_number(std::int64_t least, std::int64_t most) {
  return [=](const std::string& text) {
    std::int64_t number = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault == std::errc{} && rest == text.data() + text.size() && number >= least && number <= most) {
      return std::string();
    }
    return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
           std::to_string(most);
  };
}

std::function<std::string(const std::string&)> one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    std::string expected;
    for (const std::string& word : words) expected += (expected.empty() ? "" : ", ") + word;
    return "'" + text + "' is not one of " + expected;
  };
}

void check_limit(const Limit& limit, LimitScope scope, const std::string& option) {
  const auto fault = fault_of(limit, scope);
  if (!fault) return;
  std::string message = in_config_words(fault->message);
  if (!option.empty()) refuse_argument(option, message);
  std::string name = in_config_words(fault->field);
  std::replace(name.begin(), name.end(), '_', '-');
  if (!name.empty()) refuse_argument("--" + name, message);
  refuse_argument("limit set", scope == LimitScope::queue
                                   ? "expected --rate, --max-running or --unlimited"
                                   : "expected --max and --window, --max-running or --unlimited");
}

void check_name(LimitScope scope, const std::string& name, const std::string& argument) {
  if (scope == LimitScope::queue ? is_queue_name(name) : is_handler_name(name)) return;
  refuse_argument(argument, "'" + name + "' is not a " + std::string(to_string(scope)) + " name");
}

void refuse_argument(const std::string& name, const std::string& why) {
  throw CLI::ValidationError(name, why);
}

Result<std::variant<Command, HelpText>, Failure> parse_arguments(int count, const char* const* arguments) {
  Parsing parsing;
  CLI::App root("A job server whose rate limits are global and exact, without a database server or a broker.",
                "stint");
  add_commands(root, parsing);
  if (auto failure = check_command(root, count, arguments)) return *failure;
  try {
    root.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    return std::variant<Command, HelpText>(HelpText{root.help()});
  } catch (const CLI::CallForVersion&) {
    return std::variant<Command, HelpText>(Command(VersionCommand{}));
  } catch (const CLI::ParseError& error) {
    return usage_failure(command_path(root), error.what());
  }
  for (const CLI::Option* option : parsing.later) {
    if (option->count() == 0) continue;
    const std::string name = "--" + option->get_lnames().front();
    return usage_failure(command_path(root), name + ": not in this version of stint");
  }
  return std::variant<Command, HelpText>(std::move(parsing.command));
}

}  // namespace stint
