#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdlib>
#include <memory>

#include "nodes/cli/argument_parts.hpp"

namespace stint {

namespace {

// Not offered: a benchmark types it, so that its words are not checked a second time.
CLI::App* add_hidden(CLI::App& group, const char* name) {
  CLI::App* const app = add_command(group, name, "", "");
  app->group("");
  return app;
}

void add_worker(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchWorkerCommand>();
  BenchWorkerOptions& options = command->options;
  auto queues = std::make_shared<std::vector<std::string>>();
  CLI::App* const app = add_hidden(group, "worker");
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

void add_producer(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchProduceCommand>();
  ProducerOptions& options = command->options;
  CLI::App* const app = add_hidden(group, "produce");
  app->add_option("--server", options.server)->required();
  app->add_option("--queue", options.queue)->required();
  app->add_option("--handler", options.handler)->required();
  app->add_option("--batch", options.batch)->check(whole_number(1, 1'000));
  app->add_option("--payload", options.payload)->check(whole_number(0, 1 << 20));
  app->add_option("--outstanding", options.outstanding)->check(whole_number(1, 1'024));
  app->add_option("--jobs", options.jobs);
  app->add_option("--run-ms", options.run_ms);
  app->add_option("--jobs-per-s", options.jobs_per_s);
  app->add_option("--gap-us", options.gap_us);
  app->add_flag("--stamped", options.stamped);
  app->add_option("--parent", options.parent);
  app->callback([command, &parsing] {
    if (command->options.jobs == 0 && command->options.run_ms == 0)
      refuse_argument("--jobs", "no end is given");
    if (command->options.stamped && command->options.payload < 8)
      refuse_argument("--stamped", "no room for it");
    parsing.command = *command;
  });
}

void add_consumer(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchConsumeCommand>();
  ConsumerOptions& options = command->options;
  CLI::App* const app = add_hidden(group, "consume");
  app->add_option("--server", options.server)->required();
  app->add_option("--queue", options.queue)->required();
  app->add_option("--handler", options.handler)->required();
  app->add_option("--batch", options.batch)->check(whole_number(1, 1'000));
  app->add_option("--outstanding", options.outstanding)->check(whole_number(1, 1'024));
  app->add_option("--connections", options.connections)->check(whole_number(1, 256));
  app->add_option("--samples", options.samples);
  app->add_option("--parent", options.parent);
  app->callback([command, &parsing] { parsing.command = *command; });
}

void add_subscriber(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchSubscribeCommand>();
  CLI::App* const app = add_hidden(group, "subscribe");
  app->add_option("--events", command->options.events)->required();
  app->add_flag("--stalled", command->options.stalled);
  app->add_option("--parent", command->options.parent);
  app->callback([command, &parsing] { parsing.command = *command; });
}

}  // namespace

void add_bench_drivers(CLI::App& group, Parsing& parsing) {
  add_worker(group, parsing);
  add_producer(group, parsing);
  add_consumer(group, parsing);
  add_subscriber(group, parsing);
}

}  // namespace stint
