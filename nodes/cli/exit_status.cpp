#include "nodes/cli/exit_status.hpp"

namespace stint {

ExitStatus exit_status_of(ErrorCode code) {
  const bool not_allowed = code == ErrorCode::unauthorized || code == ErrorCode::forbidden;
  return not_allowed ? ExitStatus::not_allowed : ExitStatus::refused;
}

std::string_view exit_status_table() {
  return R"(Exit status:
   0  done
   1  the server refused; its error is on stderr
  64  usage: the command line cannot be understood
  65  bad input data: the line and field are named
  69  no server answers; why that may be is on stderr
  70  internal error
  73  cannot create a file
  74  reading or writing failed
  75  limited or paused (work --once, limit check)
  77  not allowed
  78  the config has faults; each is named
)";
}

}  // namespace stint
