// Store: what is kept, as rows, and how it is changed. The storage actor owns the one Store of its node; a
// Store knows nothing of queues that are due, leases that end or who asks: it keeps rows and gives them back.
//
// Changes are collected in a transaction that begins with the first of them and ends with commit(). A change
// does not report errors: the first one sticks, and commit() fails with it. After a failed commit everything
// since the last successful one is gone, and the owner must load() again before it goes on (rule D2).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/limit.hpp"
#include "protocol/result.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

using SessionNumber = std::int64_t;  // a session's row
using ReceiptId = std::int64_t;

// A job that has not ended well: it waits, runs or is dead. Which of the first two, its leases tell: a job
// runs while a receipt names its run `runs + 1`.
struct JobRow {
  JobId id = 0;
  std::string queue;
  std::string handler;
  int priority = 5;
  bool dead = false;
  std::int64_t runs = 0;            // that have ended, in whatever way
  std::int64_t attempts = 0;        // that were spent
  std::int64_t lost = 0;            // of those, lost with their worker
  std::int64_t undelivered = 0;     // batches that never arrived
  Instant ready_at{};               // its place in its lane; in the future: it is delayed
  std::optional<WallMs> run_at_ms;  // set: due by the wall clock instead
  WallMs enqueued_at_ms = 0;
  WallMs ended_at_ms = 0;  // of a dead job
  bool cancel_requested = false;
  std::optional<std::int64_t> max_attempts;
  std::optional<std::int64_t> timeout_ms;
  std::optional<Backoff> backoff;
  Meta meta;
  std::string reason;  // why it is dead
  std::int64_t payload_bytes = 0;
  friend bool operator==(const JobRow&, const JobRow&) = default;
};

// A job as it is handed out.
struct WholeJob {
  JobRow row;
  Payload payload;
};

// Everything of a job row that changes after its insertion.
struct JobChange {
  JobId id = 0;
  bool dead = false;
  std::int64_t runs = 0;
  std::int64_t attempts = 0;
  std::int64_t lost = 0;
  std::int64_t undelivered = 0;
  Instant ready_at{};
  std::optional<WallMs> run_at_ms{};
  WallMs ended_at_ms = 0;
  bool cancel_requested = false;
  std::string reason{};
  friend bool operator==(const JobChange&, const JobChange&) = default;
};

// One batch that was handed out: the proof that its jobs run. Deleted when the last of its runs has ended.
struct ReceiptRow {
  ReceiptId id = 0;
  SessionNumber session = 0;
  std::int64_t ask = 0;
  Instant started_at{};
  WallMs started_at_ms = 0;
  bool acknowledged = false;
  std::vector<JobRun> runs;
  friend bool operator==(const ReceiptRow&, const ReceiptRow&) = default;
};

// The history row of one run.
struct LogRow {
  JobRun run;  // run 0: the job ended without one
  std::string queue;
  std::string handler;
  SessionNumber session = 0;  // 0: none
  std::string worker;
  std::int64_t attempt = 0;
  std::int64_t priority = 5;
  std::int64_t max_attempts = 0;
  WallMs enqueued_at_ms = 0;
  WallMs started_at_ms = 0;
  WallMs ended_at_ms = 0;
  RunEnd end = RunEnd::completed;
  JobState state = JobState::completed;  // the job's, after this run
  std::optional<Payload> result;
  std::optional<RunError> error;
  friend bool operator==(const LogRow&, const LogRow&) = default;
};

struct SessionRow {
  SessionNumber number = 0;
  SessionId id;
  std::string worker;
  std::string client;
  std::string hostname;
  std::optional<std::int64_t> pid;
  std::vector<std::string> handlers;
  std::vector<std::string> queues;
  Meta labels;
  WallMs first_hello_ms = 0;
  Instant last_message{};  // as last stored; at most a minute behind
  bool taken_over = false;
  bool ended = false;  // it said goodbye
  friend bool operator==(const SessionRow&, const SessionRow&) = default;
};

