// The batches that were handed out: one row a batch, however many jobs it holds.
#pragma once

#include <functional>

#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class ReceiptTable {
 public:
  explicit ReceiptTable(Database& database) : database_(database) {}

  void each(const std::function<void(const ReceiptRow&)>& visit);
  void insert(const ReceiptRow& row);
  void acknowledge(ReceiptId id);
  void erase(ReceiptId id) { erase_.run(id); }

 private:
  Database& database_;
  Statement each_{database_,
                  "SELECT id, session, ask, started_at, started_at_ms, acknowledged, runs FROM receipts"
                  " ORDER BY id"};
  Statement insert_{database_, "INSERT INTO receipts VALUES(?, ?, ?, ?, ?, ?, ?)"};
  Statement acknowledge_{database_, "UPDATE receipts SET acknowledged = 1 WHERE id = ?"};
  Statement erase_{database_, "DELETE FROM receipts WHERE id = ?"};
};

}  // namespace stint
