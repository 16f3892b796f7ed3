#include "nodes/bench/latency_bench.hpp"

#include <algorithm>

#include "nodes/bench/bench_clock.hpp"
#include "nodes/bench/bench_dealer.hpp"
#include "nodes/bench/bench_figures.hpp"
#include "nodes/bench/sync_probe.hpp"
#include "nodes/cli/table.hpp"
#include "nodes/cli/time_text.hpp"

namespace stint {

namespace {

constexpr int probes = 1'000;
constexpr std::int64_t idle_gap_us = 4'000;
constexpr std::int64_t stamp_bytes = 8;

// One of the things measured, over all runs.
struct Row {
  const char* what;
  const char* words;
  std::int64_t count = 0;
  std::vector<double> p50_us;
  std::vector<double> p99_us;
  std::vector<double> p999_us;

  void add(const Latencies& latencies) {
    count += latencies.count;
    p50_us.push_back(static_cast<double>(latencies.p50_us));
    p99_us.push_back(static_cast<double>(latencies.p99_us));
    p999_us.push_back(static_cast<double>(latencies.p999_us));
  }
};

Result<std::vector<std::int64_t>, Failure> measure_pings(const std::string& server) {
  zmq::context_t context{1};
  BenchDealer dealer(context, server);
  std::vector<std::int64_t> samples_us;
  for (int number = 0; number < probes; ++number) {
    const std::int64_t begin_us = bench_now_us();
    dealer.send(Ping{});
    if (auto pong = dealer.expect<Pong>(10'000); !pong) return pong.error();
    samples_us.push_back(bench_now_us() - begin_us);
  }
  samples_us.erase(samples_us.begin());  // it waited for the connection
  return samples_us;
}

class LatencyBench {
 public:
  LatencyBench(const LatencyBenchOptions& options, BenchWatch& watch) : options_(options), watch_(watch) {}

  Result<Done, Failure> run() {
    for (std::int64_t number = 0; number < options_.basics.runs; ++number) {
      if (auto done = run_once(); !done) return done;
    }
    return Done{};
  }

  bool is_whole() const { return is_whole_; }
  std::string json() const;
  std::string table(const Console& console) const;

 private:
  Result<Done, Failure> run_once() {
    auto fleet = open_fleet(options_.basics);
    if (!fleet) return fleet.error();
    auto syncs = measure_syncs((*fleet)->folder(), probes / 2);
    if (!syncs) return syncs.error();
    const auto pings = measure_pings((*fleet)->server());
    if (!pings) return pings.error();
    ping_.add(latencies_of(*pings));
    LoadDriver driver(**fleet, watch_);
    if (auto done = add_run(driver, idle_load(), idle_); !done) return done.error();
    const auto peak = driver.run(full_load());
    if (!peak) return peak.error();
    note(*peak);
    const auto loaded = add_run(driver, part_load(peak->jobs_per_s * load_share()), loaded_);
    if (!loaded) return loaded.error();
    // Half of them before and half of them after: a disk has its moods.
    const auto later_syncs = measure_syncs((*fleet)->folder(), probes / 2);
    if (!later_syncs) return later_syncs.error();
    syncs->insert(syncs->end(), later_syncs->begin(), later_syncs->end());
    sync_.add(latencies_of(std::move(*syncs)));
    peak_.push_back(peak->jobs_per_s);
    offered_.push_back(peak->jobs_per_s * load_share());
    reached_.push_back(loaded->jobs_per_s);
    return Done{};
  }

  Result<LoadRun, Failure> add_run(LoadDriver& driver, const Load& load, Row& row) {
    auto run = driver.run(load);
    if (!run) return run;
    note(*run);
    row.add(latencies_of(std::move(run->samples_us)));
    return run;
  }

  void note(const LoadRun& run) { is_whole_ = is_whole_ && run.is_whole; }

  // One job at a time: it is over long before the next one comes.
  Load idle_load() const {
    Load load = stamped_load();
    load.batch = 1;
    load.outstanding = 1;
    load.jobs = options_.idle_jobs;
    load.gap_us = idle_gap_us;
    return load;
  }
  double load_share() const { return static_cast<double>(options_.load_percent) / 100; }
  Load full_load() const {
    Load load = stamped_load();
    load.stamped = false;
    return load_of(options_.basics, load);
  }
  Load part_load(double jobs_per_s) const {
    Load load = load_of(options_.basics, stamped_load());
    load.jobs_per_s = jobs_per_s;
    return load;
  }
  Load stamped_load() const {
    Load load;
    load.batch = options_.batch;
    load.payload = std::max(options_.payload, stamp_bytes);
    load.outstanding = options_.outstanding;
    load.stamped = true;
    return load;
  }

  const LatencyBenchOptions& options_;
  BenchWatch& watch_;
  Row idle_{"idle", "enqueue to start, idle", 0, {}, {}, {}};
  Row loaded_{"loaded", "enqueue to start, under load", 0, {}, {}, {}};
  Row sync_{"sync", "sync of 4 KiB appended", 0, {}, {}, {}};
  Row ping_{"ping", "ping", 0, {}, {}, {}};
  std::vector<double> peak_;
  std::vector<double> offered_;
  std::vector<double> reached_;
  bool is_whole_ = true;
};

std::string LatencyBench::json() const {
  std::vector<JsonObject> rows;
  for (const Row* row : {&idle_, &loaded_, &sync_, &ping_}) {
    rows.push_back(JsonObject()
                       .add("what", row->what)
                       .add("count", row->count)
                       .add("p50_us", spread_of(row->p50_us))
                       .add("p99_us", spread_of(row->p99_us))
                       .add("p999_us", spread_of(row->p999_us)));
  }
  return JsonObject()
             .add("bench", "latency")
             .add("batch", options_.batch)
             .add("payload", options_.payload)
             .add("runs", options_.basics.runs)
             .add("whole", is_whole_)
             .add("peak_jobs_per_s", spread_of(peak_))
             .add("offered_jobs_per_s", spread_of(offered_))
             .add("reached_jobs_per_s", spread_of(reached_))
             .add("rows", rows)
             .text() +
         "\n";
}

std::string LatencyBench::table(const Console& console) const {
  Table table({{.title = "what"},
               {.title = "samples", .right = true},
               {.title = "p50", .right = true},
               {.title = "p99", .right = true},
               {.title = "p99.9", .right = true},
               {.title = "p99 least-most", .right = true}});
  for (const Row* row : {&idle_, &loaded_, &sync_, &ping_}) {
    const Spread p99 = spread_of(row->p99_us);
    table.add({{row->words},
               {count_text(row->count)},
               {span_text_of_us(spread_of(row->p50_us).median)},
               {span_text_of_us(p99.median)},
               {span_text_of_us(spread_of(row->p999_us).median)},
               {fixed_text(p99.least / 1e3, 2) + "-" + span_text_of_us(p99.most)}});
  }
  return table.text(console) + "The load: " + whole_text(spread_of(offered_).median) +
         " jobs/s at random moments, of " + whole_text(spread_of(peak_).median) +
         " that it carries in batches of " + count_text(options_.batch) + ".\n";
}

}  // namespace

ExitStatus run_latency_bench(const LatencyBenchOptions& options, const Console& console) {
  constexpr std::int64_t steps_a_run = 3;
  BenchWatch watch(console, options.basics.runs * steps_a_run);
  LatencyBench bench(options, watch);
  if (auto done = bench.run(); !done) return fail_bench(console, done.error());
  return finish_bench(console, options.basics.json ? bench.json() : bench.table(console), bench.is_whole());
}

}  // namespace stint
