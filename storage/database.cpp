#include "storage/database.hpp"

#include <cstring>
#include <sqlite3.h>
#include <utility>

#include "storage/statement.hpp"

namespace stint {

Result<std::unique_ptr<Database>, DatabaseFault> Database::open(const std::string& file,
                                                                const std::string& vfs) {
  // Statistics of its allocations cost SQLite a lock each. It takes this only before its first use in a
  // process.
  [[maybe_unused]] static const int told = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  // A path, even if it looks like a URI or like SQLite's names of files in memory.
  const std::string path = file.rfind('/', 0) == 0 ? file : "./" + file;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, vfs.empty() ? nullptr : vfs.c_str());
  std::unique_ptr<Database> database(new Database(connection));
  if (code != SQLITE_OK) return database->describe(code);
  sqlite3_wal_hook(connection, &Database::on_commit, database.get());
  return database;
}

Database::~Database() {
  [[maybe_unused]] const int code = sqlite3_close(connection_);
  assert(code == SQLITE_OK);  // statements go before their database
}

void Database::execute(const std::string& sql) {
  if (faulty()) return;
  const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer_of(const std::string& sql) {
  Statement statement(*this, sql);
  auto rows = statement.query();
  return rows.next() ? rows.integer() : 0;
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(connection_) == 0; }

void Database::rollback() {
  if (in_transaction()) sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
  fault_.reset();
}

std::int64_t Database::changes() const { return sqlite3_total_changes64(connection_); }

std::optional<DatabaseFault> Database::take_fault() { return std::exchange(fault_, std::nullopt); }

void Database::stick(DatabaseFault fault) {
  if (!faulty()) fault_ = std::move(fault);
}

void Database::refuse(const std::string& why) { stick(DatabaseFault{SQLITE_CONSTRAINT, why}); }

void Database::report_damage(const std::string& what) {
  stick(DatabaseFault{SQLITE_CORRUPT, "the file is damaged: " + what});
}

void Database::reserve_page_bytes(int bytes) {
  if (faulty()) return;
  const int code = sqlite3_file_control(connection_, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  if (code != SQLITE_OK) fail(code);
}

void Database::forbid_quoted_text() {
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
}

bool Database::is_read_only() const { return sqlite3_db_readonly(connection_, "main") == 1; }

Result<Done, DatabaseFault> Database::checkpoint() {
  int in_log = 0;
  int copied = 0;
  const int code =
      sqlite3_wal_checkpoint_v2(connection_, "main", SQLITE_CHECKPOINT_PASSIVE, &in_log, &copied);
  if (code != SQLITE_OK) return describe(code);
  if (in_log == copied) wal_pages_ = 0;
  return Done{};
}

void Database::fail(int code) {
  if (!faulty()) stick(describe(code));
}

DatabaseFault Database::describe(int code) const {
  std::string message = sqlite3_errstr(code);
  const std::string details = connection_ ? sqlite3_errmsg(connection_) : "";
  if (!details.empty() && details != message && details != "not an error") message += ": " + details;
  const int system = connection_ ? sqlite3_system_errno(connection_) : 0;
  const int primary = code & 0xff;
  const bool from_system = primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR || primary == SQLITE_FULL;
  if (from_system && system != 0) message += std::string(" (") + std::strerror(system) + ")";
  return DatabaseFault{code, std::move(message)};
}

int Database::on_commit(void* self, sqlite3*, const char*, int pages) {
  static_cast<Database*>(self)->wal_pages_ = pages;
  return SQLITE_OK;
}

}  // namespace stint
