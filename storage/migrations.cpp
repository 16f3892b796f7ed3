#include "storage/migrations.hpp"

#include <cassert>
#include <string>

namespace stint {

namespace {

// Instants are microseconds of the stint clock, `_ms` are milliseconds of the wall clock. `runs`, `ids`,
// `meta` and the like are encodings of storage/encodings.hpp. Columns that grow stand last: reading the
// others stops before.
constexpr const char* first_schema = R"sql(
CREATE TABLE header(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  boot_id TEXT NOT NULL,
  starts INTEGER NOT NULL,
  log TEXT NOT NULL,
  clock_offset INTEGER NOT NULL,
  -- The mark of the last commit that had no events; others leave theirs in the table events.
  stamp INTEGER NOT NULL,
  stamp_ms INTEGER NOT NULL,
  last_job INTEGER NOT NULL,
  last_session INTEGER NOT NULL,
  last_receipt INTEGER NOT NULL
) STRICT;
INSERT INTO header VALUES(1, '', 0, '', 0, 0, 0, 0, 0, 0);

CREATE TABLE jobs(
  id INTEGER PRIMARY KEY,
  dead INTEGER NOT NULL DEFAULT 0,
  ended_at_ms INTEGER NOT NULL DEFAULT 0,
  priority INTEGER NOT NULL,
  runs INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  lost INTEGER NOT NULL DEFAULT 0,
  undelivered INTEGER NOT NULL DEFAULT 0,
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  ready_at INTEGER NOT NULL,
  run_at_ms INTEGER,
  enqueued_at_ms INTEGER NOT NULL,
  max_attempts INTEGER,
  timeout_ms INTEGER,
  payload_is_text INTEGER NOT NULL,
  payload_bytes INTEGER NOT NULL,
  queue TEXT NOT NULL,
  handler TEXT NOT NULL,
  backoff BLOB,
  meta BLOB,
  reason TEXT,
  payload BLOB  -- NULL: in payloads
) STRICT;

-- Large payloads stand apart: a scan of the jobs is quick whatever they carry.
CREATE TABLE payloads(
  job INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE receipts(
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  ask INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  started_at_ms INTEGER NOT NULL,
  acknowledged INTEGER NOT NULL,
  runs BLOB NOT NULL
) STRICT;

CREATE TABLE logs(
  job INTEGER NOT NULL,
  run INTEGER NOT NULL,
  ended_at_ms INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  state INTEGER NOT NULL,
  session INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  enqueued_at_ms INTEGER NOT NULL,
  started_at_ms INTEGER NOT NULL,
  queue TEXT NOT NULL,
  handler TEXT NOT NULL,
  worker TEXT NOT NULL,
  error BLOB,
  result_is_text INTEGER NOT NULL,
  result BLOB,
  PRIMARY KEY(job, run)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions(
  number INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  worker TEXT NOT NULL,
  client TEXT NOT NULL,
  hostname TEXT NOT NULL,
  pid INTEGER,
  first_hello_ms INTEGER NOT NULL,
  last_message INTEGER NOT NULL,
  taken_over INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  handlers BLOB NOT NULL,
  queues BLOB NOT NULL,
  labels BLOB NOT NULL
) STRICT;

-- In the order in which they came, so that the oldest are found at one end.
CREATE TABLE batch_keys(
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  content_hash INTEGER NOT NULL,
  at INTEGER NOT NULL,
  ids BLOB NOT NULL
) STRICT;

-- A row a commit, with the mark of that commit.
CREATE TABLE events(
  seq INTEGER PRIMARY KEY,  -- of the first message
  messages INTEGER NOT NULL,
  stamp INTEGER NOT NULL,
  stamp_ms INTEGER NOT NULL,
  last_job INTEGER NOT NULL,
  last_session INTEGER NOT NULL,
  last_receipt INTEGER NOT NULL,
  total_bytes INTEGER NOT NULL,  -- of all events ever, this row's included
  bytes BLOB NOT NULL
) STRICT;
)sql";

// What limits have been set, what must outlive a restart of them (rule L10), and where the events' topics
// stand.
constexpr const char* limits_and_topics = R"sql(
CREATE TABLE limits(
  scope INTEGER NOT NULL,
  name TEXT NOT NULL,
  source INTEGER NOT NULL,
  record BLOB NOT NULL,
  PRIMARY KEY(scope, name, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE gates(
  scope INTEGER NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  level INTEGER,  -- billionths of a token; NULL: no bucket
  level_at INTEGER NOT NULL,
  paused_until INTEGER,
  rate REAL NOT NULL,  -- what the bucket fills by
  burst INTEGER NOT NULL,
  kept_for INTEGER,  -- how long entries of its window are
  PRIMARY KEY(scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE window_entries(
  handler TEXT NOT NULL,
  at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY(handler, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE topics(
  topic TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL  -- of its newest message
) STRICT, WITHOUT ROWID;
)sql";

// When the file was first loaded as a restored backup.
constexpr const char* restored_backups = R"sql(
ALTER TABLE header ADD COLUMN restored_at INTEGER;
)sql";

constexpr Migration steps_so_far[] = {
    {1, first_schema},
    {2, limits_and_topics},
    {3, restored_backups},
};

}  // namespace

std::span<const Migration> migrations() { return steps_so_far; }

int newest_version(std::span<const Migration> steps) { return steps.empty() ? 0 : steps.back().version; }

void migrate(Database& database, std::span<const Migration> steps) {
  assert(database.in_transaction() || database.faulty());
  const auto taken = database.integer_of("PRAGMA user_version");
  for (const auto& step : steps) {
    if (step.version <= taken) continue;
    database.execute(step.sql);
    database.execute("PRAGMA user_version = " + std::to_string(step.version));
  }
}

}  // namespace stint
