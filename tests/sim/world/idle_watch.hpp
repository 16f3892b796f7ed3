// IdleWatch: sees to it that no limiter sleeps while it may start something. It knows less room than there is
// rather than more: after anything that disturbs the server, what is not certain counts as just used.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/world/limit_checker.hpp"

namespace stint::sim {

class IdleWatch {
 public:
  IdleWatch(World& world, const LimitChecker& limits) : world_(world), limits_(limits) {}

  // How long a start may be put off that nothing hinders.
  void set_patience(Duration patience) { patience_ = patience; }
  Duration longest_wait() const { return longest_wait_; }

  // A life of the server begins, whose clock is ahead of the world's by so much.
  void server_starts(Duration ahead, bool is_another_boot);
  // ... on a restored backup: this is the copy.
  void restored(const test::MemoryDisk& copy);
  void committed(const std::vector<StoreChange>& changes);
  // A batch leaves storage: what it holds may have been charged again.
  void leaves(const Batch& batch);
  // The server has stood still, failed or started: it is given time to come back.
  void disturbed();
  // To be called every few milliseconds, with the asks that wait for an answer.
  void look(const std::vector<const RequestBatch*>& asks);

 private:
  struct Room {
    double level = 0;
    Duration level_at{};
    std::deque<std::pair<Duration, std::uint64_t>> entries;  // when, in which commit
    std::int64_t running = 0;
    InForce known;
  };
  struct Job {
    std::string queue;
    std::string handler;
  };
  using Lane = std::pair<std::string, std::string>;  // queue, handler

  void apply(const JobInserted& inserted);
  void apply(const JobChange& change);
  void apply(const JobDeleted& deleted);
  void apply(const ReceiptRow& row);
  void apply(const LogRow& row);
  void apply(const SessionRow& row);
  template <class Other>
  void apply(const Other&) {}

  void charge(const LimitName& name, bool is_new);
  void end(const LimitName& name, const LogRow& row);
  Room& heed(const LimitName& name);
  bool has_room(const LimitName& name);
  std::set<Lane> startable();

  World& world_;
  const LimitChecker& limits_;
  Duration patience_ = 250 * millisecond;
  Duration ahead_{};
  std::uint64_t commits_ = 0;
  Duration committed_at_{};  // the last time
  Duration known_until_{};   // ... and the one before
  Duration aged_until_{};    // what passed between two boots is taken for no time until then
  // Every window was full then, of a restored backup.
  std::optional<Duration> restored_at_;
  bool awaits_first_commit_ = false;  // of a restored backup: it is loaded again if that fails
  std::map<LimitName, Room> rooms_;
  std::map<JobId, Job> jobs_;
  std::map<Lane, std::set<JobId>> ready_;                // for certain
  std::map<SessionId, std::set<std::string>> sessions_;  // the handlers of those that are open
  std::map<Lane, Duration> since_;
  std::pair<std::uint64_t, std::set<JobRun>> charged_;  // in this turn
  Duration undisturbed_since_{};
  Duration longest_wait_{};
};

}  // namespace stint::sim
