// Multipart: messages of several frames in and out of a ZeroMQ socket, without blocking and without
// exceptions.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>
#include <zmq.hpp>

namespace stint {

// The frames of one message. Keeps its memory from one message to the next.
class Multipart {
 public:
  // Frames that are kept; more than any well-formed message has. The rest of a longer one is read and
  // dropped.
  static constexpr std::size_t most_frames = 16;

  // Takes one whole message; false: there is none.
  bool receive(zmq::socket_ref socket);

  const std::vector<std::string_view>& frames() const { return views_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<zmq::message_t> messages_ = std::vector<zmq::message_t>(most_frames);
  std::vector<std::string_view> views_;
  std::size_t bytes_ = 0;
};

// Sends the frames as one message; false: nothing of it was sent, the peer is unknown, gone or reads too
// slowly.
bool send_multipart(zmq::socket_ref socket, const std::vector<std::string_view>& frames);

// Whether an endpoint names an IPv6 address. Only then ZMQ_IPV6 is right: with it, a name that has addresses
// of both kinds would be tried as IPv6 alone.
inline bool is_ipv6(std::string_view endpoint) { return endpoint.find('[') != std::string_view::npos; }

}  // namespace stint
