#include "nodes/bench/load_consumer.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <sys/epoll.h>
#include <vector>

#include "nodes/bench/bench_clock.hpp"
#include "nodes/bench/consumer_session.hpp"
#include "nodes/runners/descriptors.hpp"
#include "nodes/runtime/stop_source.hpp"
#include "protocol/bounds.hpp"

namespace stint {

namespace {

constexpr int look_again_ms = 100;
constexpr std::int64_t leave_ms = 1'000;

class Consumer {
 public:
  explicit Consumer(const ConsumerOptions& options) : options_(options) {}

  DriverLine run() {
    const Result<Done, Failure> done = work();
    if (!done) line_.failure = done.error().message;
    const std::int64_t deadline_us = bench_now_us() + leave_ms * 1'000;
    for (const auto& session : sessions_) {
      session->end(std::max<std::int64_t>(0, deadline_us - bench_now_us()) / 1'000);
    }
    if (!write_samples() && line_.failure.empty()) line_.failure = "cannot write " + options_.samples;
    line_.ended = true;
    return line_;
  }

 private:
  Result<Done, Failure> work() {
    if (auto opened = open(); !opened) return opened;
    watch(stop_.fd(), nullptr);
    DriverReport report;
    while (!is_told_to_stop_) {
      report.tick(line_, bench_now_us());
      if (auto worked = work_once(); !worked) return worked;
    }
    return Done{};
  }

  Result<Done, Failure> open() {
    for (std::int64_t number = 0; number < options_.connections; ++number) {
      sessions_.push_back(std::make_unique<ConsumerSession>(context_, options_, number));
    }
    const std::int64_t asks =
        std::clamp<std::int64_t>(options_.outstanding / options_.connections, 1, Bounds::open_asks);
    for (const auto& session : sessions_) {
      if (auto begun = session->begin(asks); !begun) return begun;
      watch(session->descriptor(), session.get());
    }
    return work_at_all();
  }

  void watch(int descriptor, ConsumerSession* session) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = session;
    epoll_ctl(ready_.get(), EPOLL_CTL_ADD, descriptor, &event);
  }

  // A ZeroMQ descriptor tells only of what came since its socket was empty (and sending can eat that), so a
  // session takes all there is, and after a quiet time every one looks.
  Result<Done, Failure> work_once() {
    std::array<epoll_event, 64> events{};
    const int count = epoll_wait(ready_.get(), events.data(), static_cast<int>(events.size()), look_again_ms);
    for (int number = 0; number < count; ++number) {
      auto* const session = static_cast<ConsumerSession*>(events[static_cast<std::size_t>(number)].data.ptr);
      if (session == nullptr) {
        is_told_to_stop_ = stop_.take() > 0;
        continue;
      }
      if (auto worked = session->work(line_, samples_us_); !worked) return worked;
    }
    return count > 0 ? Result<Done, Failure>(Done{}) : work_at_all();
  }

  Result<Done, Failure> work_at_all() {
    for (const auto& session : sessions_) {
      if (auto worked = session->work(line_, samples_us_); !worked) return worked;
    }
    return Done{};
  }

  bool write_samples() const {
    if (options_.samples.empty()) return true;
    std::ofstream file(options_.samples, std::ios::binary);
    file.write(reinterpret_cast<const char*>(samples_us_.data()),
               static_cast<std::streamsize>(samples_us_.size() * sizeof samples_us_[0]));
    file.close();
    return bool(file);
  }

  const ConsumerOptions& options_;
  SignalStop stop_;  // before the context's threads
  zmq::context_t context_{1};
  Descriptor ready_{epoll_create1(EPOLL_CLOEXEC)};
  std::vector<std::unique_ptr<ConsumerSession>> sessions_;
  std::vector<std::int64_t> samples_us_;
  DriverLine line_;
  bool is_told_to_stop_ = false;
};

}  // namespace

int run_bench_consumer(const ConsumerOptions& options) {
  end_with_parent(options.parent);
  const DriverLine line = Consumer(options).run();
  print(line);
  return line.failure.empty() ? 0 : 1;
}

}  // namespace stint
