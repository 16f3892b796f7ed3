// The one row that says whose file this is and where it stands, and the mark that each commit leaves.
#pragma once

#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

// What each commit leaves behind: in its row of events if it has one, else in the header row. The ids in it
// are the highest ever given, so none is given twice, whatever has been deleted since.
struct CommitMark {
  Instant stamp{};  // of the commit before
  WallMs stamp_ms = 0;
  JobId last_job = 0;
  SessionNumber last_session = 0;
  ReceiptId last_receipt = 0;
};

CommitMark mark_of(const StoreHeader& header);
void put_mark(StoreHeader& header, const CommitMark& mark);

// The stamp of the later one, and the highest of each id.
CommitMark later(const CommitMark& one, const CommitMark& other);

class HeaderTable {
 public:
  explicit HeaderTable(Database& database) : database_(database) {}
  // But for event_seq, and with the mark in this row alone.
  StoreHeader read();
  void write(const StoreHeader& header);
  void write_mark(const CommitMark& mark);

 private:
  Database& database_;
  Statement read_{database_,
                  "SELECT boot_id, starts, log, clock_offset, stamp, stamp_ms, last_job, last_session,"
                  " last_receipt, restored_at FROM header"};
  Statement write_{database_,
                   "UPDATE header SET boot_id = ?, starts = ?, log = ?, clock_offset = ?, restored_at = ?"};
  Statement write_mark_{database_,
                        "UPDATE header SET stamp = ?, stamp_ms = ?, last_job = ?, last_session = ?,"
                        " last_receipt = ?"};
};

}  // namespace stint
