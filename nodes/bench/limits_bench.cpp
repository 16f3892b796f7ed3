#include "nodes/bench/limits_bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

#include "nodes/bench/bench_fleet.hpp"
#include "nodes/bench/start_times.hpp"
#include "nodes/cli/pages.hpp"
#include "nodes/cli/progress.hpp"
#include "nodes/cli/table.hpp"
#include "nodes/runtime/stop_source.hpp"
#include "nodes/worker.hpp"

namespace stint {

namespace {

constexpr char handler[] = "bench";
constexpr std::int64_t jobs_a_request = 1'000;

// One limit and the load it is put under.
struct Scenario {
  std::string name;
  SetLimit limit;
  std::int64_t run_ms = 0;
  std::vector<std::string> queues;
  std::int64_t allowed = 0;  // in any `span_us`
  std::int64_t span_us = 0;
};

struct Row {
  Scenario scenario;
  int workers = 0;
  std::int64_t starts = 0;
  std::int64_t worst = 0;  // in any span, as the workers saw it
  double excess = 0;       // starts above the limit in the worst span, the spread of delays allowed for
  std::optional<double> reached;  // of what the limit allows; none: measured for less than a window
  double spread_ms = 0;           // of the delays between the hand-out and the start
};

// What is known of one run.
struct Start {
  std::int64_t boot_us = 0;
  std::int64_t wall_us = 0;
  std::int64_t run_us = 0;
};

std::int64_t clock_us(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
}

std::vector<Scenario> scenarios() {
  std::vector<std::string> shared;
  for (int number = 0; number < 9; ++number) shared.push_back("shared-" + std::to_string(number));
  std::vector<Scenario> all;
  for (const std::int64_t run_ms : {50, 1'000}) {
    Scenario& window = all.emplace_back();
    window.name = "10 in any 6 s, completed";
    window.limit = {
        .scope = LimitScope::handler, .name = handler, .limit = {}, .as = SetAs::operated, .if_version = {}};
    window.limit.limit.max = window.allowed = 10;
    window.limit.limit.window_ms = 6'000;
    window.run_ms = run_ms;
    window.queues = shared;
    window.span_us = 6'000'000;
  }
  Scenario& bucket = all.emplace_back();
  bucket.name = "50 a second, burst 10";
  bucket.limit = {
      .scope = LimitScope::queue, .name = "bucket", .limit = {}, .as = SetAs::operated, .if_version = {}};
  bucket.limit.limit.rate = 50;
  bucket.limit.limit.burst = 10;
  bucket.run_ms = 50;
  bucket.queues = {"bucket"};
  bucket.allowed = 60;
  bucket.span_us = 1'000'000;
  return all;
}

class LimitsBench {
 public:
  LimitsBench(const LimitsBenchOptions& options, const Console& console)
      : options_(options), console_(console) {}

  Result<std::vector<Row>, Failure> run() {
    std::vector<Row> rows;
    const auto all = scenarios();
    const auto total = static_cast<std::int64_t>(all.size() * options_.workers.size());
    Progress progress(console_, "rows", total * options_.seconds);
    progress_ = &progress;
    for (const Scenario& scenario : all) {
      for (const int workers : options_.workers) {
        auto row = measure(scenario, workers);
        if (!row) return row.error();
        rows.push_back(std::move(*row));
        done_s_ += options_.seconds;
      }
    }
    return rows;
  }

 private:
  Result<Row, Failure> measure(const Scenario& scenario, int workers) {
    auto fleet = BenchFleet::start(options_.limiters);
    if (!fleet) return fleet.error();
    ServerClient client({.endpoint = (*fleet)->server(), .wait_ms = 10'000});
    if (auto set = client.ask_for<LimitState>(scenario.limit); !set) return set.error();
    if (auto sent = enqueue(client, scenario); !sent) return sent.error();
    for (int number = 0; number < workers; ++number) {
      auto started = (*fleet)->launch("worker-" + std::to_string(number),
                                      arguments(**fleet, scenario, static_cast<std::size_t>(number)));
      if (!started) return started.error();
    }
    if (!pass_time()) return Failure{.status = ExitStatus::limited, .message = "stopped before it was done"};
    (*fleet)->stop("worker-", 10);
    auto starts = collect(client);
    if (!starts) return starts.error();
    auto spread = spread_of_delays(client, *starts);
    if (!spread) return spread.error();
    return judge(scenario, workers, *starts, *spread);
  }

  std::vector<std::string> arguments(const BenchFleet& fleet, const Scenario& scenario,
                                     std::size_t number) const {
    std::vector<std::string> words{"bench",     "worker", "--server", fleet.server(number),
                                   "--handler", handler,  "--run-ms", std::to_string(scenario.run_ms)};
    for (const std::string& queue : scenario.queues) {
      words.insert(words.end(), {"--queue", queue + ":10"});
    }
    return words;
  }

  // More than the limit lets through in the time.
  Result<Done, Failure> enqueue(ServerClient& client, const Scenario& scenario) const {
    const std::int64_t enough = scenario.allowed * (2 + options_.seconds * 1'000'000 / scenario.span_us) * 2;
    for (std::int64_t sent = 0; sent < enough; sent += jobs_a_request) {
      Enqueue request;
      request.batch_key = "bench-" + std::to_string(sent);
      for (std::int64_t number = sent; number < std::min(enough, sent + jobs_a_request); ++number) {
        NewJob& job = request.jobs.emplace_back();
        job.handler = handler;
        job.queue = scenario.queues[static_cast<std::size_t>(number) % scenario.queues.size()];
      }
      if (auto enqueued = client.ask_for<Enqueued>(request); !enqueued) return enqueued.error();
    }
    return Done{};
  }

  // False: somebody wants it to stop.
  bool pass_time() {
    for (std::int64_t tenth = 0; tenth < options_.seconds * 10; ++tenth) {
      usleep(100'000);
      if (stop_.take() > 0) return false;
      progress_->advance_to(done_s_ + tenth / 10);
    }
    return true;
  }

  static Result<std::map<JobId, Start>, Failure> collect(ServerClient& client) {
    ListJobs completed;
    completed.state = JobState::completed;
    auto jobs = fetch_all<Jobs, JobView>(client, completed, &Jobs::jobs, 1'000'000);
    if (!jobs) return jobs.error();
    std::map<JobId, Start> starts;
    for (const JobView& job : jobs->rows) {
      auto details = client.ask_for<JobDetails>(GetJob{job.id});
      if (!details) return details.error();
      for (const RunView& run : details->runs) {
        long long boot_us = 0;
        long long wall_us = 0;
        if (!run.result || std::sscanf(run.result->bytes.c_str(), "%lld %lld", &boot_us, &wall_us) != 2)
          continue;
        starts[job.id] = {boot_us, wall_us, (run.ended_at_ms - run.started_at_ms) * 1'000};
      }
    }
    return starts;
  }

  // Between the server's clock as it handed out and the worker's as it began.
  static Result<double, Failure> spread_of_delays(ServerClient& client,
                                                  const std::map<JobId, Start>& starts) {
    ReadEvents request;
    request.from_seq = 0;
    request.events = {EventKind::started};
    std::optional<std::int64_t> least_us;
    std::int64_t most_us = 0;
    while (true) {
      auto page = client.ask_for<Events>(request);
      if (!page) return page.error();
      for (const EventMessage& event : page->events) {
        for (const EventItem& item : event.items) {
          const auto start = starts.find(item.job);
          if (start == starts.end()) continue;
          const std::int64_t delay_us = start->second.wall_us - event.at_ms * 1'000;
          least_us = std::min(delay_us, least_us.value_or(delay_us));
          most_us = std::max(delay_us, most_us);
        }
      }
      if (request.from_seq == page->next_seq) break;
      request.from_seq = page->next_seq;
    }
    return static_cast<double>(most_us - least_us.value_or(most_us)) / 1e3;
  }

  Row judge(const Scenario& scenario, int workers, const std::map<JobId, Start>& starts,
            double spread_ms) const {
    std::vector<std::int64_t> times;
    double run_s = 0;
    for (const auto& [job, start] : starts) {
      times.push_back(start.boot_us);
      run_s += static_cast<double>(start.run_us) / 1e6;
    }
    std::sort(times.begin(), times.end());
    Row row{scenario, workers, std::ssize(times), most_in_any(times, scenario.span_us), 0, {}, spread_ms};
    if (times.size() < 2) return row;
    run_s /= static_cast<double>(times.size());
    const double took_s = static_cast<double>(times.back() - times.front()) / 1e6;
    const Limit& limit = scenario.limit.limit;
    const auto count = static_cast<double>(times.size());
    if (limit.rate) {
      row.excess = worst_excess(times, *limit.rate, limit.burst) - *limit.rate * spread_ms / 1e3;
      row.reached = (count - static_cast<double>(limit.burst)) / *limit.rate / took_s;
    } else {
      const auto narrowed_us = scenario.span_us - static_cast<std::int64_t>(spread_ms * 1e3);
      row.excess = static_cast<double>(most_in_any(times, narrowed_us) - scenario.allowed);
      // Each slot starts a run every (window + run): the last round may not be whole.
      const double rounds = std::floor((count - 1) / static_cast<double>(scenario.allowed));
      if (rounds > 0) row.reached = rounds * (static_cast<double>(*limit.window_ms) / 1e3 + run_s) / took_s;
    }
    return row;
  }

  const LimitsBenchOptions& options_;
  const Console& console_;
  SignalStop stop_;
  Progress* progress_ = nullptr;
  std::int64_t done_s_ = 0;
};

std::string fixed(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string json_of(const std::vector<Row>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    all.push_back({{"limit", row.scenario.name},
                   {"run_ms", row.scenario.run_ms},
                   {"workers", row.workers},
                   {"starts", row.starts},
                   {"span_ms", row.scenario.span_us / 1'000},
                   {"allowed", row.scenario.allowed},
                   {"worst", row.worst},
                   {"reached", row.reached ? nlohmann::ordered_json(*row.reached) : nlohmann::ordered_json()},
                   {"delay_spread_ms", row.spread_ms},
                   {"holds", row.excess <= 0}});
  }
  return nlohmann::ordered_json{{"bench", "limits"}, {"rows", all}}.dump() + "\n";
}

std::string table_of(const std::vector<Row>& rows, const Console& console) {
  Table table({{.title = "limit"},
               {.title = "run", .right = true},
               {.title = "workers", .right = true},
               {.title = "starts", .right = true},
               {.title = "worst span", .right = true},
               {.title = "allowed", .right = true},
               {.title = "reached", .right = true},
               {.title = "delays spread", .right = true},
               {.title = "holds"}});
  for (const Row& row : rows) {
    const bool holds = row.excess <= 0;
    table.add({{row.scenario.name},
               {std::to_string(row.scenario.run_ms) + " ms"},
               {std::to_string(row.workers)},
               {std::to_string(row.starts)},
               {std::to_string(row.worst)},
               {std::to_string(row.scenario.allowed)},
               {row.reached ? fixed(*row.reached * 100, 1) + "%" : "-"},
               {fixed(row.spread_ms, 1) + " ms"},
               {holds ? "yes" : "NO", holds ? Style::green : Style::red}});
  }
  return table.text(console);
}

}  // namespace

ExitStatus run_limits_bench(const LimitsBenchOptions& options, const Console& console) {
  auto rows = LimitsBench(options, console).run();
  if (!rows) {
    console.complain(rows.error());
    return rows.error().status;
  }
  console.print(options.json ? json_of(*rows) : table_of(*rows, console));
  const bool all_hold =
      std::all_of(rows->begin(), rows->end(), [](const Row& row) { return row.excess <= 0; });
  if (!all_hold) console.note("a limit was exceeded by more than the spread of the delays explains");
  return console.finish(all_hold ? ExitStatus::done : ExitStatus::refused);
}

int run_bench_worker(const BenchWorkerOptions& options) {
  WorkerSettings settings;
  settings.servers = {options.server};
  settings.queues = options.queues;
  settings.log_level = "warning";
  Worker worker(std::move(settings));
  worker.handle(options.handler, [&](const LeasedJob&, RunContext& context) {
    const std::int64_t boot_us = clock_us(CLOCK_BOOTTIME);
    const std::int64_t wall_us = clock_us(CLOCK_REALTIME);
    const std::int64_t end_us = boot_us + options.run_ms * 1'000;
    while (clock_us(CLOCK_BOOTTIME) < end_us && !context.stop_requested()) {
      usleep(static_cast<useconds_t>(std::clamp<std::int64_t>(end_us - clock_us(CLOCK_BOOTTIME), 1, 50'000)));
    }
    return HandlerResult::completed(std::to_string(boot_us) + " " + std::to_string(wall_us));
  });
  return worker.run();
}

}  // namespace stint
