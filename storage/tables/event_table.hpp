// The events: a row a commit, which also carries the commit's mark. Its newest row is never deleted, as it
// says where the file stands.
#pragma once

#include <vector>

#include "storage/statement.hpp"
#include "storage/store.hpp"
#include "storage/tables/header_table.hpp"

namespace stint {

class EventTable {
 public:
  explicit EventTable(Database& database) : database_(database) {}

  // Puts the newest row's mark and number into the header.
  void read_newest(StoreHeader& header);
  std::vector<EventChunk> from(std::int64_t seq, std::int64_t most);
  std::int64_t oldest();  // 0: there is none

  // Chunks wait for the commit, whose stamp is known only then.
  void append(const EventChunk& chunk) { waiting_.push_back(chunk); }
  bool any_waiting() const { return !waiting_.empty(); }
  void write_waiting(const CommitMark& mark);
  void drop_waiting() { waiting_.clear(); }

 private:
  Database& database_;
  std::vector<EventChunk> waiting_;
  Statement newest_{
      database_,
      "SELECT seq + messages - 1, stamp, stamp_ms, last_job, last_session, last_receipt FROM events"
      " ORDER BY seq DESC LIMIT 1"};
  Statement end_{database_, "SELECT seq + messages, total_bytes FROM events ORDER BY seq DESC LIMIT 1"};
  // From the chunk in which `seq` lies, or the next one.
  Statement from_{
      database_,
      "SELECT seq, messages, bytes FROM events"
      " WHERE seq >= coalesce((SELECT max(seq) FROM events WHERE seq <= ?1), ?1) AND seq + messages > ?1"
      " ORDER BY seq LIMIT ?2"};
  Statement oldest_{database_, "SELECT min(seq) FROM events"};
  Statement insert_{database_, "INSERT INTO events VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"};
};

}  // namespace stint
