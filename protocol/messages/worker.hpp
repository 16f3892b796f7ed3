// What a worker and the server say to each other: sessions, asks for batches, reports, heartbeats.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/error.hpp"
#include "protocol/limit.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

// What a worker says of one handler it serves.
struct HandlerDeclaration {
  std::optional<Limit> limit;  // holds for every worker, until a newer session declares another (rule L8)
};

// Opens or repeats a session. A producer needs none.
struct Hello {
  std::string client;  // what program this is, for people; empty: not told
  std::optional<std::string> worker;
  std::optional<SessionId> session;
  std::map<std::string, HandlerDeclaration> handlers;
  std::vector<std::string> queues;
  bool takeover = false;  // end the leases of this worker's earlier sessions
  std::string hostname;
  std::optional<std::int64_t> pid;
  Meta labels;
};

struct WelcomeBounds {
  std::int64_t message_bytes = 0;
  std::int64_t payload_bytes = 0;
  std::int64_t result_bytes = 0;
  std::int64_t meta_bytes = 0;
  std::int64_t jobs_per_request = 0;
  std::int64_t batch_max = 0;
  std::int64_t wait_ms = 0;
};

struct WelcomeDefaults {
  std::int64_t max_attempts = 0;
  Backoff backoff;
  std::int64_t max_lost = 0;
  std::int64_t lease_ms = 0;
  std::int64_t timeout_ms = 0;
  std::int64_t wait_ms = 0;
};

struct Welcome {
  std::string server;
  std::string version;
  std::vector<std::int64_t> versions;  // of the wire that this server speaks
  std::int64_t epoch = 0;              // the number of the storage's start
  WallMs now_ms = 0;
  WelcomeBounds bounds;
  WelcomeDefaults defaults;
  std::string events;  // endpoint of the event stream; empty: none
  std::int64_t event_seq = 0;
  std::map<std::string, std::string> homes;  // the limiter that owns each queue of the hello
};

struct RequestBatch {
  SessionId session;
  std::int64_t ask = 0;                        // from 1
  std::map<std::string, std::int64_t> queues;  // permits a queue
  std::int64_t got = 0;                        // every ask up to it was answered and the answer received
  std::optional<std::int64_t> max;
  std::int64_t wait_ms = 0;  // 0 to 60000: how long the ask may be parked
};

struct LeasedJob {
  JobId id = 0;
  std::int64_t run = 0;
  std::int64_t attempt = 0;
  std::int64_t max_attempts = 0;
  std::string queue;
  std::string handler;
  Payload payload;
  std::int64_t lease_ms = 0;
  std::optional<std::int64_t> timeout_ms;
  WallMs enqueued_at_ms = 0;
  Meta meta;
  std::optional<std::int64_t> progress;
};

enum class EmptyReason { none, limited, paused, no_permits };

struct Batch {
  std::int64_t ask = 0;
  std::vector<LeasedJob> jobs;
  std::optional<EmptyReason> reason;  // of an empty batch
  std::optional<std::int64_t> retry_in_ms;
};

// A handler's word that nothing more should start for a while: an API said so (rule L5).
struct PauseReport {
  LimitScope scope = LimitScope::handler;
  std::int64_t for_ms = 0;
};

struct RunResult {
  JobId id = 0;
  std::int64_t run = 0;
  Outcome outcome = Outcome::completed;
  std::optional<Payload> result;
  std::optional<RunError> error;
  std::optional<std::int64_t> retry_in_ms;
  std::optional<PauseReport> pause;  // of the job's queue or handler
};

// One position of a `finish`: what it says, or why it could not be read (such a one is rejected alone).
struct Finish {
  SessionId session;
  std::int64_t got = 0;
  std::vector<RunResult> results;
  std::vector<std::int64_t> positions;  // of each of `results` in the request; not a field
  struct Faulty {
    std::int64_t at = 0;
    ErrorCode code = ErrorCode::bad_message;
    std::string field;
    std::string message;
  };
  std::vector<Faulty> faulty;  // results that could not be read; not a field
};

struct StaleResult {
  std::int64_t at = 0;
  std::string reason;
};

struct Finished {
  std::vector<std::int64_t> accepted;
  std::vector<StaleResult> stale;
  std::vector<Finish::Faulty> rejected;
};

struct RunningJob {
  JobId id = 0;
  std::int64_t run = 0;
  std::optional<std::int64_t> progress;  // 0 to 100
};

struct Heartbeat {
  SessionId session;
  std::int64_t got = 0;
  std::vector<RunningJob> jobs;
  std::int64_t wait_ms = 0;  // answered early when something changes
};

enum class SessionState { run, quiet, stop };

struct HeartbeatOk {
  std::vector<JobRun> lost;
  std::vector<JobRun> cancel;
  SessionState state = SessionState::run;
};

struct Goodbye {
  SessionId session;
};

struct Farewell {};

}  // namespace stint
