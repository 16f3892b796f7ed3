// Checker: sees all that a simulated system does, on disk, on the wire and in its workers, and says which
// rule it breaks. It shares no code with what it checks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocol/bounds.hpp"
#include "protocol/messages.hpp"
#include "tests/sim/world/early_watch.hpp"
#include "tests/sim/world/idle_watch.hpp"
#include "tests/sim/world/lease_watch.hpp"
#include "tests/sim/world/limit_checker.hpp"
#include "tests/sim/world/observed_store.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

// What is on disk of one job, and what became of it.
struct JobRecord {
  std::string token;
  std::int64_t max_attempts = 0;
  std::int64_t runs = 0;
  std::int64_t attempts = 0;
  std::int64_t lost = 0;
  std::int64_t undelivered = 0;
  std::optional<ReceiptId> receipt;     // of the run that is on
  std::optional<JobState> final;        // once set it stays
  bool deleted = false;                 // its row
  bool cancelled = false;               // somebody wants it to be
  std::map<std::int64_t, LogRow> logs;  // by run
};

class Checker {
 public:
  Checker(World& world, const Defaults& defaults)
      : limits(world),
        idle(world, limits),
        early(world, defaults),
        leases(world, defaults),
        world_(world),
        defaults_(defaults) {}

  // What watches over the limits.
  LimitChecker limits;
  IdleWatch idle;
  // ... and over what comes when.
  EarlyWatch early;
  LeaseWatch leases;

  // --- What clients know ---
  void sent(const std::string& batch_key, const Enqueue& enqueue);
  void acknowledged(const std::string& batch_key, const Enqueued& answer);

  // --- What the server does ---
  // Storage hears this.
  void takes(const Request& request);
  void takes(const SessionId& session, std::int64_t got);
  void committed(const std::vector<StoreChange>& changes);
  // An answer leaves the server; all that it says must be on disk.
  void answers(const Request& request, const Answer& answer);
  // A batch leaves storage: its jobs start.
  void starts(const Batch& batch);
  // ... for whoever has asked, at this node or another.
  void leaves(const Batch& batch);

  // It starts on a restored backup: this is the copy. Limits go on; what else there was since is void.
  void restored(const test::MemoryDisk& copy);

  // --- What workers do ---
  // A session of a worker that starts every run it gets in the turn in which it gets it.
  void is_honest(const SessionId& session) { honest_.insert(session); }
  // ... until it is asked to stop.
  void stops(const SessionId& session) { stopping_.insert(session); }
  void arrived(const SessionId& session, const Batch& batch);
  void started(const SessionId& session, const JobRun& run);

  // --- At the end ---
  bool all_are_final() const;
  void check_final();

  const std::map<JobId, JobRecord>& jobs() const { return jobs_; }
  std::optional<JobId> job_with(const std::string& token) const;
  const std::set<JobRun>& arrived_runs() const { return arrived_; }
  const std::set<JobRun>& started_runs() const { return started_; }
  std::int64_t started_by(const SessionId& session) const;
  std::int64_t count(RunEnd end) const;
  std::int64_t stale_answers() const { return stale_; }
  std::int64_t repeated_batches() const { return repeated_batches_; }
  std::size_t handed_out() const { return handed_out_.size(); }
  // Ids of all acknowledged jobs, in the order they were acknowledged.
  const std::vector<JobId>& acknowledged_jobs() const { return acknowledged_; }

 private:
  struct Sent {
    std::vector<std::string> tokens;
    std::optional<std::vector<JobId>> ids;  // acknowledged
  };
  struct OpenReceipt {
    ReceiptRow row;
    std::set<JobRun> open;
  };

  void apply(const JobInserted& inserted);
  void apply(const JobChange& change);
  void apply(const JobDeleted& deleted);
  void apply(const ReceiptRow& row);
  void apply(const ReceiptDeleted& deleted);
  void apply(const ReceiptAcknowledged& acknowledged);
  void apply(const LogRow& row);
  void apply(const SessionRow& row) { session_ids_[row.number] = row.id; }
  void apply(const SessionDeleted& deleted) { session_ids_.erase(deleted.number); }
  template <class Other>
  void apply(const Other&) {}  // of limits
  void check_ends_of_runs(const JobRecord& before, const JobRecord& after);
  void check_touched(JobId id, const JobRecord& before, const JobRecord& after);
  // Whose the run is that is handed out. Nothing: it is not on.
  const ReceiptRow* receipt_of(const JobRun& run) const;
  // On disk, or in words that came in the turn in which the batch ended.
  bool is_acknowledged(const ReceiptRow& row) const;
  // A rogue may have named a run that it never got: it counts as arrived.
  void take_guesses(const ReceiptRow& row);
  JobRecord* touch(JobId id, const std::string& why);

  void check_batch(const RequestBatch& request, const Batch& batch);
  void check_finished(const Finish& request, const Finished& answer);
  bool is_log_of(const LogRow& log, const SessionId& session, const RunResult& result) const;
  void check_final(JobId id, const JobRecord& job);
  void void_logs();
  void void_jobs_after(JobId last);
  void void_runs_after(const test::MemoryDisk& copy);
  void take_rows(const test::MemoryDisk& copy);
  void hand_out(const std::set<JobRun>& batch, const SessionId& session);
  bool has_arrived(const JobRun& run) const {
    return arrived_.contains(run) || taken_for_arrived_.contains(run);
  }
  bool is_void(const JobRun& run, const SessionId& session) const {
    return void_runs_.contains({run, session});
  }

  World& world_;
  Defaults defaults_;
  std::map<std::string, Sent> sent_;
  std::map<JobId, JobRecord> jobs_;
  std::map<std::string, JobId> tokens_;
  std::map<ReceiptId, OpenReceipt> receipts_;
  std::pair<std::uint64_t, std::map<JobRun, ReceiptRow>> over_now_;  // runs that ended in this turn
  // What was said since the last commit that acknowledges a batch: `got`, and runs that were named.
  std::map<SessionId, std::int64_t> got_now_;
  std::map<SessionId, std::int64_t> got_;  // at any time
  std::set<JobRun> named_now_;
  std::map<SessionNumber, SessionId> session_ids_;
  std::vector<JobId> acknowledged_;
  std::map<JobId, JobRecord> touched_;  // in the commit at hand, as they were before it
  std::map<std::pair<SessionId, std::int64_t>, std::set<JobRun>> batches_;  // by session and ask
  std::map<JobRun, SessionId> handed_out_;
  std::set<SessionId> honest_;
  std::set<SessionId> stopping_;
  std::set<JobRun> arrived_;
  std::set<JobRun> started_;
  std::map<SessionId, std::int64_t> started_by_;
  std::map<RunEnd, std::int64_t> ends_;
  // Of originals of restored backups: jobs, and runs with whether they had arrived and started.
  struct Seen {
    bool arrived = false;
    bool started = false;
  };
  std::set<JobId> void_jobs_;
  std::map<std::pair<JobRun, SessionId>, Seen> void_runs_;
  // Logs of before a restore: what was said of them may still be on its way to who reported.
  std::set<std::pair<JobRun, SessionId>> void_logs_;
  std::set<JobRun> may_start_twice_;
  // In a batch with a run that its session had before, under the same number: a report of that one, which is
  // still on its way, acknowledges this batch.
  std::set<JobRun> taken_for_arrived_;
  std::int64_t stale_ = 0;
  std::int64_t repeated_batches_ = 0;
};

}  // namespace stint::sim
