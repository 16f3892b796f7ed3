// Database: one connection to one SQLite file, and its transaction. Statements (statement.hpp) run on it.
//
// The first fault of any statement sticks: until it is taken, statements do nothing and queries give no rows.
// So a sequence of changes needs no checks between its steps; whoever began it asks once, at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "protocol/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace stint {

class Statement;
class Rows;

// A fault of SQLite: its extended result code, and what it says to people.
struct DatabaseFault {
  int code = 0;
  std::string message;
};

class Database {
 public:
  // Creates the file where there is none. An empty `vfs` is SQLite's own.
  static Result<std::unique_ptr<Database>, DatabaseFault> open(const std::string& file,
                                                               const std::string& vfs);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Statements without values, separated by semicolons. Rows they give are dropped.
  void execute(const std::string& sql);
  // Of a statement with one row: its first value; 0 if there is none.
  std::int64_t integer_of(const std::string& sql);

  bool in_transaction() const;
  // Takes the write lock at once: nothing is refused later because of others.
  void begin() { execute("BEGIN IMMEDIATE"); }
  // Without a fault all is on disk; with one nothing is kept and rollback() must follow.
  void commit() { execute("COMMIT"); }
  // Ends the transaction if there still is one: SQLite itself ends it after some faults. Forgets the fault.
  void rollback();
  // Rows inserted, changed or deleted since the connection was opened.
  std::int64_t changes() const;

  bool faulty() const { return fault_.has_value(); }
  const std::optional<DatabaseFault>& fault() const { return fault_; }
  std::optional<DatabaseFault> take_fault();
  void stick(DatabaseFault fault);
  // A change that contradicts what is stored.
  void refuse(const std::string& why);
  // Says that what a table holds cannot be: the file is damaged.
  void report_damage(const std::string& what);

  // Keeps `bytes` a page free from now on. Only before the first page is written.
  void reserve_page_bytes(int bytes);
  void forbid_quoted_text();  // "x" is a column, never a text
  bool is_read_only() const;

  // Pages of the write-ahead log that are still to be copied into the file.
  std::int64_t wal_pages() const { return wal_pages_; }
  // Copies the write-ahead log into the file, so that the log is written from its start again. The log stays
  // as it is on a fault, which does not stick and costs no commit.
  Result<Done, DatabaseFault> checkpoint();

 private:
  friend class Statement;
  friend class Rows;
  explicit Database(sqlite3* connection) : connection_(connection) {}
  void fail(int code);
  DatabaseFault describe(int code) const;
  static int on_commit(void* self, sqlite3* connection, const char* name, int pages);

  sqlite3* connection_;
  std::optional<DatabaseFault> fault_;
  std::int64_t wal_pages_ = 0;
};

}  // namespace stint
