#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "nodes/cli/argument_parts.hpp"
#include "nodes/config/endpoint.hpp"

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

constexpr std::int64_t most_runs = 1'000;
constexpr std::int64_t most_jobs = 1'000'000'000;
constexpr std::int64_t most_waiting = 100'000'000;
constexpr std::int64_t most_batch = 1'000;
constexpr std::int64_t most_payload = 1 << 20;
constexpr std::int64_t most_outstanding = 1'024;

constexpr const char* how_it_works =
    R"(It starts a node of its own on loopback, with its database in a temporary
folder (below $TMPDIR: use the disk that you mean to use), and a producer and a
worker as processes of their own. That worker speaks the protocol itself, with
an empty handler, so that what is measured is the server. Counted are jobs from
the first enqueue to the last acknowledged finish; shown is the median of the
runs, with the least and the most. Exit status 1: not every job ended exactly
once.
)";

constexpr const char* throughput_examples = R"(
A row for each combination of batch, payload and outstanding; one that does
not fit into a message is left out.

Examples:
  stint bench throughput
  stint bench throughput --batch 100 --outstanding 8 --outstanding 64 --runs 5
  stint bench throughput --payload 0 --payload 65536 --batch 10 --seconds 10
  stint bench throughput --jobs 1000000 --batch 100 --json
  stint bench throughput --server tcp://10.0.0.1:7611 --batch 100
)";

constexpr const char* latency_examples = R"(
From sending a job to the start of its handler: on an idle server, one job at a
time at random gaps; and under load, at random moments (open loop), with half
of what it was just seen to carry. Beside it what the disk alone takes to sync
4 KiB at the end of a file in $TMPDIR, and the server to answer a ping.

Examples:
  stint bench latency
  stint bench latency --batch 10 --load 80 --seconds 20 --json
)";

constexpr const char* backlog_examples = R"(
A row for each number of waiting jobs, which nobody works on: throughput and
the time from sending one job to its start (pickup) beside them, the server's
memory, and how long after a kill it hands out its first batch again.

Examples:
  stint bench backlog
  stint bench backlog --millions 10 --payload 1000
  stint bench backlog --waiting 0 --waiting 50000 --seconds 1 --json
)";

constexpr const char* fanout_examples = R"(
Rows of worker connections without a subscriber; then, with as many connections
as the first row, rows of subscribers that take and decode every event, and one
of a subscriber that reads nothing. `events told`: how much of the events the
slowest subscriber was told; one that is too slow misses some.

Examples:
  stint bench fanout
  stint bench fanout --connections 1 --connections 64 --subscribers 4 --json
)";

std::string with_how(const char* examples) { return how_it_works + std::string(examples); }

