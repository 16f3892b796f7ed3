// A copy of a stint file that no process uses, with what is still in its write-ahead log.
#pragma once

#include <string>

#include "protocol/result.hpp"

namespace stint {

// Overwrites `to`; where there is no file `from`, there is none afterwards. Errors: storage_unavailable,
// naming the file.
Status copy_database(const std::string& from, const std::string& to);

}  // namespace stint
