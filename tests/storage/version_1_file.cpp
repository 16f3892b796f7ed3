#include "tests/storage/version_1_file.hpp"

#include "tests/storage/raw_sqlite.hpp"

namespace stint::test {

namespace {

constexpr const char* tables = R"sql(
CREATE TABLE header(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  boot_id TEXT NOT NULL,
  starts INTEGER NOT NULL,
  log TEXT NOT NULL,
  clock_offset INTEGER NOT NULL,
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
  payload BLOB
) STRICT;
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
CREATE TABLE batch_keys(
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  content_hash INTEGER NOT NULL,
  at INTEGER NOT NULL,
  ids BLOB NOT NULL
) STRICT;
CREATE TABLE events(
  seq INTEGER PRIMARY KEY,
  messages INTEGER NOT NULL,
  stamp INTEGER NOT NULL,
  stamp_ms INTEGER NOT NULL,
  last_job INTEGER NOT NULL,
  last_session INTEGER NOT NULL,
  last_receipt INTEGER NOT NULL,
  total_bytes INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
)sql";

// Job 11 waits with a small payload, 12 is dead and has a large one, 13 runs under receipt 5.
constexpr const char* rows = R"sql(
UPDATE header SET boot_id = 'boot', starts = 4, log = 'log', clock_offset = -5, stamp = 70, stamp_ms = 71,
  last_job = 13, last_session = 2, last_receipt = 5;
INSERT INTO jobs VALUES(11, 0, 0, 5, 1, 1, 0, 0, 0, 1000, NULL, 900, NULL, NULL, 1, 5, 'default', 'hello', NULL, NULL,
  NULL, x'68656c6c6f');
INSERT INTO jobs VALUES(12, 1, 999, 0, 3, 3, 2, 1, 1, 1000, 1234, 900, 3, 60000, 0, 600, 'email', 'hello',
  x'1ed00f000000000000f83f904e000000000000d03f', x'0c74656e616e740237', 'lost', NULL);
INSERT INTO payloads VALUES(12, zeroblob(600));
INSERT INTO jobs VALUES(13, 0, 0, 5, 0, 0, 0, 0, 0, 1000, NULL, 900, NULL, NULL, 0, 0, 'default', 'hello', NULL, NULL,
  NULL, x'');
INSERT INTO receipts VALUES(5, 2, 9, 2000, 2001, 1, x'1a02');
INSERT INTO logs VALUES(11, 1, 950, 1, 2, 2, 1, 5, 25, 900, 920, 'default', 'hello', 'worker-1', x'0245046e6f00', 1,
  x'6f6b');
INSERT INTO sessions VALUES(2, x'00112233445566778899aabbccddeeff', 'worker-1', 'client', 'host', 77, 800, 1500, 0, 1,
  x'0a68656c6c6f', x'0e64656661756c74', x'');
INSERT INTO batch_keys VALUES(1, 'key', -2, 600, x'1602');
INSERT INTO events VALUES(1, 3, 60, 61, 13, 2, 5, 4, x'01020304');
)sql";

}  // namespace

void make_version_1_file(const std::string& file) {
  RawSqlite database(file);
  database.execute("PRAGMA page_size = 8192");
  int reserved = 8;
  database.control(SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  database.execute("PRAGMA auto_vacuum = INCREMENTAL");
  database.execute("PRAGMA application_id = 1398032718");
  database.execute(tables);
  database.execute(rows);
  database.execute("PRAGMA user_version = 1");
  database.execute("PRAGMA journal_mode = WAL");
}

}  // namespace stint::test
