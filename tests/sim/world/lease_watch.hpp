// LeaseWatch: sees to it that a lease lasts as long as storage hears of its worker (rule D6) and no longer
// than its session (rule D5), is nobody else's (rule D4), and that no batch starts again once it has arrived
// (rule L7).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/bounds.hpp"
#include "protocol/messages.hpp"
#include "tests/sim/world/observed_store.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

class LeaseWatch {
 public:
  LeaseWatch(World& world, const Defaults& defaults)
      : world_(world), lease_(defaults.lease_ms * millisecond) {}

  void committed(const std::vector<StoreChange>& changes);
  // A batch leaves storage.
  void leaves(const Batch& batch);
  // ... or cannot: the link is down. Storage learns of it at once, and of no other copy.
  void cannot_leave(const Batch& batch);
  // Storage hears a request, and what it answers.
  void hears(const Request& request);
  void answers(const Request& request, const Answer& answer);
  void storage_starts();
  // Its commits begin to fail: it may forget what could not leave.
  void storage_falters();
  // ... on a restored backup: no session and no lease of its original is one.
  void restored(const test::MemoryDisk& copy);
  void storage_stands_still(Duration until);

 private:
  struct Lease {
    ReceiptId receipt = 0;
    SessionNumber session = 0;
    Duration heard{};                              // of it, by storage
    std::optional<std::uint64_t> acknowledged_in;  // the turn
    bool has_left = false;                         // or may have, in an earlier life
    std::optional<Duration> stuck_since{};         // no copy of it could leave
  };
  struct Session {
    SessionRow row;
    std::uint64_t changed_in = 0;  // the turn
  };

  void apply(const ReceiptRow& row);
  void apply(const ReceiptAcknowledged& acknowledged);
  void apply(const LogRow& row);
  void apply(const SessionRow& row);
  void apply(const SessionDeleted& deleted) { sessions_.erase(deleted.number); }
  template <class Other>
  void apply(const Other&) {}

  void check_takeovers(const std::vector<StoreChange>& changes);
  void check_lost(const LogRow& row);
  void check_ended_sessions();
  void check_stuck();
  void check_heartbeat(const Heartbeat& heartbeat, const HeartbeatOk& answer);
  void check_unknown(const SessionId& session);
  void check_void(const SessionId& session);
  // Whether this run is on as a run of that session, or of another one.
  bool is_of(const JobRun& run, const SessionId& session) const;
  bool is_of_another(const JobRun& run, const SessionId& session) const;

  World& world_;
  Duration lease_;
  std::map<JobRun, Lease> leases_;
  std::map<SessionNumber, Session> sessions_;
  Duration stood_still_until_{};
  // Of originals of restored backups, until they say hello again; and the highest number of those.
  std::set<SessionId> void_sessions_;
  SessionNumber last_void_ = 0;
  // In the commit at hand.
  std::vector<LogRow> lost_;
  std::set<SessionNumber> ended_;
};

}  // namespace stint::sim
