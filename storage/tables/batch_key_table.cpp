#include "storage/tables/batch_key_table.hpp"

#include "storage/encodings.hpp"

namespace stint {

std::optional<BatchKeyRow> BatchKeyTable::find(const std::string& key) {
  auto rows = find_.query(key);
  if (!rows.next()) return std::nullopt;
  BatchKeyRow row;
  row.key = key;
  row.content_hash = static_cast<std::uint64_t>(rows.integer());
  row.at = rows.instant();
  auto ids = decode_ids(rows.bytes());
  if (!ids) database_.report_damage("batch key " + key);
  row.ids = std::move(ids).value_or(std::vector<JobId>{});
  return row;
}

void BatchKeyTable::put(const BatchKeyRow& row) {
  const auto ids = encode_ids(row.ids);
  put_.run(row.key, row.content_hash, row.at, Blob{ids});
}

}  // namespace stint
