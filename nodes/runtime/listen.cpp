#include "nodes/runtime/listen.hpp"

#include <utility>

#include "nodes/config/endpoint.hpp"

namespace stint {

Result<zmq::socket_t, Failure> listen(const Listening& listening,
                                      const std::function<zmq::socket_t()>& make_socket) {
  const std::string named = "the " + std::string(listening.what) + " " + listening.endpoint;
  if (!listening.insecure && !is_loopback(listening.endpoint)) {
    return Failure{.status = ExitStatus::config,
                   .message = named + " can be reached from other machines without keys",
                   .hint = "listen on 127.0.0.1, or allow it with insecure = true in [node]"};
  }
  try {
    zmq::socket_t socket = make_socket();
    socket.bind(listening.endpoint);
    return socket;
  } catch (const zmq::error_t& error) {
    Failure failure{.status = ExitStatus::cannot_create,
                    .message = "cannot listen on " + named + ": " + error.what()};
    if (error.num() == EADDRINUSE) failure.hint = "another node may be running there";
    return failure;
  }
}

}  // namespace stint
