#include "nodes/bench/fanout_bench.hpp"

#include <algorithm>

#include "nodes/bench/bench_clock.hpp"
#include "nodes/bench/bench_figures.hpp"
#include "nodes/cli/client_connection.hpp"
#include "nodes/cli/table.hpp"

namespace stint {

namespace {

// Of a job that ends well: enqueued, started, completed.
constexpr std::int64_t events_a_job = 3;
constexpr std::int64_t catch_up_ms = 5'000;
constexpr std::int64_t look_every_ms = 50;

struct Row {
  std::int64_t connections = 1;
  int readers = 0;
  int stalled = 0;
  std::int64_t jobs = 0;  // of all runs
  bool is_whole = true;
  std::vector<double> jobs_per_s;
  double told = 1;  // the least share of events that any reader was told in any run
};

std::vector<Row> rows_of(const FanoutBenchOptions& options) {
  std::vector<Row> rows;
  for (const std::int64_t connections : options.connections) rows.emplace_back().connections = connections;
  for (const std::int64_t readers : options.subscribers) {
    rows.emplace_back().connections = options.connections.front();
    rows.back().readers = static_cast<int>(readers);
  }
  rows.emplace_back().connections = options.connections.front();
  rows.back().stalled = 1;
  return rows;
}

class FanoutBench {
 public:
  FanoutBench(const FanoutBenchOptions& options, BenchWatch& watch)
      : options_(options), watch_(watch), rows_(rows_of(options)) {}

  Result<std::vector<Row>, Failure> run() {
    for (std::int64_t number = 0; number < options_.basics.runs; ++number) {
      for (Row& row : rows_) {
        if (auto done = run_once(row); !done) return done.error();
      }
    }
    return rows_;
  }

 private:
  Result<Done, Failure> run_once(Row& row) {
    auto fleet = open_fleet(options_.basics);
    if (!fleet) return fleet.error();
    LoadDriver driver(**fleet, watch_);
    if (row.readers + row.stalled > 0) {
      auto events = events_of((*fleet)->server());
      if (!events) return events.error();
      if (auto begun = driver.subscribe(*events, row.readers, row.stalled); !begun) return begun;
    }
    Load load;
    load.batch = options_.batch;
    load.payload = options_.payload;
    load.outstanding = options_.outstanding;
    load.connections = row.connections;
    const auto run = driver.run(load_of(options_.basics, load));
    if (!run) return run.error();
    row.jobs += run->jobs;
    row.is_whole = row.is_whole && run->is_whole;
    row.jobs_per_s.push_back(run->jobs_per_s);
    if (row.readers == 0) return Done{};
    return add_told(driver, run->jobs * events_a_job, row);
  }

  static Result<std::string, Failure> events_of(const std::string& server) {
    ServerClient client({.endpoint = server});
    Hello hello;
    hello.client = "stint bench";
    auto welcome = client.ask_for<Welcome>(hello);
    if (!welcome) return welcome.error();
    if (!welcome->events.empty()) return welcome->events;
    return Failure{.status = ExitStatus::config,
                   .message = "the server at " + server + " publishes no events"};
  }

  // A reader that is behind when the jobs have ended is given a while.
  Result<Done, Failure> add_told(const LoadDriver& driver, std::int64_t expected, Row& row) {
    for (const std::int64_t deadline_us = bench_now_us() + catch_up_ms * 1'000;;) {
      const auto told = driver.told();
      if (!told) return told.error();
      const std::int64_t least = *std::min_element(told->begin(), told->end());
      if (least >= expected || bench_now_us() >= deadline_us) {
        row.told = std::min(row.told, static_cast<double>(least) / static_cast<double>(expected));
        return Done{};
      }
      if (auto passed = watch_.pass(look_every_ms); !passed) return passed;
    }
  }

  const FanoutBenchOptions& options_;
  BenchWatch& watch_;
  std::vector<Row> rows_;
};

double ratio_to_first(const std::vector<Row>& rows, const Row& row) {
  return spread_of(row.jobs_per_s).median / spread_of(rows.front().jobs_per_s).median;
}

std::string json_of(const FanoutBenchOptions& options, const std::vector<Row>& rows) {
  std::vector<JsonObject> all;
  for (const Row& row : rows) {
    all.push_back(JsonObject()
                      .add("connections", row.connections)
                      .add("subscribers", std::int64_t{row.readers})
                      .add("stalled", std::int64_t{row.stalled})
                      .add("jobs", row.jobs)
                      .add("whole", row.is_whole)
                      .add("jobs_per_s", spread_of(row.jobs_per_s))
                      .add("ratio", ratio_to_first(rows, row))
                      .add("told", row.told));
  }
  return JsonObject()
             .add("bench", "fanout")
             .add("batch", options.batch)
             .add("payload", options.payload)
             .add("outstanding", options.outstanding)
             .add("runs", options.basics.runs)
             .add("rows", all)
             .text() +
         "\n";
}

std::string table_of(const std::vector<Row>& rows, const Console& console) {
  Table table({{.title = "connections", .right = true},
               {.title = "subscribers", .right = true},
               {.title = "jobs/s", .right = true},
               {.title = "least-most", .right = true},
               {.title = "of first", .right = true},
               {.title = "events told", .right = true}});
  for (const Row& row : rows) {
    const Spread rates = spread_of(row.jobs_per_s);
    table.add({{std::to_string(row.connections)},
               {row.stalled > 0 ? "1 that reads nothing" : std::to_string(row.readers)},
               {whole_text(rates.median), Style::bold},
               {range_text(rates)},
               {ratio_text(ratio_to_first(rows, row))},
               {row.readers > 0 ? fixed_text(row.told * 100, 1) + "%" : "-"}});
  }
  return table.text(console);
}

}  // namespace

ExitStatus run_fanout_bench(const FanoutBenchOptions& options, const Console& console) {
  BenchWatch watch(console, std::ssize(rows_of(options)) * options.basics.runs);
  auto rows = FanoutBench(options, watch).run();
  if (!rows) return fail_bench(console, rows.error());
  const bool is_whole = std::all_of(rows->begin(), rows->end(), [](const Row& row) { return row.is_whole; });
  return finish_bench(console, options.basics.json ? json_of(options, *rows) : table_of(*rows, console),
                      is_whole);
}

}  // namespace stint
