#include "nodes/bench/throughput_bench.hpp"

#include <algorithm>

#include "nodes/bench/bench_figures.hpp"
#include "nodes/cli/table.hpp"
#include "nodes/cli/time_text.hpp"

namespace stint {

namespace {

struct Row {
  Load load;
  std::int64_t jobs = 0;  // of all runs
  std::vector<double> jobs_per_s;
  std::vector<double> server_us;
  bool is_whole = true;
};

std::vector<Row> rows_of(const ThroughputBenchOptions& options) {
  std::vector<Row> rows;
  for (const std::int64_t payload : options.payload) {
    for (const std::int64_t outstanding : options.outstanding) {
      for (const std::int64_t batch : options.batch) {
        if (!fits_a_message(batch, payload)) continue;
        Row& row = rows.emplace_back();
        row.load.batch = batch;
        row.load.payload = payload;
        row.load.outstanding = outstanding;
      }
    }
  }
  return rows;
}

// All rows once, then again: what changes on the machine meanwhile meets all of them.
Result<Done, Failure> measure(const BenchBasics& basics, BenchWatch& watch, std::vector<Row>& rows) {
  for (std::int64_t number = 0; number < basics.runs; ++number) {
    for (Row& row : rows) {
      auto fleet = open_fleet(basics);
      if (!fleet) return fleet.error();
      auto run = LoadDriver(**fleet, watch).run(load_of(basics, row.load));
      if (!run) return run.error();
      row.jobs += run->jobs;
      row.jobs_per_s.push_back(run->jobs_per_s);
      row.server_us.push_back(run->server_us);
      row.is_whole = row.is_whole && run->is_whole;
    }
  }
  return Done{};
}

std::string json_of(const BenchBasics& basics, const std::vector<Row>& rows) {
  std::vector<JsonObject> all;
  for (const Row& row : rows) {
    JsonObject& object = all.emplace_back();
    object.add("batch", row.load.batch)
        .add("payload", row.load.payload)
        .add("outstanding", row.load.outstanding)
        .add("runs", basics.runs)
        .add("jobs", row.jobs)
        .add("whole", row.is_whole)
        .add("jobs_per_s", spread_of(row.jobs_per_s));
    // What a server of others uses is not known.
    if (basics.server.empty()) object.add("server_us_per_job", spread_of(row.server_us));
  }
  return JsonObject().add("bench", "throughput").add("rows", all).text() + "\n";
}

std::string table_of(const std::vector<Row>& rows, const Console& console) {
  Table table({{.title = "batch", .right = true},
               {.title = "payload", .right = true},
               {.title = "outstanding", .right = true},
               {.title = "jobs/s", .right = true},
               {.title = "least-most", .right = true},
               {.title = "server us/job", .right = true}});
  for (const Row& row : rows) {
    const Spread rates = spread_of(row.jobs_per_s);
    const double server_us = spread_of(row.server_us).median;
    table.add({{count_text(row.load.batch)},
               {bytes_text(row.load.payload)},
               {std::to_string(row.load.outstanding)},
               {whole_text(rates.median), Style::bold},
               {range_text(rates)},
               {server_us > 0 ? fixed_text(server_us, 2) : "-"}});
  }
  return table.text(console);
}

}  // namespace

ExitStatus run_throughput_bench(const ThroughputBenchOptions& options, const Console& console) {
  std::vector<Row> rows = rows_of(options);
  if (rows.empty()) {
    return fail_bench(console, {.status = ExitStatus::usage,
                                .message = "no batch of that payload fits into a message of 16 MiB"});
  }
  BenchWatch watch(console, std::ssize(rows) * options.basics.runs);
  if (auto done = measure(options.basics, watch, rows); !done) return fail_bench(console, done.error());
  const bool is_whole = std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_whole; });
  return finish_bench(console, options.basics.json ? json_of(options.basics, rows) : table_of(rows, console),
                      is_whole);
}

}  // namespace stint
