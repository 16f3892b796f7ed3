// The Store on SQLite: one file, which only one process can open at a time (rule D11). Used by one thread at
// a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/store.hpp"

namespace stint {

struct SqliteOptions {
  std::string vfs;  // of SQLite, by name; empty: its own
  // The write-ahead log is copied into the file when it has as many pages of 8 KiB ...
  std::int64_t checkpoint_pages = 1000;
  // ... and where that fails again and again, changes are refused from so many on: the log is bounded.
  std::int64_t most_wal_pages = 32'000;
};

// Opens the file, makes it where there is none, and brings an older one to this version's form. The row that
// says where it stands is header(); rows are given by each_job() and the like. The destructor closes the file
// cleanly.
//
// Errors, each with a message that names the file and says in one line what is wrong:
//   storage_unavailable   it cannot be created, opened, read or written: why the system says
//   conflict              another process uses it
//   bad_message           it is not a file of stint; it was left as it is
//   unsupported_version   a newer stint wrote it; it was left as it is
//   internal              it is damaged
Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& file, const SqliteOptions& options = {});

}  // namespace stint
