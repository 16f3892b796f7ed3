// The file of a Database: finds out whose it is, claims it for this process alone, makes or migrates its
// tables and sets how it is written.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "storage/database.hpp"
#include "storage/migrations.hpp"

namespace stint {

// "STIN": PRAGMA application_id of every stint file.
constexpr std::int64_t stint_application_id = 0x5354494e;

// Errors, each naming the file; the file of another program or a newer stint is left as it is:
//   storage_unavailable   cannot be created, opened, read or written
//   conflict              in use by another process
//   bad_message           not a file of stint
//   unsupported_version   of a newer stint
//   internal              damaged
Result<std::unique_ptr<Database>> open_database_file(const std::string& file, const std::string& vfs,
                                                     std::span<const Migration> steps = migrations());

// The error of a fault that comes up while a file is opened.
Error explain_open_fault(const std::string& file, const DatabaseFault& fault);

}  // namespace stint
