// Pruner: deletes what is past its time, a little at each call. One pass visits the events, their topics,
// the batch keys, the sessions, the dead jobs and the logs, each in the order of its keys, then gives free
// pages back to the disk.
#pragma once

#include <cstdint>
#include <string>

#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class Pruner {
 public:
  explicit Pruner(Database& database) : database_(database) {}

  struct Outcome {
    bool more = false;     // the pass is not over
    bool changed = false;  // something was deleted or moved
  };
  // Goes on where the last call stopped, within the open transaction. Faults stick to the database.
  Outcome run(const PruneLimits& limits);

 private:
  enum class Stage { events, topics, batch_keys, sessions, dead_jobs, logs, free_pages, over };

  // Each visits rows for what is left of the budget, and says whether its stage is over.
  bool prune_events(const PruneLimits& limits);
  bool prune_topics();
  bool prune_batch_keys(const PruneLimits& limits);
  bool prune_sessions(const PruneLimits& limits);
  bool prune_dead_jobs(const PruneLimits& limits);
  bool prune_logs(const PruneLimits& limits);
  bool give_back_pages();
  bool run_stage(const PruneLimits& limits);

  // A row costs one, and one more for each page of bytes it holds.
  void spend(std::int64_t bytes);

  Database& database_;
  Stage stage_ = Stage::events;
  std::int64_t budget_ = 0;
  bool pages_moved_ = false;
  std::string topic_cursor_;
  SessionNumber session_cursor_ = 0;
  JobId job_cursor_ = 0;
  JobRun log_cursor_{};

  Statement newest_events_{database_, "SELECT total_bytes FROM events ORDER BY seq DESC LIMIT 1"};
  Statement oldest_events_{database_,
                           "SELECT seq, stamp_ms, total_bytes - length(bytes) FROM events"
                           " ORDER BY seq LIMIT ?"};
  Statement erase_events_{database_, "DELETE FROM events WHERE seq <= ?"};
  Statement topics_{database_,
                    "SELECT topic, seq < coalesce((SELECT min(seq) FROM events), 0) FROM topics"
                    " WHERE topic > ? ORDER BY topic LIMIT ?"};
  Statement erase_topic_{database_, "DELETE FROM topics WHERE topic = ?"};
  Statement oldest_keys_{database_,
                         "SELECT number, at, (SELECT max(number) FROM batch_keys) FROM batch_keys"
                         " ORDER BY number LIMIT ?"};
  Statement erase_keys_{database_, "DELETE FROM batch_keys WHERE number <= ?"};
  Statement sessions_{
      database_, "SELECT number, last_message < ? FROM sessions WHERE number > ? ORDER BY number LIMIT ?"};
  Statement busy_sessions_{database_, "SELECT DISTINCT session FROM receipts"};
  Statement erase_session_{database_, "DELETE FROM sessions WHERE number = ?"};
  Statement jobs_{
      database_,
      "SELECT id, dead AND ended_at_ms < ?, payload_bytes FROM jobs WHERE id > ? ORDER BY id LIMIT ?"};
  Statement erase_job_{database_, "DELETE FROM jobs WHERE id = ?"};
  Statement erase_payload_{database_, "DELETE FROM payloads WHERE job = ?"};
  Statement erase_logs_of_{database_, "DELETE FROM logs WHERE job = ?"};
  Statement logs_{
      database_,
      "SELECT job, run, CASE WHEN ended_at_ms < ? THEN"
      " NOT EXISTS(SELECT 1 FROM jobs WHERE id = logs.job AND runs - logs.run < ?) ELSE 0 END,"
      " coalesce(length(result), 0) FROM logs WHERE (job, run) > (?, ?) ORDER BY job, run LIMIT ?"};
  Statement erase_log_{database_, "DELETE FROM logs WHERE job = ? AND run = ?"};
};

}  // namespace stint
