// SocketClient: a client of a front door over a real socket, as tests and the benchmark need one. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <zmq.hpp>

namespace stint::test {

using Frames = std::vector<std::string>;

class SocketClient {
 public:
  SocketClient(zmq::context_t& context, zmq::socket_type type, const std::string& endpoint,
               const std::string& routing_id = {})
      : socket_(context, type) {
    socket_.set(zmq::sockopt::linger, 0);
    if (!routing_id.empty()) socket_.set(zmq::sockopt::routing_id, routing_id);
    socket_.connect(endpoint);
  }

  explicit SocketClient(zmq::socket_t socket) : socket_(std::move(socket)) {}

  zmq::socket_t& socket() { return socket_; }

  void send(const Frames& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      socket_.send(zmq::buffer(frames[i]),
                   i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    }
  }

  // Nothing: no whole message came within `wait`.
  std::optional<Frames> receive(std::chrono::milliseconds wait = std::chrono::milliseconds(0)) {
    zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
    if (zmq::poll(&item, 1, wait) == 0) return std::nullopt;
    Frames frames;
    for (bool more = true; more;) {
      zmq::message_t frame;
      if (!socket_.recv(frame)) return std::nullopt;
      frames.push_back(frame.to_string());
      more = frame.more();
    }
    return frames;
  }

 private:
  zmq::socket_t socket_;
};

}  // namespace stint::test
