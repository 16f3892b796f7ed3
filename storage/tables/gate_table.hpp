// Buckets and pauses: what of a name's gate must outlive a restart (rule L10).
#pragma once

#include <functional>

#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class GateTable {
 public:
  explicit GateTable(Database& database) : database_(database) {}

  void each(const std::function<void(const GateRow&)>& visit);
  void put(const GateRow& row);
  void erase(LimitScope scope, const std::string& name);

 private:
  Database& database_;
  Statement each_{
      database_,
      "SELECT scope, name, version, level, level_at, paused_until, rate, burst, kept_for FROM gates "
      "ORDER BY scope, name"};
  Statement put_{database_, "INSERT OR REPLACE INTO gates VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  Statement erase_{database_, "DELETE FROM gates WHERE scope = ? AND name = ?"};
};

}  // namespace stint
