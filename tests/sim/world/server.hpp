// Server: a simulated server node: the real loop, storage actor and limiter actor over a disk in memory that
// outlives it. It is started, killed at any moment, stopped for a while, and its disk fails.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "actors/storage/storage_options.hpp"
#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/network.hpp"
#include "tests/sim/world/observed_store.hpp"
#include "tests/sim/world/turns.hpp"

namespace stint::sim {

class Server : public ServerSide {
 public:
  Server(World& world, Network& network, Checker& checker, StorageOptions options);
  ~Server() override;

  void start();
  void kill();
  // Its next turn that has something to say commits, says only the first `said` of it, and the process is
  // gone.
  void kill_after_commit(std::int64_t said);
  void restart_after(Duration delay);
  // The machine itself starts anew: another boot, another clock.
  void reboot_after(Duration delay);
  void stand_still(Duration span);
  void fail_commits(std::int64_t count);
  // It stands still in the middle of its next turn: before it commits, before it has sent all, or before it
  // knows when that was.
  void stall_in_turn(Duration span);

  bool is_up() const { return life_ != nullptr; }
  Duration started_at() const { return started_at_; }
  const test::MemoryDisk& disk() const { return disk_; }
  // Of the requests that are not answered yet, how long the oldest has waited beyond what it asked for.
  Duration longest_overdue() const;

  void received(Connection from, Frames request) override;

 private:
  struct Life;
  void watch_idleness(Life& life);

  World& world_;
  Network& network_;
  Checker& checker_;
  StorageOptions options_;
  test::MemoryDisk disk_;
  Turns turns_;
  std::unique_ptr<Life> life_;
  Duration booted_at_{};
  std::int64_t boots_ = 1;
  Duration started_at_{};
  std::uint64_t lives_ = 0;
};

}  // namespace stint::sim
