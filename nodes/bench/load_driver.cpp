#include "nodes/bench/load_driver.hpp"

#include <algorithm>
#include <fstream>
#include <random>
#include <unistd.h>

#include "nodes/bench/bench_clock.hpp"
#include "nodes/bench/process_usage.hpp"

namespace stint {

namespace {

constexpr char handler[] = "bench";
constexpr std::int64_t look_every_ms = 20;
constexpr std::int64_t patience_us = 30'000'000;
constexpr int stop_patience_s = 5;

Failure stalled(const std::string& what) {
  return {.status = ExitStatus::no_server, .message = what + " for 30 seconds"};
}

std::string unlike_others() {
  std::random_device random;
  return "bench-" + std::to_string(random());
}

std::vector<std::int64_t> read_samples(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const std::streamoff bytes = in.tellg();
  std::vector<std::int64_t> samples(static_cast<std::size_t>(bytes) / sizeof(std::int64_t));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(samples.data()), bytes);
  return samples;
}

}  // namespace

// A server of others has its own bounds, and jobs that are not ours to work on.
LoadDriver::LoadDriver(BenchFleet& fleet, BenchWatch& watch)
    : fleet_(fleet), watch_(watch), queue_(fleet.has_own_nodes() ? "bench" : unlike_others()) {}

const char* LoadDriver::storage_config() { return "[queues.bench]\nbatch_max = 1000\n"; }

Result<LoadRun, Failure> LoadDriver::run(const Load& load) {
  const std::string samples = load.stamped ? (fleet_.folder() / "samples").string() : "";
  auto consumer = start_consumer(load, samples);
  if (!consumer) return consumer.error();
  if (auto ready = wait_for_line(*consumer); !ready) return ready.error();
  const int server = fleet_.process_id(BenchFleet::storage_node);
  const std::int64_t cpu_us = usage_of(server).cpu_us;
  auto producer = start_producer(load, queue_, handler);
  if (!producer) return producer.error();
  const auto produced = wait_for_producer(*producer, load);
  if (!produced) return produced.error();
  if (auto done = wait_for_jobs(*consumer, produced->jobs); !done) return done.error();
  const std::int64_t used_us = usage_of(server).cpu_us - cpu_us;
  fleet_.stop(*producer, stop_patience_s);
  fleet_.stop(*consumer, stop_patience_s);
  auto consumed = line_of(*consumer);
  if (!consumed) return consumed.error();
  if (!*consumed) return stalled("a load driver said nothing");
  watch_.end_step();
  auto run = judge(*produced, **consumed, samples);
  if (run && run->jobs > 0) run->server_us = static_cast<double>(used_us) / static_cast<double>(run->jobs);
  return run;
}

Result<LoadRun, Failure> LoadDriver::judge(const DriverLine& produced, const DriverLine& consumed,
                                           const std::string& samples) const {
  if (produced.jobs == 0) return Failure{.status = ExitStatus::refused, .message = "no job was enqueued"};
  LoadRun run;
  run.jobs = produced.jobs;
  run.seconds = static_cast<double>(std::max<std::int64_t>(1, consumed.last_us - produced.first_us)) / 1e6;
  run.jobs_per_s = static_cast<double>(run.jobs) / run.seconds;
  run.is_whole = consumed.jobs == produced.jobs && consumed.ids == produced.ids && consumed.again == 0;
  run.put_off = produced.put_off;
  if (!samples.empty()) run.samples_us = read_samples(samples);
  return run;
}

