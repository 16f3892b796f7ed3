// HeldRuns: the runs a worker has leases for, from their arrival until the server has taken their reports.
// Owned by the worker actor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/worker/repeat.hpp"
#include "protocol/messages/worker.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"

namespace stint {

// Why a run is being ended early.
enum class StopCause { none, timeout, cancelled, lost, leaving };

struct HeldRun {
  enum class State { arrived, running, ended };
  State state = State::arrived;
  std::string queue;
  std::string handler;
  std::int64_t attempt = 0;
  std::int64_t max_attempts = 0;
  std::int64_t lease_ms = 0;
  std::int64_t timeout_ms = 0;  // from its start
  Instant deadline = never;     // of a running one
  StopCause stop = StopCause::none;
  std::optional<std::int64_t> progress;
  std::optional<LeasedJob> job;  // until it starts
};

class HeldRuns {
 public:
  // False: it is held already.
  bool add(LeasedJob&& job, std::int64_t timeout_ms);
  void put_back(const JobRun& key, HeldRun&& run) { runs_.emplace(key, std::move(run)); }
  HeldRun* find(const JobRun& run);
  void erase(const JobRun& run);
  bool empty() const { return runs_.empty(); }
  std::size_t size() const { return runs_.size(); }

  // Starts the run's time; what the runner is given.
  LeasedJob start(const JobRun& run, Instant now);
  void end(const JobRun& run);

  std::vector<JobRun> arrived() const;
  // Those that have arrived since the last call and are still to be started.
  std::vector<JobRun> take_new();
  std::vector<JobRun> running() const;
  // Running ones whose deadline has passed; each is returned once.
  std::vector<JobRun> take_overdue(Instant now);

  // What a heartbeat lists: all but those that are the server's no longer.
  std::vector<RunningJob> leased() const;
  // The shortest lease held, at most `otherwise`.
  std::int64_t shortest_lease_ms(std::int64_t otherwise) const;
  Instant next_deadline() const { return deadlines_.empty() ? never : deadlines_.begin()->first; }

 private:
  std::vector<JobRun> in_state(HeldRun::State state) const;

  std::map<JobRun, HeldRun> runs_;
  std::vector<JobRun> new_;  // so that a turn costs what is new in it, not what is held
  std::set<std::pair<Instant, JobRun>> deadlines_;
};

}  // namespace stint
