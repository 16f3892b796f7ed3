#include "storage/tables/log_table.hpp"

#include <algorithm>

#include "storage/encodings.hpp"

namespace stint {

namespace {

// The numbers of these are in files: new ones go to the end.
static_assert(static_cast<int>(RunEnd::completed) == 0 && static_cast<int>(RunEnd::cancelled) == 8);
static_assert(static_cast<int>(JobState::waiting) == 0 && static_cast<int>(JobState::cancelled) == 7);

const std::string columns =
    "job, run, ended_at_ms, outcome, state, session, attempt, priority, max_attempts, enqueued_at_ms,"
    " started_at_ms, queue, handler, worker, error, result_is_text, result";

}  // namespace

LogTable::LogTable(Database& database)
    : database_(database),
      find_(database, "SELECT " + columns + " FROM logs WHERE job = ? AND run = ?"),
      newest_of_(database, "SELECT " + columns + " FROM logs WHERE job = ? ORDER BY run DESC LIMIT ?"),
      after_(database,
             "SELECT " + columns + " FROM logs WHERE (job, run) > (?, ?) ORDER BY job, run LIMIT ?"),
      insert_(database,
              "INSERT INTO logs(" + columns + ") VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      insert_plain_(database,
                    "logs(job, run, ended_at_ms, outcome, state, session, attempt, priority, max_attempts,"
                    " enqueued_at_ms, started_at_ms, queue, handler, worker, result_is_text)"),
      erase_of_(database, "DELETE FROM logs WHERE job = ?") {}

LogRow LogTable::read(Rows& rows) {
  LogRow row;
  row.run.id = rows.integer();
  row.run.run = rows.integer();
  row.ended_at_ms = rows.integer();
  const auto end = rows.integer();
  const auto state = rows.integer();
  row.end = static_cast<RunEnd>(end);
  row.state = static_cast<JobState>(state);
  row.session = rows.integer();
  row.attempt = rows.integer();
  row.priority = rows.integer();
  row.max_attempts = rows.integer();
  row.enqueued_at_ms = rows.integer();
  row.started_at_ms = rows.integer();
  row.queue = rows.bytes();
  row.handler = rows.bytes();
  row.worker = rows.bytes();
  bool whole = end >= 0 && end <= static_cast<int>(RunEnd::cancelled) &&  //
               state >= 0 && state <= static_cast<int>(JobState::cancelled);
  if (const auto error = rows.optional_bytes()) {
    row.error = decode_error(*error);
    whole = whole && row.error;
  }
  const bool is_text = rows.boolean();
  if (const auto bytes = rows.optional_bytes()) row.result = Payload{std::string(*bytes), is_text};
  if (!whole) {
    database_.report_damage("the log of job " + std::to_string(row.run.id) + ", run " +
                            std::to_string(row.run.run));
  }
  return row;
}

std::optional<LogRow> LogTable::find(JobRun run) {
  settle();
  auto rows = find_.query(run.id, run.run);
  if (!rows.next()) return std::nullopt;
  return read(rows);
}

std::vector<LogRow> LogTable::newest_of(JobId id, std::int64_t most) {
  settle();
  std::vector<LogRow> found;
  for (auto rows = newest_of_.query(id, most); rows.next();) found.push_back(read(rows));
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<LogRow> LogTable::after(JobRun run, std::int64_t most) {
  settle();
  std::vector<LogRow> found;
  for (auto rows = after_.query(run.id, run.run, most); rows.next();) found.push_back(read(rows));
  return found;
}

void LogTable::erase_of(JobId id) {
  settle();
  erase_of_.run(id);
}

void LogTable::insert(const LogRow& row) {
  if (!row.result && !row.error) {
    return insert_plain_.add([&](PlainLog& log) { static_cast<LogRow&>(log) = row; });
  }
  const auto error = row.error ? std::optional(encode_error(*row.error)) : std::nullopt;
  insert_.run(row.run.id, row.run.run, row.ended_at_ms, static_cast<int>(row.end),
              static_cast<int>(row.state), row.session, row.attempt, row.priority, row.max_attempts,
              row.enqueued_at_ms, row.started_at_ms, row.queue, row.handler, row.worker,
              error ? std::optional(Blob{*error}) : std::nullopt, row.result && row.result->is_text,
              row.result ? std::optional(Blob{row.result->bytes}) : std::nullopt);
}

}  // namespace stint
