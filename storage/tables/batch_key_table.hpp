// The keys under which batches were enqueued, and what they were answered (rule D8).
#pragma once

#include <optional>

#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class BatchKeyTable {
 public:
  explicit BatchKeyTable(Database& database) : database_(database) {}

  std::optional<BatchKeyRow> find(const std::string& key);
  void put(const BatchKeyRow& row);

 private:
  Database& database_;
  Statement find_{database_, "SELECT content_hash, at, ids FROM batch_keys WHERE key = ?"};
  Statement put_{database_,
                 "INSERT OR REPLACE INTO batch_keys(key, content_hash, at, ids) VALUES(?, ?, ?, ?)"};
};

}  // namespace stint
