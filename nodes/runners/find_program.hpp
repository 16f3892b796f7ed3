// Whether the program of a command handler is there, before the first job needs it.
#pragma once

#include <optional>
#include <string>

namespace stint {

// Looks where a run would: at the path, or for a bare name along PATH. Returns why the program cannot be
// started, `No such file or directory`; nothing: it seems that it can.
std::optional<std::string> fault_of_program(const std::string& program);

}  // namespace stint
