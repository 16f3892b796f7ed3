#include "storage/tables/receipt_table.hpp"

#include "storage/encodings.hpp"

namespace stint {

void ReceiptTable::each(const std::function<void(const ReceiptRow&)>& visit) {
  for (auto rows = each_.query(); rows.next();) {
    ReceiptRow row;
    row.id = rows.integer();
    row.session = rows.integer();
    row.ask = rows.integer();
    row.started_at = rows.instant();
    row.started_at_ms = rows.integer();
    row.acknowledged = rows.boolean();
    auto runs = decode_runs(rows.bytes());
    if (!runs) return database_.report_damage("receipt " + std::to_string(row.id));
    row.runs = std::move(*runs);
    visit(row);
  }
}

void ReceiptTable::insert(const ReceiptRow& row) {
  const auto runs = encode_runs(row.runs);
  insert_.run(row.id, row.session, row.ask, row.started_at, row.started_at_ms, row.acknowledged, Blob{runs});
}

void ReceiptTable::acknowledge(ReceiptId id) {
  const auto changes = database_.changes();
  acknowledge_.run(id);
  if (database_.changes() == changes) database_.refuse("receipt " + std::to_string(id) + " is not there");
}

}  // namespace stint
