#include "nodes/cli/exit_status.hpp"

namespace stint {

ExitStatus exit_status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::unauthorized:
    case ErrorCode::forbidden:
      return ExitStatus::not_allowed;
    case ErrorCode::unavailable:  // the node that should answer cannot be reached
    case ErrorCode::shutting_down:
      return ExitStatus::no_server;
    default:
      return ExitStatus::refused;
  }
}

std::string_view exit_status_table() {
  return R"(Exit status:
   0  done
   1  the server refused; its error is on stderr
  64  usage: the command line cannot be understood
  65  bad input data: the line and field are named
  69  no server answers, or a node of it is away; why that may be is on stderr
  70  internal error
  73  cannot create a file
  74  reading or writing failed
  75  limited or paused (work --once, limit check)
  77  not allowed
  78  the config has faults; each is named
)";
}

}  // namespace stint
