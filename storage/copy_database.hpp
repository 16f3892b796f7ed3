// A copy of a stint file that no process uses, with what is still in its write-ahead log; and what makes a
// backup of such a copy.
#pragma once

#include <string>

#include "protocol/result.hpp"

namespace stint {

// Overwrites `to`; where there is no file `from`, there is none afterwards. Errors: storage_unavailable,
// naming the file.
Status copy_database(const std::string& from, const std::string& to);

// Marks a copy as a backup: whoever starts on it is another server than the one it was copied from, and
// starts as rule L10 says. Of a file that a server uses, only a copy may be marked. Errors:
// storage_unavailable, naming the file.
Status mark_as_backup(const std::string& copy);

}  // namespace stint
