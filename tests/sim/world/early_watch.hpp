// EarlyWatch: sees to it that no job starts before its time: before it is due, again sooner than it may, or
// before a more urgent one beside it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocol/bounds.hpp"
#include "tests/sim/world/observed_store.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

class EarlyWatch {
 public:
  EarlyWatch(World& world, const Defaults& defaults) : world_(world), defaults_(defaults) {}

  // A life of the server begins, whose clock is ahead of the world's by so much.
  void server_starts(Duration ahead) { ahead_ = ahead; }
  // ... on a restored backup: this is the copy.
  void restored(const test::MemoryDisk& copy);
  void committed(const std::vector<StoreChange>& changes);

 private:
  struct Job {
    std::string queue;
    std::string handler;
    int priority = 5;
    std::optional<Instant> due;  // by the server's clock; nothing: by the wall clock
  };
  using LaneGroup = std::pair<std::string, std::string>;  // queue, handler

  void apply(const JobInserted& inserted);
  void apply(const JobChange& change);
  void apply(const JobDeleted& deleted);
  void apply(const ReceiptRow& row);
  void apply(const LogRow& row);
  template <class Other>
  void apply(const Other&) {}

  void check_retry(const Job& job, JobId id);
  void check_order(const Job& job, JobId id);
  // By the server's clock.
  Instant at(Duration moment) const { return Instant(moment + ahead_); }

  World& world_;
  Defaults defaults_;
  Duration ahead_{};
  std::map<JobId, Job> jobs_;
  std::map<LaneGroup, std::set<std::pair<int, JobId>>> waiting_;  // ready at once, and never run
  std::set<JobId> failed_;                                        // in the commit at hand
};

}  // namespace stint::sim
