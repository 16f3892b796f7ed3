#include "nodes/runtime/multipart.hpp"

#include <cassert>
#include <cerrno>

namespace stint {
namespace {

bool receive_frame(zmq::socket_ref socket, zmq::message_t& frame) {
  while (zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT) < 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool send_frame(zmq::socket_ref socket, std::string_view frame, bool more) {
  const int flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0);
  while (zmq_send(socket.handle(), frame.data(), frame.size(), flags) < 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

}  // namespace

bool Multipart::receive(zmq::socket_ref socket) {
  views_.clear();
  bytes_ = 0;
  if (!receive_frame(socket, messages_[0])) return false;
  for (std::size_t frame = 0;;) {
    zmq::message_t& message = messages_[frame];
    bytes_ += message.size();
    const bool more = message.more();
    if (views_.size() < most_frames - 1) {
      views_.emplace_back(message.data<char>(), message.size());
      ++frame;
    } else if (views_.size() == most_frames - 1) {
      views_.emplace_back();  // stands for all that is dropped: still too many for any reader
    }
    if (!more) return true;
    // The frames of a message arrive together: after the first, none is missing.
    const bool received = receive_frame(socket, messages_[frame]);
    assert(received);
    if (!received) return false;
  }
}

bool send_multipart(zmq::socket_ref socket, const std::vector<std::string_view>& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool sent = send_frame(socket, frames[i], i + 1 < frames.size());
    if (sent) continue;
    // Only the first frame chooses a peer and can be refused; the others follow it.
    assert(i == 0);
    return false;
  }
  return true;
}

}  // namespace stint
