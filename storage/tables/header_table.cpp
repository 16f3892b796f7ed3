#include "storage/tables/header_table.hpp"

#include <algorithm>

namespace stint {

CommitMark mark_of(const StoreHeader& header) {
  return {header.last_commit, header.last_commit_ms, header.last_job, header.last_session,
          header.last_receipt};
}

void put_mark(StoreHeader& header, const CommitMark& mark) {
  header.last_commit = mark.stamp;
  header.last_commit_ms = mark.stamp_ms;
  header.last_job = mark.last_job;
  header.last_session = mark.last_session;
  header.last_receipt = mark.last_receipt;
}

CommitMark later(const CommitMark& one, const CommitMark& other) {
  CommitMark mark = one.stamp < other.stamp ? other : one;
  mark.last_job = std::max(one.last_job, other.last_job);
  mark.last_session = std::max(one.last_session, other.last_session);
  mark.last_receipt = std::max(one.last_receipt, other.last_receipt);
  return mark;
}

StoreHeader HeaderTable::read() {
  StoreHeader header;
  auto rows = read_.query();
  if (!rows.next()) {
    database_.report_damage("it has no header");
    return header;
  }
  header.boot_id = rows.bytes();
  header.starts = rows.integer();
  header.log = rows.bytes();
  header.clock_offset = Duration(rows.integer());
  header.last_commit = rows.instant();
  header.last_commit_ms = rows.integer();
  header.last_job = rows.integer();
  header.last_session = rows.integer();
  header.last_receipt = rows.integer();
  if (const auto restored_at = rows.optional_integer()) header.restored_at = Instant(Duration(*restored_at));
  return header;
}

void HeaderTable::write(const StoreHeader& header) {
  write_.run(header.boot_id, header.starts, header.log, header.clock_offset, header.restored_at);
}

void HeaderTable::write_mark(const CommitMark& mark) {
  write_mark_.run(mark.stamp, mark.stamp_ms, mark.last_job, mark.last_session, mark.last_receipt);
}

}  // namespace stint
