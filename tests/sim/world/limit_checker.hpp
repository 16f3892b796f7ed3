// LimitChecker: sees every start as it leaves a simulated server and every end of a run, knows what is in
// force for which queue and handler, and says which limit is broken (rules L1 to L10). It shares no code with
// what it checks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "protocol/limit.hpp"
#include "protocol/messages.hpp"
#include "tests/sim/world/observed_store.hpp"
#include "tests/sim/world/watched_bucket.hpp"
#include "tests/sim/world/watched_window.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

// A queue or a handler.
using LimitName = std::pair<LimitScope, std::string>;
std::string to_string(const LimitName& name);

// What results of the records of one name (rule L8).
struct InForce {
  std::optional<WatchedRate> rate;
  std::optional<WatchedSlots> slots;
  std::optional<std::int64_t> max_running;
  friend bool operator==(const InForce&, const InForce&) = default;
};

class LimitChecker {
 public:
  explicit LimitChecker(World& world) : world_(world) {}

  // The config layer, before anything starts.
  void configured(const LimitName& name, const Limit& limit);
  // A life of the server begins, whose clock is ahead of the world's by so much.
  void server_starts(Duration ahead) { ahead_ = ahead; }

  // ... on a restored backup: records, pauses and jobs are those of the copy, starts remain what they were.
  void restored(const test::MemoryDisk& copy);

  void committed(const std::vector<StoreChange>& changes);
  // Storage hears this request.
  void takes(const Request& request);
  // What storage answers.
  void answers(const Request& request, const Answer& answer);
  // A batch leaves storage.
  void leaves(const Batch& batch);

  const InForce& in_force(const LimitName& name) const;
  bool is_paused(const LimitName& name) const;
  std::int64_t running(const LimitName& name) const;

  // --- What is to be told at the end ---
  struct Told {
    std::int64_t starts = 0;  // while something was in force
    double worst_rate = 0;    // of all spans, starts against what is allowed
    double worst_window = 0;
    double worst_running = 0;
  };
  std::map<LimitName, Told> told() const;
  std::int64_t changes() const { return changes_; }
  std::int64_t pauses() const { return pauses_; }
  std::int64_t starts() const { return starts_; }
  std::int64_t starts_again() const { return starts_again_; }
  std::int64_t starts_of(const LimitName& name) const;

 private:
  struct Job {
    std::string queue;
    std::string handler;
    int priority = 5;
    std::int64_t runs = 0;
    std::int64_t attempts = 0;
  };
  struct Watched {
    std::map<LimitSource, Limit> records;
    InForce in_force;
    std::uint64_t changed_in = 0;  // the turn
    WatchedBucket bucket;
    WatchedWindow window;
    std::int64_t running = 0;
    Duration paused_until{};
    std::uint64_t paused_in = 0;  // the turn
    std::uint64_t resumed_in = 0;
    std::uint64_t declared_in = 0;
    Told told;
    std::int64_t starts = 0;
  };
  using LaneName = std::tuple<std::string, std::string, int>;

  void apply(const JobInserted& inserted);
  void apply(const JobChange& change);
  void apply(const JobDeleted& deleted);
  void apply(const ReceiptRow& row);
  void apply(const LogRow& row);
  void apply(const SessionRow& row);
  void apply(const LimitRow& row);
  void apply(const LimitDeleted& deleted);
  void apply(const GateRow& row);
  template <class Other>
  void apply(const Other&) {}

  void resolve(const LimitName& name, Watched& watched);
  void hand_out(const LimitName& name, const JobRun& run);
  void start(const LimitName& name, const JobRun& run, Duration at);
  void end(const LimitName& name, const LogRow& row);
  void take_from_lane(const Job& job, JobId id);
  void leave_lane(JobId id);
  void check_state(const LimitState& state);
  void check_pauses(const Finish& finish, const Finished& answer);
  Watched& watched(const LimitName& name) { return watched_[name]; }

  World& world_;
  Duration ahead_{};
  std::map<LimitName, Watched> watched_;
  std::map<JobId, Job> jobs_;
  std::map<LaneName, std::set<JobId>> lanes_;        // jobs that were ready at once and have never run
  std::set<JobId> ended_now_;                        // with a log in the commit at hand
  std::uint64_t committed_in_ = 0;                   // the turn
  std::pair<std::uint64_t, std::set<JobRun>> left_;  // in this turn
  std::set<JobRun> started_;
  std::set<SessionNumber> sessions_;
  std::uint64_t session_opened_in_ = 0;  // the turn
  std::int64_t changes_ = 0;
  std::int64_t pauses_ = 0;
  std::int64_t starts_ = 0;
  std::int64_t starts_again_ = 0;
};

}  // namespace stint::sim
