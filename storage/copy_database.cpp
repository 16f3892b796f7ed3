#include "storage/copy_database.hpp"

#include <filesystem>
#include <memory>
#include <sqlite3.h>

#include "storage/store.hpp"

namespace stint {

namespace {

struct Closed {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
using Connection = std::unique_ptr<sqlite3, Closed>;

Connection connect(const std::string& file, int flags) {
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &connection, flags, nullptr);
  Connection owned(connection);
  return code == SQLITE_OK ? std::move(owned) : nullptr;
}

Error cannot_copy(const std::string& from, const std::string& to, const std::string& why) {
  return {ErrorCode::storage_unavailable, from + " cannot be copied to " + to + ": " + why};
}

}  // namespace

Status copy_database(const std::string& from, const std::string& to) {
  std::error_code ignored;
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(to + part, ignored);
  if (!std::filesystem::exists(from, ignored)) return Done{};
  const Connection source = connect(from, SQLITE_OPEN_READWRITE);
  if (source == nullptr) return cannot_copy(from, to, "it cannot be opened");
  const Connection target = connect(to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (target == nullptr) return cannot_copy(from, to, "the copy cannot be made");
  sqlite3_backup* copying = sqlite3_backup_init(target.get(), "main", source.get(), "main");
  if (copying == nullptr) return cannot_copy(from, to, sqlite3_errmsg(target.get()));
  sqlite3_backup_step(copying, -1);
  if (const int code = sqlite3_backup_finish(copying); code != SQLITE_OK)
    return cannot_copy(from, to, sqlite3_errstr(code));
  return Done{};
}

Status mark_as_backup(const std::string& copy) {
  const auto cannot_mark = [&](const std::string& why) {
    return Error{ErrorCode::storage_unavailable, copy + " cannot be marked as a backup: " + why};
  };
  const Connection file = connect(copy, SQLITE_OPEN_READWRITE);
  if (file == nullptr) return cannot_mark("it cannot be opened");
  const std::string mark = std::string("UPDATE header SET boot_id = '") + boot_of_backups + "'";
  if (sqlite3_exec(file.get(), mark.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return cannot_mark(sqlite3_errmsg(file.get()));
  }
  if (sqlite3_changes(file.get()) != 1) return cannot_mark("it has no header");
  return Done{};
}

}  // namespace stint
