// The records of limits: one of each name and source (rule L8).
#pragma once

#include <functional>

#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class LimitTable {
 public:
  explicit LimitTable(Database& database) : database_(database) {}

  void each(const std::function<void(const LimitRow&)>& visit);
  void put(const LimitRow& row);
  void erase(LimitScope scope, const std::string& name, LimitSource source);

 private:
  Database& database_;
  Statement each_{database_, "SELECT scope, name, source, record FROM limits ORDER BY scope, name, source"};
  Statement put_{database_, "INSERT OR REPLACE INTO limits VALUES(?, ?, ?, ?)"};
  Statement erase_{database_, "DELETE FROM limits WHERE scope = ? AND name = ? AND source = ?"};
};

}  // namespace stint
