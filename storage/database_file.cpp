#include "storage/database_file.hpp"

#include <filesystem>
#include <sqlite3.h>
#include <system_error>
#include <utility>

#include "storage/statement.hpp"

namespace stint {

namespace {

constexpr std::int64_t page_bytes = 8192;
constexpr int reserved_page_bytes = 8;  // room for a checksum: cannot be had later without rewriting the file
constexpr std::int64_t incremental_vacuum = 2;

enum class Whose { nobody, ours, newer, other };

Error refuse(ErrorCode code, const std::string& file, const std::string& why) {
  return Error{.code = code, .message = "database file '" + file + "' " + why};
}

bool is_missing_or_empty(const std::string& file) {
  std::error_code problem;
  const auto bytes = std::filesystem::file_size(file, problem);
  return problem || bytes == 0;
}

// How the pages of a new file are laid out, for ever.
void lay_out(Database& database) {
  database.execute("PRAGMA page_size = 8192");
  database.reserve_page_bytes(reserved_page_bytes);
  database.execute("PRAGMA auto_vacuum = INCREMENTAL");
}

void prepare_connection(Database& database) {
  database.forbid_quoted_text();
  // Before the write-ahead log is touched: so there is no shared memory, and no second process.
  database.execute("PRAGMA locking_mode = EXCLUSIVE");
  database.execute("PRAGMA synchronous = FULL");
  database.execute("PRAGMA cache_size = -32768");
  database.execute("PRAGMA secure_delete = OFF");
  database.execute("PRAGMA trusted_schema = OFF");
  database.execute("PRAGMA temp_store = MEMORY");
}

Whose find_owner(Database& database, std::span<const Migration> steps) {
  const auto application = database.integer_of("PRAGMA application_id");
  const auto version = database.integer_of("PRAGMA user_version");
  if (application == stint_application_id) {
    return version > newest_version(steps) ? Whose::newer : Whose::ours;
  }
  const bool untouched = application == 0 && version == 0 &&
                         database.integer_of("SELECT count(*) FROM sqlite_schema") == 0 &&
                         database.integer_of("PRAGMA page_size") == page_bytes &&
                         database.integer_of("PRAGMA auto_vacuum") == incremental_vacuum;
  return untouched ? Whose::nobody : Whose::other;
}

// One transaction from the first look to the last step: nobody comes between, and what fails leaves no trace.
std::optional<Error> claim(Database& database, const std::string& file, std::span<const Migration> steps) {
  database.execute("BEGIN EXCLUSIVE");
  const auto owner = find_owner(database, steps);
  if (const auto& fault = database.fault()) return explain_open_fault(file, *fault);
  if (owner == Whose::other) return refuse(ErrorCode::bad_message, file, "is not a file of stint");
  if (owner == Whose::newer) {
    return refuse(ErrorCode::unsupported_version, file,
                  "was written by a newer stint: it has version " +
                      std::to_string(database.integer_of("PRAGMA user_version")) + ", this program knows " +
                      std::to_string(newest_version(steps)));
  }
  if (owner == Whose::nobody) {
    database.execute("PRAGMA application_id = " + std::to_string(stint_application_id));
  }
  migrate(database, steps);
  database.commit();
  if (const auto& fault = database.fault()) return explain_open_fault(file, *fault);
  return std::nullopt;
}

void use_write_ahead_log(Database& database) {
  Statement switch_over(database, "PRAGMA journal_mode = WAL");
  if (auto rows = switch_over.query(); rows.next() && rows.bytes() != "wal") {
    database.stick({SQLITE_CANTOPEN, "its folder cannot hold a write-ahead log"});
  }
  // Overwriting is quicker to sync than growing: the log keeps its size.
  database.execute("PRAGMA journal_size_limit = -1");
}

}  // namespace

Error explain_open_fault(const std::string& file, const DatabaseFault& fault) {
  switch (fault.code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return refuse(ErrorCode::conflict, file, "is in use by another process");
    case SQLITE_NOTADB:
      return refuse(ErrorCode::bad_message, file, "is not a file of stint");
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:  // the tables are not those that its version has
      return refuse(ErrorCode::internal, file, "is damaged: " + fault.message);
    default:
      return refuse(ErrorCode::storage_unavailable, file, "cannot be opened: " + fault.message);
  }
}

Result<std::unique_ptr<Database>> open_database_file(const std::string& file, const std::string& vfs,
                                                     std::span<const Migration> steps) {
  const bool is_new = is_missing_or_empty(file);
  auto opened = Database::open(file, vfs);
  if (!opened) return explain_open_fault(file, opened.error());
  auto database = std::move(*opened);
  if (database->is_read_only()) {
    return refuse(ErrorCode::storage_unavailable, file, "cannot be opened: it may not be written");
  }
  if (is_new) lay_out(*database);
  prepare_connection(*database);
  if (const auto& fault = database->fault()) return explain_open_fault(file, *fault);
  if (auto refused = claim(*database, file, steps)) {
    database->rollback();
    return std::move(*refused);
  }
  use_write_ahead_log(*database);
  if (const auto& fault = database->fault()) return explain_open_fault(file, *fault);
  return database;
}

}  // namespace stint
