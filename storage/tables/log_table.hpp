// The history: one row a run that has ended, in the order of (job, run), which is nearly the order of time.
#pragma once

#include <optional>
#include <vector>

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
  void erase_of(JobId id) { erase_of_.run(id); }

 private:
  LogRow read(Rows& rows);

  Database& database_;
  Statement find_;
  Statement newest_of_;
  Statement after_;
  Statement insert_;
  Statement erase_of_;
};

}  // namespace stint
