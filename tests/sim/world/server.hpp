// Server: a simulated server node: the real loop, with the storage actor over a disk in memory that outlives
// it, a limiter actor, or both. It is started, killed at any moment, stopped for a while, and its disk fails.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "actors/storage/storage_options.hpp"
#include "nodes/links/cluster_map.hpp"
#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/fabric.hpp"
#include "tests/sim/world/network.hpp"
#include "tests/sim/world/observed_store.hpp"
#include "tests/sim/world/turns.hpp"

namespace stint::sim {

// A node's place in a cluster. Alone, it hosts all.
struct ServerPlace {
  const ClusterMap* cluster = nullptr;
  NodeNumber self = ClusterMap::storage;
  Fabric* fabric = nullptr;

  bool has_storage() const { return self == ClusterMap::storage; }
  bool has_limiter() const { return cluster == nullptr || cluster->find(self)->is_limiter; }
};

class Server : public ServerSide, public LinkEnd {
 public:
  Server(World& world, Network& network, Checker& checker, StorageOptions options, ServerPlace place = {});
  ~Server() override;

  void start();
  void kill();
  // Its next turn that has something to say commits, says only the first `said` of it, and the process is
  // gone.
  void kill_after_commit(std::int64_t said);
  void restart_after(Duration delay);
  // The machine itself starts anew: another boot, another clock.
  void reboot_after(Duration delay);
  // A backup of its disk is taken.
  void back_up();
  // Its machine is gone, with all that was done since the backup; another one starts on that after a while.
  void restore_after(Duration delay);
  void stand_still(Duration span);
  void fail_commits(std::int64_t count);
  // Its disk is full for so long, over any restart.
  void fill_disk(Duration span);
  // It stands still in the middle of its next turn: before it commits, before it has sent all, or before it
  // knows when that was.
  void stall_in_turn(Duration span);

  bool is_up() const { return life_ != nullptr; }
  // It is up, does not stand still, and its disk works.
  bool is_well() const;
  const ServerPlace& place() const { return place_; }
  Duration started_at() const { return started_at_; }
  const test::MemoryDisk& disk() const { return disk_; }
  // A request that is not answered yet, and has waited for so much longer than it asked for.
  std::optional<std::string> overdue_by(Duration most) const;
  // Asks that wait at its door.
  std::vector<const RequestBatch*> open_asks() const;

  void received(Connection from, Frames request) override;
  void heard(NodeNumber peer, LinkWords words) override;
  void link_turned(NodeNumber peer, bool is_up) override;

 private:
  struct Life;

  // `last_boot`: in which the disk was last written to.
  void tell_checkers(Duration offset, const std::string& last_boot);
  std::string boot_id() const { return "boot " + std::to_string(boots_); }

  World& world_;
  Network& network_;
  Checker& checker_;
  StorageOptions options_;
  ServerPlace place_;
  test::MemoryDisk disk_;
  std::optional<test::MemoryDisk> backup_;
  Turns turns_;
  std::unique_ptr<Life> life_;
  Duration booted_at_{};
  std::int64_t boots_ = 1;
  Duration started_at_{};
  Duration disk_full_until_{};
  std::string name_;  // in the trace
};

}  // namespace stint::sim