struct BatchKeyRow {
  std::string key;
  std::uint64_t content_hash = 0;
  std::vector<JobId> ids;
  Instant at{};
  friend bool operator==(const BatchKeyRow&, const BatchKeyRow&) = default;
};

// What one source has set for a name (rule L8).
struct LimitRow {
  LimitScope scope = LimitScope::queue;
  std::string name;
  LimitSource source = LimitSource::operated;
  Limit limit;
  friend bool operator==(const LimitRow&, const LimitRow&) = default;
};

// What must outlive a restart of one name's bucket and pause (rule L10). Its window's entries are rows of
// their own.
struct GateRow {
  LimitScope scope = LimitScope::queue;
  std::string name;
  std::int64_t version = 0;  // of what results of its records
  std::optional<std::int64_t>
      level;  // of its bucket, in billionths of a token, at `level_at`; nothing: it has none
  Instant level_at{};
  std::optional<Instant> paused_until;
  // What the bucket fills by, and how long entries are kept; also of a limit that was lifted since.
  double rate = 0;
  std::int64_t burst = 0;
  std::optional<Duration> window{};
  friend bool operator==(const GateRow&, const GateRow&) = default;
};

// Entries of a handler's window that were made at one moment.
struct WindowRow {
  std::string handler;
  Instant at{};
  std::int64_t count = 0;
  friend bool operator==(const WindowRow&, const WindowRow&) = default;
};

// The newest event of a topic.
struct TopicRow {
  std::string topic;
  std::int64_t seq = 0;
  friend bool operator==(const TopicRow&, const TopicRow&) = default;
};

// In the place of a boot's id: the file is a backup that was not loaded yet (rule L10). It belongs to no
// boot, and the first start writes its own here: the mark goes in the commit that heeds it.
inline constexpr const char* boot_of_backups = "backup";

// How far apart numbers are that a restored backup gives, and those that its original has given since.
inline constexpr std::int64_t ids_apart = std::int64_t{1} << 32;

// Where a file stands, read before anything else.
struct StoreHeader {
  std::string boot_id;         // of the machine's boot in which it was last written
  std::int64_t starts = 0;     // how often it was opened to serve: the epoch
  std::string log;             // the random name of this history of events
  std::int64_t event_seq = 0;  // of the newest message
  Instant last_commit{};       // the stamp of the last commit that is known
  WallMs last_commit_ms = 0;   // the same moment on the wall clock
  Duration clock_offset{};     // StintClock minus CLOCK_BOOTTIME, in that boot
  JobId last_job = 0;
  SessionNumber last_session = 0;
  ReceiptId last_receipt = 0;
  std::optional<Instant> restored_at{};  // when it was first loaded as a restored backup
  friend bool operator==(const StoreHeader&, const StoreHeader&) = default;
};

// The messages of one commit, encoded by the events' own code.
struct EventChunk {
  std::int64_t first_seq = 0;
  std::int64_t messages = 0;
  std::string bytes;
  friend bool operator==(const EventChunk&, const EventChunk&) = default;
};

struct StoreSizes {
  std::int64_t database_bytes = 0;
  std::int64_t wal_bytes = 0;
};

// What prune() may delete, and how far it came.
struct PruneLimits {
  WallMs logs_before_ms = 0;
  WallMs dead_before_ms = 0;
  WallMs events_before_ms = 0;
  std::int64_t events_bytes = 0;  // the newest that are kept at most
  Instant sessions_before{};
  Instant batch_keys_before{};
  std::int64_t batch_keys = 0;  // the newest of a client key that are kept at most
  std::int64_t rows = 1000;     // to look at in this call at most
};

class Store {
 public:
  virtual ~Store() = default;

  // --- Loading. Rows are given in ascending order of their keys; payloads are not read. ---
  virtual Result<StoreHeader> header() = 0;
  virtual Status each_job(const std::function<void(const JobRow&)>& visit) = 0;
  virtual Status each_receipt(const std::function<void(const ReceiptRow&)>& visit) = 0;
  virtual Status each_session(const std::function<void(const SessionRow&)>& visit) = 0;
  virtual Status each_limit(const std::function<void(const LimitRow&)>& visit) = 0;
  virtual Status each_gate(const std::function<void(const GateRow&)>& visit) = 0;
  virtual Status each_window(const std::function<void(const WindowRow&)>& visit) = 0;  // by (handler, at)
  virtual Status each_topic(const std::function<void(const TopicRow&)>& visit) = 0;

