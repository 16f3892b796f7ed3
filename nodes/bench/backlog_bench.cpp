#include "nodes/bench/backlog_bench.hpp"

#include <algorithm>

#include "nodes/bench/bench_figures.hpp"
#include "nodes/bench/process_usage.hpp"
#include "nodes/bench/restart_probe.hpp"
#include "nodes/cli/table.hpp"
#include "nodes/cli/time_text.hpp"

namespace stint {

namespace {

constexpr std::int64_t stamp_bytes = 8;
constexpr std::int64_t pickup_gap_us = 4'000;

struct Row {
  std::int64_t waiting = 0;
  std::int64_t jobs = 0;  // of all runs
  bool is_whole = true;
  std::vector<double> jobs_per_s;
  std::vector<double> pickup_p50_us;
  std::vector<double> pickup_p99_us;
  std::vector<double> restart_ms;
  ProcessUsage worked;     // after the runs
  ProcessUsage restarted;  // after the restarts
};

class BacklogBench {
 public:
  BacklogBench(const BacklogBenchOptions& options, BenchWatch& watch) : options_(options), watch_(watch) {}

  Result<std::vector<Row>, Failure> run() {
    std::vector<Row> rows;
    for (const std::int64_t waiting : options_.waiting) {
      auto row = measure(waiting);
      if (!row) return row.error();
      rows.push_back(std::move(*row));
    }
    return rows;
  }

 private:
  Result<Row, Failure> measure(std::int64_t waiting) {
    auto fleet = open_fleet(options_.basics);
    if (!fleet) return fleet.error();
    LoadDriver driver(**fleet, watch_);
    Row row;
    row.waiting = waiting;
    // One at least: the first batch after a restart has something to bring.
    if (auto filled = driver.fill(std::max<std::int64_t>(1, waiting), options_.payload); !filled) {
      return filled.error();
    }
    for (std::int64_t number = 0; number < options_.basics.runs; ++number) {
      if (auto done = run_once(driver, row); !done) return done.error();
    }
    row.worked = usage_of((*fleet)->process_id(BenchFleet::storage_node));
    for (std::int64_t number = 0; number < options_.basics.runs; ++number) {
      const auto took_ms = measure_restart(**fleet, LoadDriver::waiting(), LoadDriver::waiting());
      if (!took_ms) return took_ms.error();
      row.restart_ms.push_back(*took_ms);
      if (auto passed = watch_.pass(0); !passed) return passed.error();
    }
    row.restarted = usage_of((*fleet)->process_id(BenchFleet::storage_node));
    return row;
  }

  Result<Done, Failure> run_once(LoadDriver& driver, Row& row) {
    Load load;
    load.batch = options_.batch;
    load.payload = std::max(options_.payload, stamp_bytes);
    load.outstanding = options_.outstanding;
    const auto full = driver.run(load_of(options_.basics, load));
    if (!full) return full.error();
    load.batch = load.outstanding = 1;
    load.jobs = options_.pickup_jobs;
    load.gap_us = pickup_gap_us;
    load.stamped = true;
    const auto pickup = driver.run(load);
    if (!pickup) return pickup.error();
    const Latencies latencies = latencies_of(pickup->samples_us);
    row.jobs += full->jobs + pickup->jobs;
    row.is_whole = row.is_whole && full->is_whole && pickup->is_whole;
    row.jobs_per_s.push_back(full->jobs_per_s);
    row.pickup_p50_us.push_back(static_cast<double>(latencies.p50_us));
    row.pickup_p99_us.push_back(static_cast<double>(latencies.p99_us));
    return Done{};
  }

  const BacklogBenchOptions& options_;
  BenchWatch& watch_;
};

double ratio_to_first(const std::vector<Row>& rows, const Row& row) {
  return spread_of(row.jobs_per_s).median / spread_of(rows.front().jobs_per_s).median;
}

std::string json_of(const BacklogBenchOptions& options, const std::vector<Row>& rows) {
  std::vector<JsonObject> all;
  for (const Row& row : rows) {
    all.push_back(JsonObject()
                      .add("waiting", row.waiting)
                      .add("jobs", row.jobs)
                      .add("whole", row.is_whole)
                      .add("jobs_per_s", spread_of(row.jobs_per_s))
                      .add("ratio", ratio_to_first(rows, row))
                      .add("pickup_p50_us", spread_of(row.pickup_p50_us))
                      .add("pickup_p99_us", spread_of(row.pickup_p99_us))
                      .add("resident_bytes", row.worked.resident_bytes)
                      .add("resident_peak_bytes", row.worked.resident_peak_bytes)
                      .add("restart_ms", spread_of(row.restart_ms))
                      .add("restarted_resident_bytes", row.restarted.resident_bytes));
  }
  return JsonObject()
             .add("bench", "backlog")
             .add("batch", options.batch)
             .add("payload", options.payload)
             .add("outstanding", options.outstanding)
             .add("runs", options.basics.runs)
             .add("rows", all)
             .text() +
         "\n";
}

std::string table_of(const std::vector<Row>& rows, const Console& console) {
  Table table({{.title = "waiting", .right = true},
               {.title = "jobs/s", .right = true},
               {.title = "least-most", .right = true},
               {.title = "of first", .right = true},
               {.title = "pickup p50", .right = true},
               {.title = "p99", .right = true},
               {.title = "memory", .right = true},
               {.title = "restart", .right = true}});
  for (const Row& row : rows) {
    const Spread rates = spread_of(row.jobs_per_s);
    table.add({{count_text(row.waiting)},
               {whole_text(rates.median), Style::bold},
               {range_text(rates)},
               {ratio_text(ratio_to_first(rows, row))},
               {span_text_of_us(spread_of(row.pickup_p50_us).median)},
               {span_text_of_us(spread_of(row.pickup_p99_us).median)},
               {bytes_text(row.worked.resident_bytes)},
               {whole_text(spread_of(row.restart_ms).median) + " ms"}});
  }
  return table.text(console);
}

}  // namespace

ExitStatus run_backlog_bench(const BacklogBenchOptions& options, const Console& console) {
  const std::int64_t steps_a_row = 1 + 2 * options.basics.runs;
  BenchWatch watch(console, std::ssize(options.waiting) * steps_a_row);
  auto rows = BacklogBench(options, watch).run();
  if (!rows) return fail_bench(console, rows.error());
  const bool is_whole = std::all_of(rows->begin(), rows->end(), [](const Row& row) { return row.is_whole; });
  return finish_bench(console, options.basics.json ? json_of(options, *rows) : table_of(*rows, console),
                      is_whole);
}

}  // namespace stint
