// How `stint` ends: what scripts rely on. The same table is shown by `stint --help`.
#pragma once

#include <string>
#include <string_view>

#include "protocol/error.hpp"

namespace stint {

enum class ExitStatus : int {
  done = 0,
  refused = 1,         // the server's `error` is on stderr
  usage = 64,          // the command line cannot be understood
  bad_data = 65,       // input data: a bad line, a bad value
  no_server = 69,      // nobody answers
  internal = 70,       // a fault of stint itself
  cannot_create = 73,  // a file that is written cannot be created
  io = 74,             // reading or writing failed
  limited = 75,        // limited or paused: try again later
  not_allowed = 77,    // unauthorized, forbidden
  config = 78,         // the config file has faults
};

// Why a command ended without having done what it was asked.
struct Failure {
  ExitStatus status = ExitStatus::internal;
  std::string message;  // one line, without a full stop
  std::string hint{};   // what to do about it; may have several lines; empty: none
};

// How a command ends when the server answers with this error.
ExitStatus exit_status_of(ErrorCode code);

std::string_view exit_status_table();

}  // namespace stint