Result<Done, Failure> LoadDriver::fill(std::int64_t jobs, std::int64_t payload) {
  Load load;
  load.payload = payload;
  load.batch = std::clamp<std::int64_t>((4 << 20) / (payload + 100), 1, std::min<std::int64_t>(jobs, 1'000));
  load.outstanding = 8;
  load.jobs = jobs;
  auto producer = start_producer(load, waiting(), waiting());
  if (!producer) return producer.error();
  const auto produced = wait_for_producer(*producer, load);
  if (!produced) return produced.error();
  fleet_.stop(*producer, stop_patience_s);
  watch_.end_step();
  return Done{};
}

Result<Done, Failure> LoadDriver::subscribe(const std::string& events, int readers, int stalled) {
  for (int number = 0; number < readers + stalled; ++number) {
    std::vector<std::string> words{"subscribe", "--events", events};
    if (number >= readers) words.emplace_back("--stalled");
    auto subscriber = launch("subscriber", std::move(words));
    if (!subscriber) return subscriber.error();
    if (auto ready = wait_for_line(*subscriber); !ready) return ready.error();
    if (number < readers) readers_.push_back(*subscriber);
  }
  return Done{};
}

Result<std::vector<std::int64_t>, Failure> LoadDriver::told() const {
  std::vector<std::int64_t> items;
  for (const std::string& reader : readers_) {
    const auto line = line_of(reader);
    if (!line) return line.error();
    items.push_back(*line ? (*line)->jobs : 0);
  }
  return items;
}

Result<std::string, Failure> LoadDriver::launch(const std::string& what, std::vector<std::string> arguments) {
  const std::string name = "load-" + std::to_string(++launched_) + "-" + what;
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--parent", std::to_string(getpid())});
  if (auto launched = fleet_.launch(name, std::move(arguments)); !launched) return launched.error();
  return name;
}

Result<std::string, Failure> LoadDriver::start_producer(const Load& load, const std::string& queue,
                                                        const std::string& of_handler) {
  std::vector<std::string> words{"produce",
                                 "--server",
                                 fleet_.server(),
                                 "--queue",
                                 queue,
                                 "--handler",
                                 of_handler,
                                 "--batch",
                                 std::to_string(load.batch),
                                 "--payload",
                                 std::to_string(load.payload),
                                 "--outstanding",
                                 std::to_string(load.outstanding),
                                 "--jobs",
                                 std::to_string(load.jobs),
                                 "--run-ms",
                                 std::to_string(load.run_ms),
                                 "--jobs-per-s",
                                 std::to_string(load.jobs_per_s),
                                 "--gap-us",
                                 std::to_string(load.gap_us)};
  if (load.stamped) words.emplace_back("--stamped");
  return launch("producer", std::move(words));
}

Result<std::string, Failure> LoadDriver::start_consumer(const Load& load, const std::string& samples) {
  std::vector<std::string> words{"consume",
                                 "--server",
                                 fleet_.server(),
                                 "--queue",
                                 queue_,
                                 "--handler",
                                 handler,
                                 "--batch",
                                 std::to_string(load.batch),
                                 "--outstanding",
                                 std::to_string(load.outstanding),
                                 "--connections",
                                 std::to_string(load.connections)};
  if (!samples.empty()) words.insert(words.end(), {"--samples", samples});
  return launch("consumer", std::move(words));
}

Result<std::optional<DriverLine>, Failure> LoadDriver::line_of(const std::string& name) const {
  const bool is_running = fleet_.is_running(name);  // asked first: what it wrote before it ended is there
  const std::string text = fleet_.last_line(name);
  if (text.empty()) {
    if (is_running) return std::optional<DriverLine>();
    return Failure{.status = ExitStatus::internal, .message = name + " ended without a word"};
  }
  auto line = read_driver_line(text);
  if (!line) return line.error();
  if (!is_running && !line->ended) {
    return Failure{.status = ExitStatus::internal, .message = name + " was ended by something else"};
  }
  if (!line->failure.empty()) {
    return Failure{.status = ExitStatus::refused, .message = name + ": " + line->failure};
  }
  return std::optional<DriverLine>(std::move(*line));
}

Result<DriverLine, Failure> LoadDriver::wait_for_line(const std::string& name) {
  const std::int64_t deadline_us = bench_now_us() + patience_us;
  while (bench_now_us() < deadline_us) {
    auto line = line_of(name);
    if (!line) return line.error();
    if (*line) return **line;
    if (auto passed = watch_.pass(look_every_ms); !passed) return passed.error();
  }
  return stalled(name + " said nothing");
}

Result<DriverLine, Failure> LoadDriver::wait_for_producer(const std::string& name, const Load& load) {
  const std::int64_t begin_us = bench_now_us();
  while (true) {
    auto line = line_of(name);
    if (!line) return line.error();
    if (*line && (*line)->ended) return **line;
    const double elapsed_ms = static_cast<double>(bench_now_us() - begin_us) / 1e3;
    const double jobs = *line ? static_cast<double>((*line)->jobs) : 0;
    watch_.reached(load.jobs > 0 ? jobs / static_cast<double>(load.jobs)
                                 : elapsed_ms / static_cast<double>(std::max<std::int64_t>(1, load.run_ms)));
    if (auto passed = watch_.pass(look_every_ms); !passed) return passed.error();
  }
}

Result<DriverLine, Failure> LoadDriver::wait_for_jobs(const std::string& name, std::int64_t jobs) {
  std::int64_t last_jobs = 0;
  for (std::int64_t deadline_us = bench_now_us() + patience_us; bench_now_us() < deadline_us;) {
    auto line = line_of(name);
    if (!line) return line.error();
    if (*line && (*line)->jobs >= jobs) return **line;
    if (*line && (*line)->jobs > last_jobs) {
      last_jobs = (*line)->jobs;
      deadline_us = bench_now_us() + patience_us;
    }
    if (auto passed = watch_.pass(look_every_ms); !passed) return passed.error();
  }
  return stalled("no job ended");
}

}  // namespace stint
