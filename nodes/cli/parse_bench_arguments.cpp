#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "nodes/cli/argument_parts.hpp"

namespace stint {

namespace {

constexpr std::int64_t most_processes = 256;

constexpr const char* limits_examples =
    R"(Starts a storage node, limiter nodes and worker processes of its own on
loopback, in a temporary folder, a fresh fleet for each row. Exit status 1: a
limit was exceeded.

Examples:
  stint bench limits
  stint bench limits --workers 1 --workers 8 --seconds 60 --json
)";

void add_limits(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchLimitsCommand>();
  LimitsBenchOptions& options = command->options;
  CLI::App* const app =
      add_command(group, "limits", "How exactly limits hold, and how much of what they allow is reached.",
                  limits_examples);
  app->add_option("--workers", options.workers, "worker processes of a row; may be repeated (1, 2, 4, 8, 16)")
      ->option_text("N")
      ->check(whole_number(1, most_processes))
      ->allow_extra_args(false);
  app->add_option("--limiters", options.limiters, "limiter nodes; 0: the storage node's own (3)")
      ->option_text("N")
      ->check(whole_number(0, 16));
  app->add_option("--seconds", options.seconds, "how long each row is measured (20)")
      ->option_text("N")
      ->check(whole_number(1, 86'400));
  add_json_option(*app, options.json);
  app->callback([command, &parsing] { parsing.command = *command; });
}

void add_worker(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchWorkerCommand>();
  BenchWorkerOptions& options = command->options;
  auto queues = std::make_shared<std::vector<std::string>>();
  CLI::App* const app = add_command(group, "worker", "", "");
  app->group("");
  app->add_option("--server", options.server)->required();
  app->add_option("--queue", *queues)->required()->allow_extra_args(false);
  app->add_option("--handler", options.handler)->required();
  app->add_option("--run-ms", options.run_ms)->check(whole_number(0, 3'600'000));
  app->callback([command, queues, &parsing] {
    for (const std::string& word : *queues) {
      const std::size_t colon = word.rfind(':');
      if (colon == std::string::npos) refuse_argument("--queue", "'" + word + "' has no permits");
      command->options.queues[word.substr(0, colon)] = std::atoll(word.c_str() + colon + 1);
    }
    parsing.command = *command;
  });
}

}  // namespace

void add_bench_commands(CLI::App& root, Parsing& parsing) {
  CLI::App* const group =
      add_group(root, "bench", "Measure stint, and whether it keeps its promises, on this machine.");
  add_limits(*group, parsing);
  add_worker(*group, parsing);
}

}  // namespace stint
