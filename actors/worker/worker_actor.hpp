// WorkerActor: one session of a worker. It offers its permits, has runners run what it gets, keeps the leases
// alive and reports until the server has taken every result. Owned by its node; talks to `server`, `runner`
// and `log`.
//
// What it hears changes its state alone; what follows from that is sent when all messages of the turn have
// been heard (settle()), so that results of one turn leave together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/kernel/actor.hpp"
#include "actors/worker/asks.hpp"
#include "actors/worker/held_runs.hpp"
#include "actors/worker/reports.hpp"
#include "actors/worker/worker_options.hpp"
#include "protocol/bounds.hpp"

namespace stint {

class WorkerActor
    : public Handles<WorkerActor, Started, WorkTick, Welcome, Batch, Finished, HeartbeatOk, Farewell, Error,
                     RunEnded, RunProgress, WorkerNotice, LinkUp, LinkDown, StopWork> {
 public:
  // After the grace time runners have so long to end what they were told to stop, ...
  static constexpr Duration stop_bound = std::chrono::seconds(7);
  // ... then the server to take the reports, ...
  static constexpr Duration report_bound = std::chrono::seconds(5);
  // ... then to say farewell.
  static constexpr Duration farewell_bound = std::chrono::seconds(2);
  // From the end of the grace time to WorkerStopped, at most.
  static constexpr Duration after_grace = stop_bound + report_bound + farewell_bound;

  explicit WorkerActor(WorkerOptions options);

  void on(Started&&, Turn& turn);
  void on(WorkTick&&, Turn& turn);
  void on(Welcome&& welcome, Turn& turn);
  void on(Batch&& batch, Turn& turn);
  void on(Finished&& finished, Turn& turn);
  void on(HeartbeatOk&& beat, Turn& turn);
  void on(Farewell&&, Turn& turn);
  void on(Error&& error, Turn& turn);
  void on(RunEnded&& ended, Turn& turn);
  void on(RunProgress&& progress, Turn& turn);
  // From a runner: passed on to the log.
  void on(WorkerNotice&& notice, Turn& turn);
  void on(LinkUp&&, Turn& turn);
  void on(LinkDown&&, Turn& turn);
  // A second one ends the grace time at once.
  void on(StopWork&&, Turn& turn);

  // Beside storage in one node, a worker shares its commits (rule D2): what a failed one undid is as if never
  // heard. LinkUp follows once the storage serves again.
  void committed(Instant now) override;
  void rolled_back(Turn& turn) override;

  // Complete once WorkerStopped was sent to `runner`.
  const WorkSummary& summary() const { return summary_; }

 private:
  enum class Phase { working, leaving, stopped };

  // --- The session and its batches (worker_actor.cpp) ---
  void settle_later(Turn& turn);
  void repeat_all(Instant now);
  void introduce_again(Instant at);
  void begin_stop(Turn& turn);
  void take_job(LeasedJob&& job, Turn& turn);
  void take_empty(const Asks::Closed& answered, const Batch& batch, Instant now);
  void ask_failed(std::int64_t ask, const Error& error, Turn& turn);
  void finish_failed(std::int64_t number, const Error& error, Turn& turn);
  void beat_failed(const Error& error, Turn& turn);
  void hello_failed(const Error& error, Turn& turn);
  void notice(WorkerNotice::Level level, std::string event, std::string text, Turn& turn);

  // --- Its runs and their reports (worker_actor_runs.cpp) ---
  void lose(const JobRun& key, Turn& turn);
  void cancel(const JobRun& key, Turn& turn);
  void stop_run(const JobRun& key, StopCause cause, Turn& turn);
  // One line for people, if the run has failed.
  void tell_of_failure(const RunResult& result, Turn& turn);
  void end_run(RunResult&& result);
  void reject(RunResult&& result, const std::string& why, Turn& turn);
  void close_run(RunResult&& result);
  void forget(const JobRun& key);

  // --- What it does about it (worker_actor_settle.cpp) ---
  void settle(Turn& turn);
  void end_overdue(Turn& turn);
  void say_hello(Turn& turn);
  void send_reports(Turn& turn);
  void send_asks(Turn& turn);
  void send_heartbeat(Turn& turn);
  void start_runs(Turn& turn);
  void leave_if_done(Turn& turn);
  void leave(WorkEnd end, Turn& turn);
  void stop(Turn& turn);
  void arm(Turn& turn);
  bool may_ask() const;
  bool has_taken_enough() const;
  std::int64_t told_got();
  Duration beat_interval() const;
  Instant next_bound(Instant now) const;
  Instant next_due(Instant now) const;

  WorkerOptions options_;
  Phase phase_ = Phase::working;
  WorkSummary summary_;

  bool link_is_up_ = true;  // until told otherwise: a server in the same node has no link
  bool welcomed_ = false;
  bool was_welcomed_ = false;
  bool was_put_off_ = false;  // and people were told so, since the last welcome
  std::int64_t hellos_ = 0;
  Repeat hello_{Instant{}};
  Instant hello_sent_at_{};
  Instant give_up_at_ = never;
  WelcomeBounds bounds_;
  WelcomeDefaults defaults_;

  Asks asks_;
  HeldRuns runs_;
  Reports reports_;
  std::int64_t taken_ = 0;  // jobs, of all batches
  bool is_quiet_ = false;   // the server wants no asks

  // One heartbeat is parked at the server, so that a cancel arrives at once; the next follows its answer, and
  // is never later than a third of a lease.
  std::int64_t beats_ = 0;
  std::int64_t parked_beat_ = 0;  // 0: none
  Instant beat_sent_at_{};
  Instant beat_due_at_{};
  std::int64_t told_got_ = 0;  // the highest `got` that has left
  // The highest ask whose jobs have arrived and were not named to the server since; 0: none.
  std::int64_t newest_batch_ = 0;

  bool is_stopping_ = false;
  Instant grace_ends_at_ = never;
  Instant farewell_due_at_ = never;

  // What a commit that fails would undo of this turn.
  struct Undo {
    std::vector<JobRun> started;
    std::vector<std::pair<HeldRun, RunResult>> closed;
  };
  Undo undo_;

  bool settles_ = false;      // a WorkTick of this turn is on its way
  Instant armed_at_ = never;  // the earliest timer that is set
};

}  // namespace stint
