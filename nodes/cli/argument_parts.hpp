// What the parts of parse_arguments() share: each adds its commands to CLI11's tree. Nobody else includes
// this.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/cli/arguments.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stint {

// The outcome of parsing: set by the command that was chosen.
struct Parsing {
  Command command;
  std::vector<const CLI::Option*> later;  // options that only later versions know
};

void add_node_commands(CLI::App& root, Parsing& parsing);     // node, work, config
void add_enqueue_command(CLI::App& root, Parsing& parsing);   // enqueue
void add_inspect_commands(CLI::App& root, Parsing& parsing);  // job, queue, worker, status, ping, version
void add_limit_commands(CLI::App& root, Parsing& parsing);    // limit, handler, and more of queue
void add_tail_command(CLI::App& root, Parsing& parsing);      // tail
void add_bench_commands(CLI::App& root, Parsing& parsing);    // bench
void add_bench_drivers(CLI::App& group, Parsing& parsing);    // hidden ones of bench

CLI::App* add_command(CLI::App& parent, const char* name, const char* description, const char* examples);
// A word that only has commands below it.
CLI::App* add_group(CLI::App& parent, const char* name, const char* description);
// One that talks to a server: with the options for that.
CLI::App* add_client_command(CLI::App& parent, Parsing& parsing, ClientOptions& options, const char* name,
                             const char* description, const char* examples);
void add_json_option(CLI::App& app, bool& json);
void add_client_options(CLI::App& app, ClientOptions& options);
CLI::Option* add_duration(CLI::App& app, const char* names, std::int64_t& target_ms, std::int64_t least_ms,
                          std::int64_t most_ms, const char* description);
CLI::Option* add_duration(CLI::App& app, const char* names, std::optional<std::int64_t>& target_ms,
                          std::int64_t least_ms, std::int64_t most_ms, const char* description);
// Typed, they are refused with a clear word; they are not offered.
void add_later_options(CLI::App& app, Parsing& parsing, std::initializer_list<const char*> names);

// Checks for options: each returns what is wrong, or nothing.
std::function<std::string(const std::string&)> whole_number(std::int64_t least, std::int64_t most);
std::function<std::string(const std::string&)> one_of(std::vector<std::string> words);

// What `--limit` and `limit set` may not be: ends the parsing, naming the option of the faulty field.
void check_limit(const Limit& limit, LimitScope scope, const std::string& option);
void check_name(LimitScope scope, const std::string& name, const std::string& argument);

// Ends the parsing: `--queue: 'a b' is not a queue name`.
[[noreturn]] void refuse_argument(const std::string& name, const std::string& why);

}  // namespace stint
