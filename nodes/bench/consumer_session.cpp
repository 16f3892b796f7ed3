#include "nodes/bench/consumer_session.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <unistd.h>

#include "nodes/bench/bench_clock.hpp"

namespace stint {

namespace {

constexpr std::int64_t patience_ms = 30'000;
constexpr std::size_t most_samples = 20'000'000;

}  // namespace

ConsumerSession::ConsumerSession(zmq::context_t& context, const ConsumerOptions& options, std::int64_t number)
    : options_(options),
      server_(context, options.server),
      worker_("bench-" + std::to_string(getpid()) + "-" + std::to_string(number)) {
  std::random_device random;
  for (unsigned char& byte : session_.bytes) byte = static_cast<unsigned char>(random());
}

Result<Done, Failure> ConsumerSession::begin(std::int64_t asks) {
  Hello hello;
  hello.client = "stint bench";
  hello.worker = worker_;
  hello.session = session_;
  hello.handlers[options_.handler] = {};
  hello.queues = {options_.queue};
  server_.send(hello);
  if (auto welcome = server_.expect<Welcome>(patience_ms); !welcome) return welcome.error();
  for (std::int64_t sent = 0; sent < asks; ++sent) ask();
  return Done{};
}

Result<Done, Failure> ConsumerSession::work(DriverLine& line, std::vector<std::int64_t>& samples_us) {
  while (const auto frames = server_.take()) {
    const auto answer = BenchDealer::decode(*frames);
    if (!answer) return answer.error();
    Result<Done, Failure> done = Done{};
    if (const auto* batch = std::get_if<Batch>(&*answer)) {
      done = finish(*batch, line, samples_us);
    } else if (const auto* finished = std::get_if<Finished>(&*answer)) {
      done = acknowledged(*finished, line);
    } else if (const auto* error = std::get_if<Error>(&*answer)) {
      done = Failure{.status = exit_status_of(error->code), .message = "refused: " + error->message};
    }
    if (!done) return done;
  }
  return Done{};
}

void ConsumerSession::end(std::int64_t within_ms) {
  server_.send(Goodbye{session_});
  const std::int64_t deadline_us = bench_now_us() + within_ms * 1'000;
  while (bench_now_us() < deadline_us) {
    const auto frames = server_.receive((deadline_us - bench_now_us()) / 1'000);
    if (!frames || frames->type == "farewell") return;
  }
}

void ConsumerSession::ask() {
  RequestBatch request;
  request.session = session_;
  request.ask = ++asks_;
  request.queues[options_.queue] = options_.batch;
  request.got = got_;
  request.wait_ms = patience_ms;
  server_.send(request);
}

// The handler is empty: a run ends as soon as its job was read.
Result<Done, Failure> ConsumerSession::finish(const Batch& batch, DriverLine& line,
                                              std::vector<std::int64_t>& samples_us) {
  answered_.insert(batch.ask);
  while (answered_.erase(got_ + 1) != 0) ++got_;
  if (!batch.jobs.empty()) {
    const std::int64_t start_us = options_.samples.empty() ? 0 : bench_now_us();
    Finish report;
    report.session = session_;
    report.got = got_;
    report.results.reserve(batch.jobs.size());
    for (const LeasedJob& job : batch.jobs) {
      RunResult& result = report.results.emplace_back();
      result.id = job.id;
      result.run = job.run;
      line.ids += job.id;
      line.again += job.run > 1 ? 1 : 0;
      std::int64_t sent_us = 0;
      if (start_us == 0 || job.payload.bytes.size() < sizeof sent_us) continue;
      std::memcpy(&sent_us, job.payload.bytes.data(), sizeof sent_us);
      if (samples_us.size() < most_samples) samples_us.push_back(start_us - sent_us);
    }
    server_.send(report);
    ++line.messages;
  }
  ask();
  return Done{};
}

Result<Done, Failure> ConsumerSession::acknowledged(const Finished& finished, DriverLine& line) {
  if (!finished.stale.empty() || !finished.rejected.empty()) {
    return Failure{.status = ExitStatus::refused, .message = "the report of a run was refused"};
  }
  line.jobs += std::ssize(finished.accepted);
  line.last_us = bench_now_us();
  return Done{};
}

}  // namespace stint
