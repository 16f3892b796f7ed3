// What a worker actor is told when it is made, and what it says of its life when it has stopped. Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "protocol/error.hpp"
#include "protocol/messages/worker.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

struct ServedHandler {
  std::optional<std::int64_t> timeout_ms;  // at most this, whatever the job allows
  std::optional<Limit> limit;              // what it declares
};

// A queue's part of a weighted worker: see WorkerOptions::workers.
struct ShareOfWorkers {
  std::int64_t min = 0;
  std::int64_t weight = 1;
};

struct WorkerOptions {
  // Permits over all queues; more are cut, so that a heartbeat that lists every run fits a message.
  static constexpr std::int64_t most_permits = 10'000;

  std::string worker;
  std::string client;  // what program this is, for people
  SessionId session;   // random, new for each life of the process
  std::map<std::string, ServedHandler> handlers;
  std::map<std::string, std::int64_t> queues;  // hard: permits a queue
  // Weighted instead: so many workers for all queues together. `min` of them are kept for a queue, and of the
  // rest it has a share by `weight`, which goes to the others while it cannot use it. See shares.hpp.
  std::optional<std::int64_t> workers;
  std::map<std::string, ShareOfWorkers> shares;
  bool takes_over = false;  // ends the leases of this worker's earlier sessions
  std::string hostname;
  std::optional<std::int64_t> pid;
  Meta labels;
  Duration grace = from_ms(25'000);

  // How long the worker works; none of these: until it is told to stop.
  bool once = false;   // at most one job, do not wait
  bool drain = false;  // until nothing is ready
  std::optional<std::int64_t> max_jobs;
  // Stops if no server has welcomed it by then; nothing: it waits for ever.
  std::optional<Duration> give_up_after;
};

enum class WorkEnd {
  working,    // it has not ended
  told_to,    // SIGTERM, or the server said so
  drained,    // nothing was ready
  enough,     // as many jobs as it should run
  refused,    // by the server: `refusal` says why
  no_server,  // nobody welcomed it in time
};

struct WorkSummary {
  WorkEnd end = WorkEnd::working;
  // Runs that ended here, whatever the server said of them then.
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t dead = 0;
  std::int64_t snoozed = 0;
  std::int64_t released = 0;
  std::int64_t unwanted = 0;              // ended after the server had given the job to somebody else
  std::int64_t stale = 0;                 // reports the server refused
  std::optional<EmptyReason> last_empty;  // of the last batch that was empty
  std::optional<Error> refusal;

  std::int64_t jobs() const { return completed + failed + dead + snoozed; }
};

}  // namespace stint
