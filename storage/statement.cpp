#include "storage/statement.hpp"

#include <cassert>
#include <sqlite3.h>

namespace stint {

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  if (database.faulty()) return;
  const int code = sqlite3_prepare_v3(database.connection_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT,
                                      &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::bind_integer(int position, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, position, value));
}

void Statement::bind_real(int position, double value) {
  check(sqlite3_bind_double(statement_, position, value));
}

// A null pointer would be stored as NULL, and an empty view may hold one.
void Statement::bind_text(int position, std::string_view value) {
  const char* const first = value.empty() ? "" : value.data();
  check(sqlite3_bind_text64(statement_, position, first, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind_blob(int position, std::string_view value) {
  const char* const first = value.empty() ? "" : value.data();
  check(sqlite3_bind_blob64(statement_, position, first, value.size(), SQLITE_STATIC));
}

void Statement::bind_null(int position) { check(sqlite3_bind_null(statement_, position)); }

// A value that was not taken must not leave the one before in its place.
void Statement::check(int code) {
  if (code != SQLITE_OK) database_.fail(code);
}

void Statement::run_bound() {
  if (database_.faulty()) return;
  const int code = sqlite3_step(statement_);
  assert(code != SQLITE_ROW);
  if (code != SQLITE_DONE) database_.fail(code);
  sqlite3_reset(statement_);
}

Rows::~Rows() { sqlite3_reset(statement_.statement_); }

bool Rows::next() {
  column_ = 0;
  if (statement_.database_.faulty()) return false;
  const int code = sqlite3_step(statement_.statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) statement_.database_.fail(code);
  return false;
}

std::int64_t Rows::integer() { return sqlite3_column_int64(statement_.statement_, column_++); }

double Rows::real() { return sqlite3_column_double(statement_.statement_, column_++); }

std::optional<std::int64_t> Rows::optional_integer() {
  if (sqlite3_column_type(statement_.statement_, column_) == SQLITE_NULL) return ++column_, std::nullopt;
  return integer();
}

std::string_view Rows::bytes() {
  const auto* const first = static_cast<const char*>(sqlite3_column_blob(statement_.statement_, column_));
  const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement_.statement_, column_));
  ++column_;
  return first ? std::string_view(first, length) : std::string_view();
}

std::optional<std::string_view> Rows::optional_bytes() {
  if (sqlite3_column_type(statement_.statement_, column_) == SQLITE_NULL) return ++column_, std::nullopt;
  return bytes();
}

}  // namespace stint
