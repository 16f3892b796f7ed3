// Leases: the runs that are on, by job, by the receipt of their batch and by session, and when each ends by
// itself. Owned by the storage actor; deadlines live in memory only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/jobs/lanes.hpp"
#include "actors/jobs/lease_clock.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"
#include "storage/store.hpp"

namespace stint {

// A session's right to report on one run of a job (rule D4).
struct Lease {
  JobRow job;  // as stored: the run that is on is `job.runs + 1`
  LaneGroup* group = nullptr;
  ReceiptId receipt = 0;
  SessionNumber session = 0;
  Duration timeout{};
  Instant deadline{};  // by the lease clock; heartbeats extend it
  Instant hard_end{};  // by the lease clock; nothing extends it (rule D7)
  std::optional<std::int64_t> progress{};
  bool cancel_told = false;

  JobRun run() const { return {job.id, job.runs + 1}; }
};

// One batch that was handed out and of which some run is still on.
struct Receipt {
  ReceiptId id = 0;
  SessionNumber session = 0;
  std::int64_t ask = 0;
  WallMs started_at_ms = 0;
  bool acknowledged = false;
  // The session may have had another answer to this ask: that it received one says nothing of this batch.
  bool only_by_name = false;
  Instant started_at{};      // when it last left: the moment of its runs' entries in windows
  std::vector<JobId> jobs;   // of the batch, in its order; some may have ended
  std::int64_t running = 0;  // of `jobs`
  std::size_t copies = 0;    // of the batch that have left and may arrive: an ask can have several askers
};

class Leases {
 public:
  explicit Leases(Duration lease) : lease_(lease), clock_(lease / 3) {}

  // A batch is handed out; its deadlines are set by stamp() when the turn has committed. Loaded ones are
  // given `spread`, 0 to 1: how far within a fifth of a lease their deadline is put off (rule D6). `began` is
  // when the node decided on it, by this boot's clock or an older one's.
  void hand_out(Receipt receipt, std::vector<Lease> leases, Instant now);
  void load(Receipt receipt, std::vector<Lease> leases, Instant began, Instant now, double spread);

  bool empty() const { return leases_.empty(); }
  std::size_t size() const { return leases_.size(); }
  Lease* find(JobId job);
  Receipt* receipt(ReceiptId id);
  Receipt* receipt_of(SessionNumber session, std::int64_t ask);
  std::int64_t running(SessionNumber session) const;
  std::vector<JobId> jobs_of(SessionNumber session);
  std::vector<Lease*> running_of(const Receipt& receipt);  // in the order of the batch
  void each(const std::function<void(const Lease&, const Receipt&)>& visit) const;

  void extend(Lease& lease, Instant now) { lease.deadline = clock_.at(now) + lease_; }
  // Notes that the receipt was answered again: it is stamped like a new one, but for the end that nothing
  // extends.
  void hand_out_again(ReceiptId id) { repeated_.push_back(id); }
  // A copy of the batch leaves with this turn already.
  bool leaves_now(ReceiptId id) const;
  // One copy of the batch with this run could not leave. True: no copy of it can arrive any more, and nobody
  // acknowledged it.
  bool drop_copy(const JobRun& run);

  // True: it was not acknowledged before (rule D3).
  bool acknowledge(Receipt& receipt);
  // Acknowledges every ask of the session up to `got`, but for those that are acknowledged by name only;
  // gives the receipts that were not before.
  std::vector<ReceiptId> acknowledge_up_to(SessionNumber session, std::int64_t got);

  struct Ended {
    Lease lease;
    std::int64_t ask = 0;
    WallMs started_at_ms = 0;
    bool acknowledged = false;
    bool batch_over = false;  // it was the last of its receipt
  };
  Ended end(JobId job);

  // Every turn's time, before the send and after it.
  void read_clock(Instant now);
  // The hand-outs of the turn have left: their deadlines count from now.
  void stamp(Instant now);
  // The node stood still since: what left last may have left only now (rule L1). No lease ends earlier.
  void stamp_again(Instant now);

  // At most about `most` runs whose time is over; they are still held.
  std::vector<JobId> overdue(Instant now, std::size_t most);

 private:
  struct OfSession {
    std::map<std::int64_t, ReceiptId> receipts;        // by ask
    std::map<std::int64_t, ReceiptId> unacknowledged;  // of those; `got` can
    std::int64_t running = 0;
  };
  struct Held {
    Receipt receipt;
    Instant looked_at{};  // its place in `order_`: none of its leases ends before
  };

  void insert(Receipt receipt, std::vector<Lease> leases);
  void start_deadlines(Held& held, Instant now, bool first_time);
  void reorder(Held& held);
  static Instant end_of(const Lease& lease) { return std::min(lease.deadline, lease.hard_end); }

  Duration lease_;
  LeaseClock clock_;
  std::unordered_map<JobId, Lease> leases_;
  std::unordered_map<ReceiptId, Held> receipts_;
  std::unordered_map<SessionNumber, OfSession> sessions_;
  // Receipts by when to look at them. Extending a lease does not touch this: a receipt that is looked at too
  // early is put back.
  std::set<std::pair<Instant, ReceiptId>> order_;
  std::vector<ReceiptId> fresh_;
  std::vector<ReceiptId> stamped_;  // by the last stamp
  std::vector<ReceiptId> repeated_;
};

}  // namespace stint
