// The entries of handlers' windows: a row for those that were made at one moment (rule L10).
#pragma once

#include <functional>

#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class WindowTable {
 public:
  explicit WindowTable(Database& database) : database_(database) {}

  void each(const std::function<void(const WindowRow&)>& visit);
  void put(const WindowRow& row) { put_.run(row.handler, row.at, row.count); }
  void erase(const std::string& handler, Instant at) { erase_.run(handler, at); }
  void erase_before(const std::string& handler, Instant at) { erase_before_.run(handler, at); }

 private:
  Database& database_;
  Statement each_{database_, "SELECT handler, at, count FROM window_entries ORDER BY handler, at"};
  Statement put_{database_, "INSERT OR REPLACE INTO window_entries VALUES(?, ?, ?)"};
  Statement erase_{database_, "DELETE FROM window_entries WHERE handler = ? AND at = ?"};
  Statement erase_before_{database_, "DELETE FROM window_entries WHERE handler = ? AND at < ?"};
};

}  // namespace stint
