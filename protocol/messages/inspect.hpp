// What operators ask and do: lists, one job, statistics, ping.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

// Every list takes these: at most `limit` rows (1 to 1000), from where `cursor` of the page before says.
// A page may hold fewer rows than `limit` and still have a cursor: only a page without one is the last.
struct ListQueues {
  std::string name;  // only this queue; empty: all
  std::int64_t limit = 100;
  std::string cursor;
};

struct QueueView {
  std::string name;
  std::int64_t waiting = 0;
  std::int64_t scheduled = 0;
  std::int64_t retrying = 0;
  std::int64_t running = 0;
  std::int64_t dead = 0;
  std::map<std::string, std::int64_t> waiting_by_handler;
  std::int64_t handlers_left_out = 0;  // that have waiting jobs, but no room in the map
  std::int64_t workers = 0;            // living sessions that name this queue
};

struct Queues {
  std::vector<QueueView> queues;
  std::string cursor;  // empty: this was the last page
};

struct ListWorkers {
  std::int64_t limit = 100;
  std::string cursor;
};

struct WorkerView {
  std::string worker;
  SessionId session;
  std::string client;
  std::string hostname;
  std::optional<std::int64_t> pid;
  std::vector<std::string> handlers;
  std::vector<std::string> queues;
  Meta labels;
  std::int64_t running = 0;
  WallMs first_hello_ms = 0;
  std::int64_t last_message_ago_ms = 0;
};

struct Workers {
  std::vector<WorkerView> workers;
  std::string cursor;
};

struct ListJobs {
  std::string queue;    // empty: any
  std::string handler;  // empty: any
  std::optional<JobState> state;
  std::int64_t limit = 100;
  std::string cursor;
};

struct JobView {
  JobId id = 0;
  std::string queue;
  std::string handler;
  JobState state = JobState::waiting;
  std::int64_t priority = 5;
  std::int64_t runs = 0;
  std::int64_t attempts = 0;  // spent
  std::int64_t max_attempts = 0;
  std::int64_t lost = 0;
  WallMs enqueued_at_ms = 0;
  std::optional<std::int64_t> due_in_ms;  // scheduled and retrying jobs
  std::string worker;                     // of the run that is on, or was the last
  std::optional<std::int64_t> progress;
  std::string reason;  // why it is dead or cancelled; empty otherwise
};

struct Jobs {
  std::vector<JobView> jobs;
  std::string cursor;
};

struct GetJob {
  JobId id = 0;
};

// The history of one run.
struct RunView {
  std::int64_t run = 0;
  std::int64_t attempt = 0;
  std::string worker;
  WallMs started_at_ms = 0;
  WallMs ended_at_ms = 0;
  RunEnd end = RunEnd::completed;
  std::optional<Payload> result;
  std::optional<RunError> error;
  bool result_left_out = false;  // there is one, but the answer has no room for it
};

// Answer of get_job, retry_job and cancel_job.
struct JobDetails {
  JobView job;
  std::optional<Payload> payload;  // absent once the job has ended and its row is gone
  Meta meta;
  std::optional<std::int64_t> timeout_ms;
  std::vector<RunView> runs;       // that have ended, the newest 100
  std::int64_t runs_left_out = 0;  // that have ended too: older, or no longer kept
};

// A dead, retrying or scheduled job waits again, ready now, with its attempts at zero if it was dead.
struct RetryJob {
  JobId id = 0;
};

// A job that waits is cancelled at once; a running one when its worker agrees or its lease ends.
struct CancelJob {
  JobId id = 0;
};

// A job that is not running is forgotten, with its history.
struct DeleteJob {
  JobId id = 0;
};

struct Deleted {
  JobId id = 0;
};

struct GetStats {};

struct Stats {
  std::string server;
  std::string version;
  std::int64_t epoch = 0;
  std::int64_t uptime_ms = 0;
  std::int64_t waiting = 0;
  std::int64_t scheduled = 0;
  std::int64_t retrying = 0;
  std::int64_t running = 0;
  std::int64_t dead = 0;
  std::int64_t sessions = 0;
  std::int64_t event_seq = 0;
  // Counted since the start.
  std::int64_t enqueued = 0;
  std::int64_t started = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t lost = 0;
  std::int64_t undelivered = 0;
  std::int64_t stale = 0;
  std::int64_t database_bytes = 0;
  std::int64_t wal_bytes = 0;
};

struct Ping {};

struct Pong {
  std::string server;
  std::string version;
  std::int64_t epoch = 0;
  bool ready = false;
};

}  // namespace stint
