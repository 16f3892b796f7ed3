// Makes a database file as the first version of stint wrote it, with a row in every table. Frozen: what these
// statements say must never follow a change of the program.
#pragma once

#include <string>

namespace stint::test {

void make_version_1_file(const std::string& file);

}  // namespace stint::test
