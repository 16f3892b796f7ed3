// The history: one row a run that has ended, in the order of (job, run), which is nearly the order of time.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "storage/grouped_insert.hpp"
#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class LogTable {
 public:
  explicit LogTable(Database& database);

  std::optional<LogRow> find(JobRun run);
  std::vector<LogRow> newest_of(JobId id, std::int64_t most);  // oldest first
  std::vector<LogRow> after(JobRun run, std::int64_t most);
  void insert(const LogRow& row);
  void erase_of(JobId id);
  // Before a commit: what waits to be inserted is. Before a rollback: that is not worth it.
  void settle() { insert_plain_.settle(); }
  void forget() { insert_plain_.forget(); }

 private:
  // Of most runs there is neither a result nor an error to keep.
  struct PlainLog : LogRow {
    auto values() const {
      return std::make_tuple(run.id, run.run, ended_at_ms, static_cast<int>(end), static_cast<int>(state),
                             session, attempt, priority, max_attempts, enqueued_at_ms, started_at_ms,
                             std::string_view(queue), std::string_view(handler), std::string_view(worker),
                             false);
    }
  };

  LogRow read(Rows& rows);

  Database& database_;
  Statement find_;
  Statement newest_of_;
  Statement after_;
  Statement insert_;
  GroupedInsert<PlainLog> insert_plain_;
  Statement erase_of_;
};

}  // namespace stint
