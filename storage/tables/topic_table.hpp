// The newest message of each topic of events.
#pragma once

#include <functional>

#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class TopicTable {
 public:
  explicit TopicTable(Database& database) : database_(database) {}

  void each(const std::function<void(const TopicRow&)>& visit);
  void put(const TopicRow& row) { put_.run(row.topic, row.seq); }

 private:
  Database& database_;
  Statement each_{database_, "SELECT topic, seq FROM topics ORDER BY topic"};
  Statement put_{database_, "INSERT OR REPLACE INTO topics VALUES(?, ?)"};
};

}  // namespace stint
