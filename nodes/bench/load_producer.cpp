#include "nodes/bench/load_producer.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <optional>
#include <random>
#include <sys/prctl.h>
#include <vector>

#include "nodes/bench/bench_clock.hpp"
#include "nodes/bench/bench_dealer.hpp"
#include "nodes/bench/driver_line.hpp"
#include "nodes/runtime/stop_source.hpp"
#include "protocol/codec.hpp"

namespace stint {

namespace {

constexpr std::int64_t patience_ms = 30'000;
constexpr std::string_view stamp_place = "\x01stamp\x02\x03";
static_assert(stamp_place.size() == sizeof(std::int64_t));

// One request, encoded once: only the moment in its payloads changes.
class EncodedRequest {
 public:
  explicit EncodedRequest(const ProducerOptions& options) {
    Enqueue request;
    request.jobs.resize(static_cast<std::size_t>(options.batch));
    for (NewJob& job : request.jobs) {
      job.queue = options.queue;
      job.handler = options.handler;
      job.payload.bytes.assign(static_cast<std::size_t>(options.payload), 'x');
      if (options.stamped) job.payload.bytes.replace(0, stamp_place.size(), stamp_place);
    }
    body_ = encode(Request(request));
    if (!options.stamped) return;
    for (std::size_t at = body_.find(stamp_place); at != std::string::npos;
         at = body_.find(stamp_place, at + stamp_place.size())) {
      stamps_.push_back(at);
    }
  }

  const std::string& at(std::int64_t now_us) {
    for (const std::size_t stamp : stamps_) std::memcpy(body_.data() + stamp, &now_us, sizeof now_us);
    return body_;
  }

 private:
  std::string body_;
  std::vector<std::size_t> stamps_;
};

void sleep_us(std::int64_t span_us) {
  if (span_us <= 0) return;
  const timespec span{span_us / 1'000'000, span_us % 1'000'000 * 1'000};
  nanosleep(&span, nullptr);
}

class Producer {
 public:
  explicit Producer(const ProducerOptions& options)
      : options_(options), server_(context_, options.server), request_(options) {}

  DriverLine run() {
    begin_us_ = bench_now_us();
    const Result<Done, Failure> done = options_.jobs_per_s > 0 ? run_by_the_clock() : run_by_answers();
    if (!done) line_.failure = done.error().message;
    line_.ended = true;
    return line_;
  }

 private:
  bool has_more(std::int64_t now_us) const {
    if (options_.jobs > 0 && line_.jobs + open_ * options_.batch >= options_.jobs) return false;
    if (options_.run_ms > 0 && now_us >= begin_us_ + options_.run_ms * 1'000) return false;
    return !is_told_to_stop_;
  }

  void tell(std::int64_t now_us) {
    if (report_.tick(line_, now_us)) is_told_to_stop_ = stop_.take() > 0;
  }

  void send(std::int64_t now_us) {
    if (line_.first_us == 0) line_.first_us = now_us;
    server_.send("enqueue", request_.at(now_us));
    ++open_;
  }

  // As many requests on the way as may be, the next one when an answer comes.
  Result<Done, Failure> run_by_answers() {
    for (std::int64_t now_us = begin_us_; has_more(now_us); now_us = bench_now_us()) {
      if (options_.gap_us > 0) sleep_us(gap_us(options_.gap_us));
      send(options_.stamped ? bench_now_us() : now_us);
      if (open_ < options_.outstanding) continue;
      if (auto taken = take_answer(patience_ms); !taken) return taken;
      tell(now_us);
    }
    return take_the_rest();
  }

  // Open loop: a server that falls behind gets no rest. The stamp is the moment of sending, not the one that
  // was due: how late this process is woken is no merit or fault of the server, and sending never waits.
  Result<Done, Failure> run_by_the_clock() {
    prctl(PR_SET_TIMERSLACK, 1'000UL);
    std::exponential_distribution<double> gap(options_.jobs_per_s / static_cast<double>(options_.batch) /
                                              1e6);
    double due_us = static_cast<double>(begin_us_);
    for (std::int64_t now_us = begin_us_; has_more(now_us); now_us = bench_now_us()) {
      if (static_cast<double>(now_us) >= due_us) {
        send(now_us);
        due_us += gap(random_);
      } else {
        sleep_us(std::min<std::int64_t>(static_cast<std::int64_t>(due_us) - now_us, 10'000));
      }
      while (const auto frames = server_.take()) {
        if (auto read = read_answer(*frames); !read) return read;
      }
      tell(now_us);
    }
    return take_the_rest();
  }

  Result<Done, Failure> take_the_rest() {
    while (open_ > 0) {
      if (auto taken = take_answer(patience_ms); !taken) return taken;
    }
    return Done{};
  }

  Result<Done, Failure> take_answer(std::int64_t within_ms) {
    const auto frames = server_.receive(within_ms);
    if (frames) return read_answer(*frames);
    return Failure{.status = ExitStatus::no_server, .message = "no answer to an enqueue for 30 seconds"};
  }

  Result<Done, Failure> read_answer(const ParsedFrames& frames) {
    auto answer = BenchDealer::decode(frames);
    if (!answer) return answer.error();
    --open_;
    ++line_.messages;
    if (const auto* enqueued = std::get_if<Enqueued>(&*answer)) {
      line_.jobs += std::ssize(enqueued->ids);
      for (const JobId id : enqueued->ids) line_.ids += id;
      line_.last_us = bench_now_us();
      return Done{};
    }
    const auto* error = std::get_if<Error>(&*answer);
    if (error != nullptr && error->retry_in_ms) {
      ++line_.put_off;
      sleep_us(std::min<std::int64_t>(*error->retry_in_ms, 1'000) * 1'000);
      return Done{};
    }
    return Failure{.status = ExitStatus::refused,
                   .message = error == nullptr ? "an enqueue got another answer" : error->message};
  }

  std::int64_t gap_us(std::int64_t mean_us) {
    return std::uniform_int_distribution<std::int64_t>(mean_us / 2, mean_us * 3 / 2)(random_);
  }

  const ProducerOptions& options_;
  SignalStop stop_;  // before the context's threads
  zmq::context_t context_{1};
  BenchDealer server_;
  EncodedRequest request_;
  DriverReport report_;
  DriverLine line_;
  std::mt19937_64 random_{1};
  std::int64_t begin_us_ = 0;
  std::int64_t open_ = 0;
  bool is_told_to_stop_ = false;
};

}  // namespace

int run_bench_producer(const ProducerOptions& options) {
  end_with_parent(options.parent);
  const DriverLine line = Producer(options).run();
  print(line);
  return line.failure.empty() ? 0 : 1;
}

}  // namespace stint
