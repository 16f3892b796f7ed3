#include "nodes/bench/load_subscriber.hpp"

#include <array>
#include <zmq.hpp>

#include "nodes/bench/bench_clock.hpp"
#include "nodes/bench/driver_line.hpp"
#include "nodes/runtime/multipart.hpp"
#include "nodes/runtime/stop_source.hpp"
#include "protocol/published.hpp"

namespace stint {

namespace {

constexpr long look_again_ms = 100;
constexpr const char* monitor_endpoint = "inproc://stint.bench.monitor";

class Subscriber {
 public:
  explicit Subscriber(const SubscriberOptions& options) : options_(options) {
    socket_.set(zmq::sockopt::linger, 0);
    monitor_.set(zmq::sockopt::linger, 0);
    if (is_ipv6(options.events)) socket_.set(zmq::sockopt::ipv6, true);
    zmq_socket_monitor(socket_.handle(), monitor_endpoint, ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
    monitor_.connect(monitor_endpoint);
    socket_.set(zmq::sockopt::subscribe, "");
    socket_.connect(options.events);
  }
  ~Subscriber() { zmq_socket_monitor(socket_.handle(), nullptr, 0); }

  DriverLine run() {
    DriverReport report;
    bool is_connected = false;
    while (stop_.take() == 0 && line_.failure.empty()) {
      std::array<zmq_pollitem_t, 2> items{
          {{nullptr, stop_.fd(), ZMQ_POLLIN, 0}, {socket_.handle(), 0, ZMQ_POLLIN, 0}}};
      zmq_poll(items.data(), options_.stalled ? 1 : 2, look_again_ms);
      if (!options_.stalled) read_all();
      Multipart event;
      while (event.receive(monitor_)) is_connected = true;
      if (is_connected) report.tick(line_, bench_now_us());
    }
    line_.ended = true;
    return line_;
  }

 private:
  void read_all() {
    // Between two looks at the signals there is an end to it, however much comes.
    for (int number = 0; number < 1'000 && message_.receive(socket_); ++number) {
      const auto& frames = message_.frames();
      if (frames.size() != 2 || frames[0] == log_head_topic) continue;
      const auto event = decode_event(frames[1]);
      if (!event) {
        line_.failure = "an event cannot be read: " + event.error().message;
        return;
      }
      ++line_.messages;
      line_.jobs += std::ssize(event->items);
      line_.last_us = bench_now_us();
    }
  }

  const SubscriberOptions& options_;
  SignalStop stop_;  // before the context's threads
  zmq::context_t context_{1};
  zmq::socket_t socket_{context_, zmq::socket_type::sub};
  zmq::socket_t monitor_{context_, zmq::socket_type::pair};
  Multipart message_;
  DriverLine line_;
};

}  // namespace

int run_bench_subscriber(const SubscriberOptions& options) {
  end_with_parent(options.parent);
  const DriverLine line = Subscriber(options).run();
  print(line);
  return line.failure.empty() ? 0 : 1;
}

}  // namespace stint
