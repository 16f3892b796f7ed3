// Endpoints as people write them: `tcp://host:port` or `ipc://path`.
#pragma once

#include <string_view>

#include "protocol/result.hpp"

namespace stint {

// One to connect to. Errors: bad_message, which says what was expected.
Status check_connect_endpoint(std::string_view endpoint);

// One to listen at: an address, a network interface of this machine, or `*`. Names of hosts are not looked
// up.
Status check_listen_endpoint(std::string_view endpoint);

// Whether only programs of this machine can reach it.
bool is_loopback(std::string_view endpoint);

}  // namespace stint
