// The lives of worker processes (rule D5).
#pragma once

#include <functional>

#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class SessionTable {
 public:
  explicit SessionTable(Database& database) : database_(database) {}

  void each(const std::function<void(const SessionRow&)>& visit);
  void put(const SessionRow& row);
  void erase(SessionNumber number);

 private:
  std::optional<SessionRow> read(Rows& rows);

  Database& database_;
  Statement each_{
      database_,
      "SELECT number, id, worker, client, hostname, pid, first_hello_ms, last_message, taken_over,"
      " ended, handlers, queues, labels FROM sessions ORDER BY number"};
  Statement put_{database_, "INSERT OR REPLACE INTO sessions VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  Statement erase_{database_, "DELETE FROM sessions WHERE number = ?"};
};

}  // namespace stint