CLI::App* add_speed_command(CLI::App& group, const char* name, const char* description, const char* examples,
                            BenchBasics& basics) {
  CLI::App* const app = add_command(group, name, description, with_how(examples).c_str());
  app->add_option("--runs", basics.runs, "runs of each row (3)")
      ->option_text("N")
      ->check(whole_number(1, most_runs));
  CLI::Option* const jobs = app->add_option("--jobs", basics.jobs, "jobs a run, rounded up to whole batches")
                                ->option_text("N")
                                ->check(whole_number(1, most_jobs));
  app->add_option("--seconds", basics.seconds, "how long a run enqueues, if not so many jobs (3)")
      ->option_text("N")
      ->check(whole_number(1, 86'400))
      ->excludes(jobs);
  add_json_option(*app, basics.json);
  return app;
}

void add_server(CLI::App& app, BenchBasics& basics) {
  app.add_option("--server", basics.server,
                 "measure this server instead; the jobs go to a queue of their own, their logs stay")
      ->option_text("ENDPOINT")
      ->check([](const std::string& text) {
        const Status status = check_connect_endpoint(text);
        return status ? std::string() : status.error().message;
      });
}

void add_number(CLI::App& app, const char* name, std::int64_t& target, std::int64_t least, std::int64_t most,
                const char* description) {
  app.add_option(name, target, description)->option_text("N")->check(whole_number(least, most));
}

void add_numbers(CLI::App& app, const char* name, std::vector<std::int64_t>& target, std::int64_t least,
                 std::int64_t most, const char* description) {
  app.add_option(name, target, description)
      ->option_text("N")
      ->check(whole_number(least, most))
      ->allow_extra_args(false);
}

// Batches of one size, where a mode has no rows of them.
void check_message(std::int64_t batch, std::int64_t payload) {
  if (fits_a_message(batch, payload)) return;
  refuse_argument("--payload", "a batch of " + std::to_string(batch) + " jobs of " + std::to_string(payload) +
                                   " bytes does not fit into a message");
}

template <class Options>
void add_shape(CLI::App& app, Options& options, const char* batch, const char* outstanding) {
  add_number(app, "--batch", options.batch, 1, most_batch, batch);
  add_number(app, "--payload", options.payload, 0, most_payload, "bytes a job (100)");
  add_number(app, "--outstanding", options.outstanding, 1, most_outstanding, outstanding);
}

void add_throughput(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchThroughputCommand>();
  ThroughputBenchOptions& options = command->options;
  CLI::App* const app =
      add_speed_command(group, "throughput", "How many jobs a second are enqueued, run and finished.",
                        throughput_examples, options.basics);
  add_server(*app, options.basics);
  add_numbers(*app, "--batch", options.batch, 1, most_batch,
              "jobs a request; may be repeated (1, 10, 100, 1000)");
  add_numbers(*app, "--payload", options.payload, 0, most_payload, "bytes a job; may be repeated (100)");
  add_numbers(*app, "--outstanding", options.outstanding, 1, most_outstanding,
              "requests on the way, each side; may be repeated (64)");
  app->callback([command, &parsing] { parsing.command = *command; });
}

void add_latency(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchLatencyCommand>();
  LatencyBenchOptions& options = command->options;
  CLI::App* const app =
      add_speed_command(group, "latency", "How long it takes from sending a job to the start of its handler.",
                        latency_examples, options.basics);
  add_server(*app, options.basics);
  add_shape(*app, options, "jobs a request under load (1)", "requests on the way at most, and asks (64)");
  add_number(*app, "--load", options.load_percent, 1, 100, "of what the server carries, in percent (50)");
  add_number(*app, "--idle-jobs", options.idle_jobs, 1, most_jobs, "jobs a run on the idle server (1000)");
  app->callback([command, &parsing] {
    check_message(command->options.batch, command->options.payload);
    parsing.command = *command;
  });
}

void add_backlog(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchBacklogCommand>();
  auto millions = std::make_shared<std::vector<std::int64_t>>();
  BacklogBenchOptions& options = command->options;
  CLI::App* const app = add_speed_command(group, "backlog", "Whether jobs that wait slow down the others.",
                                          backlog_examples, options.basics);
  add_numbers(*app, "--waiting", options.waiting, 0, most_waiting,
              "jobs that wait, a row each; may be repeated (0, 1000000)");
  add_numbers(*app, "--millions", *millions, 1, most_waiting / 1'000'000,
              "one more row, of so many million; may be repeated");
  add_shape(*app, options, "jobs a request (100)", "requests on the way, each side (64)");
  add_number(*app, "--pickup-jobs", options.pickup_jobs, 1, most_jobs,
             "jobs a run whose pickup is measured (500)");
  app->callback([command, millions, &parsing] {
    check_message(command->options.batch, command->options.payload);
    for (const std::int64_t number : *millions) command->options.waiting.push_back(number * 1'000'000);
    parsing.command = *command;
  });
}

void add_fanout(CLI::App& group, Parsing& parsing) {
  auto command = std::make_shared<BenchFanoutCommand>();
  FanoutBenchOptions& options = command->options;
  CLI::App* const app = add_speed_command(
      group, "fanout", "What many worker connections and subscribers cost.", fanout_examples, options.basics);
  add_server(*app, options.basics);
  add_numbers(*app, "--connections", options.connections, 1, most_processes,
              "connections of workers, a row each; may be repeated (1, 16, 256)");
  add_numbers(*app, "--subscribers", options.subscribers, 1, 64,
              "subscribers to all events, a row each; may be repeated (2, 10)");
  add_shape(*app, options, "jobs a request (100)", "enqueues on the way, and asks in all (64)");
  app->callback([command, &parsing] {
    check_message(command->options.batch, command->options.payload);
    parsing.command = *command;
  });
}

}  // namespace

void add_bench_commands(CLI::App& root, Parsing& parsing) {
  CLI::App* const group =
      add_group(root, "bench", "Measure stint, and whether it keeps its promises, on this machine.");
  add_throughput(*group, parsing);
  add_latency(*group, parsing);
  add_backlog(*group, parsing);
  add_fanout(*group, parsing);
  add_limits(*group, parsing);
  add_bench_drivers(*group, parsing);
}

}  // namespace stint