  // --- Reading, within the open transaction: what was changed in it is seen. ---
  virtual Result<std::optional<JobRow>> job(JobId id) = 0;
  virtual Result<std::optional<Payload>> payload(JobId id) = 0;
  // Both, of many jobs in the order of `ids`: ids that follow one another are read in one go. Ends before an
  // id that is not there, and when `visit`, which must not touch the store, says false.
  virtual Status whole_jobs(const std::vector<JobId>& ids, const std::function<bool(WholeJob&&)>& visit) = 0;
  virtual Result<std::optional<LogRow>> log(JobRun run) = 0;
  // The newest `most` runs of a job, oldest first.
  virtual Result<std::vector<LogRow>> logs_of(JobId id, std::int64_t most) = 0;
  // Job rows with ids above `after`, at most `most`.
  virtual Result<std::vector<JobRow>> jobs_after(JobId after, std::int64_t most) = 0;
  // Log rows after `after` in (job, run) order, at most `most`.
  virtual Result<std::vector<LogRow>> logs_after(JobRun after, std::int64_t most) = 0;
  virtual Result<std::optional<BatchKeyRow>> batch_key(const std::string& key) = 0;
  // Chunks that hold messages from `from_seq` on, at most `most`.
  virtual Result<std::vector<EventChunk>> events_from(std::int64_t from_seq, std::int64_t most) = 0;
  virtual Result<std::int64_t> oldest_event() = 0;  // the seq of the oldest message that is kept; 0: none is
  virtual StoreSizes sizes() = 0;

  // --- Changing. Deleting what is not there changes nothing; changing it, or inserting what is there, fails.
  // ---
  virtual void insert_job(const JobRow& row, const Payload& payload) = 0;
  virtual void change_job(const JobChange& change) = 0;
  virtual void delete_job(JobId id) = 0;
  virtual void delete_logs_of(JobId id) = 0;
  virtual void insert_receipt(const ReceiptRow& row) = 0;
  virtual void acknowledge_receipt(ReceiptId id) = 0;
  virtual void delete_receipt(ReceiptId id) = 0;
  virtual void insert_log(const LogRow& row) = 0;
  virtual void put_session(const SessionRow& row) = 0;  // inserts or replaces
  virtual void delete_session(SessionNumber number) = 0;
  virtual void put_batch_key(const BatchKeyRow& row) = 0;
  // These insert or replace.
  virtual void put_limit(const LimitRow& row) = 0;
  virtual void delete_limit(LimitScope scope, const std::string& name, LimitSource source) = 0;
  virtual void put_gate(const GateRow& row) = 0;
  virtual void delete_gate(LimitScope scope, const std::string& name) = 0;
  virtual void put_window(const WindowRow& row) = 0;
  virtual void delete_window(const std::string& handler, Instant at) = 0;
  virtual void delete_windows_before(const std::string& handler, Instant at) = 0;  // `at` itself stays
  virtual void put_topic(const TopicRow& row) = 0;
  virtual void append_events(const EventChunk& chunk) = 0;  // numbered on from the newest, from 1 on
  // But for event_seq and the stamps. Of the highest ids those that are higher stay.
  virtual void put_header(const StoreHeader& header) = 0;
  // Deletes what is past its time, looking at a bounded number of rows; returns whether there is more to look
  // at.
  virtual bool prune(const PruneLimits& limits) = 0;

  // --- Transactions. ---
  virtual bool has_changes() const = 0;
  // Puts everything since the last commit on disk. `stamp` is the stamp of the commit before this one (rule
  // L10). Errors: storage_unavailable; then nothing of it is kept and load() must follow.
  virtual Status commit(Instant stamp, WallMs stamp_ms) = 0;
  virtual void rollback() = 0;
};

}  // namespace stint
