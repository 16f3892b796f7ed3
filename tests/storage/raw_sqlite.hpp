// A database file seen by another program than stint: plain SQL on a connection of its own.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <string>

namespace stint::test {

class RawSqlite {
 public:
  explicit RawSqlite(const std::string& file) { sqlite3_open(file.c_str(), &connection_); }
  ~RawSqlite() { sqlite3_close(connection_); }
  RawSqlite(const RawSqlite&) = delete;
  RawSqlite& operator=(const RawSqlite&) = delete;

  void execute(const std::string& sql) {
    const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
    EXPECT_EQ(code, SQLITE_OK) << sqlite3_errmsg(connection_);
  }
  void control(int operation, void* value) {
    EXPECT_EQ(sqlite3_file_control(connection_, "main", operation, value), SQLITE_OK);
  }
  // All values, row after row, separated by '|'.
  std::string query(const std::string& sql) {
    std::string values;
    const auto append = [](void* to, int columns, char** texts, char**) {
      for (int i = 0; i < columns; ++i)
        *static_cast<std::string*>(to) += std::string(texts[i] ? texts[i] : "NULL") + '|';
      return 0;
    };
    const int code = sqlite3_exec(connection_, sql.c_str(), append, &values, nullptr);
    EXPECT_EQ(code, SQLITE_OK) << sqlite3_errmsg(connection_);
    return values;
  }

 private:
  sqlite3* connection_ = nullptr;
};

}  // namespace stint::test
