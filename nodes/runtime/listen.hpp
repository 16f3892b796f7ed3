// Listening: what every socket that others connect to has in common.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <zmq.hpp>

#include "nodes/cli/exit_status.hpp"
#include "protocol/result.hpp"

namespace stint {

struct Listening {
  std::string_view what;  // as people call it: "front door"
  const std::string& endpoint;
  bool insecure = false;  // may listen beyond loopback
};

// Makes the socket and binds it. Errors: config (an address beyond loopback without `insecure`),
// cannot_create (in use, malformed, not ours).
Result<zmq::socket_t, Failure> listen(const Listening& listening,
                                      const std::function<zmq::socket_t()>& make_socket);

}  // namespace stint
