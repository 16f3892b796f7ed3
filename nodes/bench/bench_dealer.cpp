#include "nodes/bench/bench_dealer.hpp"

#include "nodes/bench/bench_clock.hpp"
#include "protocol/codec.hpp"

namespace stint {

namespace {

// Those of the server are not known here, and may be larger than the defaults.
Bounds bounds_of_any_server() {
  Bounds bounds;
  bounds.payload_bytes = bounds.result_bytes = bounds.meta_bytes = Bounds::message_bytes;
  bounds.jobs_per_request = bounds.batch_max = Bounds::message_values;
  return bounds;
}

}  // namespace

BenchDealer::BenchDealer(zmq::context_t& context, const std::string& endpoint)
    : socket_(context, zmq::socket_type::dealer) {
  socket_.set(zmq::sockopt::sndhwm, 0);
  socket_.set(zmq::sockopt::rcvhwm, 0);
  socket_.set(zmq::sockopt::linger, 0);
  socket_.set(zmq::sockopt::reconnect_ivl, 5);
  if (is_ipv6(endpoint)) socket_.set(zmq::sockopt::ipv6, true);
  socket_.connect(endpoint);
}

void BenchDealer::send(std::string_view type, std::string_view body) {
  send_multipart(socket_, {wire_magic, type, std::string_view(), body});
}

void BenchDealer::send(const Request& request) { send(wire_type(request), encode(request)); }

std::optional<ParsedFrames> BenchDealer::take() {
  while (incoming_.receive(socket_)) {
    if (const auto parsed = parse_frames(incoming_.frames())) return *parsed;
  }
  return std::nullopt;
}

std::optional<ParsedFrames> BenchDealer::receive(std::int64_t within_ms) {
  const std::int64_t deadline_us = bench_now_us() + within_ms * 1'000;
  while (true) {
    if (auto frames = take()) return frames;
    const std::int64_t rest_us = deadline_us - bench_now_us();
    if (rest_us <= 0) return std::nullopt;
    zmq_pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
    zmq_poll(&item, 1, static_cast<long>(rest_us / 1'000 + 1));
  }
}

Result<Answer, Failure> BenchDealer::decode(const ParsedFrames& frames) {
  Result<Answer> answer = decode_answer(frames.type, frames.body, bounds_of_any_server());
  if (answer) return std::move(*answer);
  return Failure{.status = ExitStatus::no_server,
                 .message = "an answer cannot be read: " + answer.error().message};
}

Result<Answer, Failure> BenchDealer::await(std::int64_t within_ms) {
  const auto frames = receive(within_ms);
  if (!frames) return Failure{.status = ExitStatus::no_server, .message = "the server does not answer"};
  return decode(*frames);
}

}  // namespace stint
