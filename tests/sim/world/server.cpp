#include "tests/sim/world/server.hpp"

#include "actors/kernel/actor_system.hpp"
#include "actors/limiter/limiter_actor.hpp"
#include "actors/storage/clock_resume.hpp"
#include "actors/storage/storage_actor.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/node_loop.hpp"
#include "tests/sim/world/node_time.hpp"
#include "tests/sim/world/sim_door.hpp"
#include "tests/sim/world/sim_peers.hpp"

namespace stint::sim {

namespace {

// For so long requests that were passed on wait for a node that is away.
constexpr Duration patience = 3 * second;

Routes routes_of(const ServerPlace& place) {
  return place.cluster == nullptr ? Routes{} : place.cluster->routes_of(place.self);
}

LimiterOptions limiter_options(const ServerPlace& place) {
  LimiterOptions options;
  if (place.cluster == nullptr) return options;
  options.homes = place.cluster->routes_of(place.self).homes;
  options.self = place.self;
  options.is_apart = !place.has_storage();
  return options;
}

}  // namespace

// One life of the process. What it holds in memory goes with it.
struct Server::Life {
  Life(Server& server, Duration offset)
      : time(server.world_, server.booted_at_),
        clock(time, offset),
        actors(server.world_.draw(), routes_of(server.place_)) {
    const ServerPlace& place = server.place_;
    if (place.has_storage()) {
      store.emplace(server.disk_, [&checker = server.checker_](const auto& changes) {
        checker.committed(changes);
        checker.limits.committed(changes);
        checker.idle.committed(changes);
        checker.early.committed(changes);
        checker.leases.committed(changes);
      });
      store->full_while([&server] { return server.world_.now() < server.disk_full_until_; });
      storage.emplace(*store, server.options_);
      actors.host(Place::storage, *storage);
    }
    if (place.has_limiter()) {
      limiter.emplace(limiter_options(place));
      actors.host(Place::limiter, *limiter);
    }
    ObservedStore* const its_store = store ? &*store : nullptr;
    if (place.cluster != nullptr) {
      peers.emplace(server.world_, *place.fabric, server.checker_,
                    SimPeers::Node{place.self, *place.cluster, clock, actors, its_store});
    }
    Peers* const its_peers = peers ? &*peers : nullptr;
    door.emplace(server.world_, server.network_, server.checker_,
                 SimDoor::Node{its_store, its_peers, server.options_.bounds});
    LoopParts parts{.clock = clock, .actors = actors, .waiter = waiter, .log = log};
    parts.store = its_store;
    parts.door = &*door;
    parts.peers = its_peers;
    parts.storage_node = ClusterMap::storage;
    loop.emplace(parts);
  }

  NodeTime time;
  NodeClock clock;
  std::optional<ObservedStore> store;
  std::optional<StorageActor> storage;
  std::optional<LimiterActor> limiter;
  ActorSystem actors;
  NoWaiter waiter;
  Log log{"off"};
  std::optional<SimPeers> peers;
  std::optional<SimDoor> door;
  std::optional<NodeLoop> loop;
};

Server::Server(World& world, Network& network, Checker& checker, StorageOptions options, ServerPlace place)
    : world_(world),
      network_(network),
      checker_(checker),
      options_(std::move(options)),
      place_(place),
      turns_(world),
      name_(place.has_storage() ? "the server" : "limiter node " + std::to_string(place.self)) {
  // The clocks of two machines have nothing in common.
  if (!place.has_storage()) booted_at_ = world.between(-1'000 * second, 900 * second);
}

Server::~Server() = default;

void Server::start() {
  if (is_up()) return;
  const MachineTime machine{boot_id(), world_.now() - booted_at_, world_.wall_now()};
  Duration offset{};
  if (place_.has_storage()) {
    ObservedStore store(disk_, [](const auto&) {});
    offset = resume_clock(*store.header(), machine);
  }
  life_ = std::make_unique<Life>(*this, offset);
  started_at_ = world_.now();
  world_.trace(name_ + " starts");
  if (place_.has_storage()) {
    const std::string last_boot = disk_.header.boot_id;
    const StorageStart start{life_->clock.now(), machine.wall_ms, machine.boot_id, offset,
                             log_name(world_.draw(), world_.draw())};
    if (const Status loaded = life_->storage->load(start); !loaded) {
      return world_.fail("D1", "the store cannot be loaded: " + loaded.error().message);
    }
    tell_checkers(offset, last_boot);
  }
  checker_.idle.disturbed();
  network_.server_is_up(*this);
  if (place_.fabric != nullptr) place_.fabric->node_is_up(place_.self, *this);
  turns_.begin(*life_->loop, life_->actors, life_->clock, [this](bool) {
    if (life_->door->has_fallen_silent()) {
      kill();
      restart_after(world_.between(100 * millisecond, 1 * second));
    } else if (life_->door->has_arrivals() || (life_->peers && life_->peers->has_arrivals())) {
      turns_.wake();
    }
  });
}

void Server::tell_checkers(Duration offset, const std::string& last_boot) {
  const bool is_restored = last_boot == boot_of_backups;
  checker_.limits.server_starts(offset - booted_at_);
  // An earlier life since the boot has seen it only if it has committed.
  checker_.idle.server_starts(offset - booted_at_, !is_restored && last_boot != boot_id());
  checker_.early.server_starts(offset - booted_at_);
  checker_.leases.storage_starts();
  if (!is_restored) return;
  checker_.restored(*backup_);
  checker_.limits.restored(*backup_);
  checker_.idle.restored(*backup_);
  checker_.early.restored(*backup_);
  checker_.leases.restored(*backup_);
}

void Server::kill() {
  if (!is_up()) return;
  world_.trace(name_ + " is killed");
  turns_.end();
  network_.server_is_down();
  if (place_.fabric != nullptr) place_.fabric->node_is_down(place_.self);
  life_.reset();
}

void Server::kill_after_commit(std::int64_t said) {
  if (is_up()) life_->door->fall_silent_after(said);
}

void Server::restart_after(Duration delay) {
  world_.after(delay, [this] { start(); });
}

void Server::reboot_after(Duration delay) {
  kill();
  world_.trace("the machine of " + name_ + " boots anew");
  world_.after(delay, [this] {
    if (is_up()) return;
    ++boots_;
    booted_at_ = world_.now() - 10 * second;
    start();
  });
}

// Of what is committed: a turn that is not over waits for nobody.
void Server::back_up() {
  if (is_up() && life_->store->has_changes()) return world_.after(1 * millisecond, [this] { back_up(); });
  world_.trace("a backup of " + name_ + " is taken");
  backup_ = disk_;
}

void Server::restore_after(Duration delay) {
  if (!backup_) return;
  kill();
  world_.trace(name_ + " is to be restored from its backup");
  disk_ = *backup_;
  disk_.header.boot_id = boot_of_backups;
  disk_full_until_ = {};
  ++boots_;
  booted_at_ = world_.now() - 10 * second;
  restart_after(delay);
}

void Server::stand_still(Duration span) {
  if (!is_up()) return;
  world_.trace(name_ + " stands still for " + std::to_string(span / millisecond) + " ms");
  const Duration seen_again = span + 20 * millisecond;
  life_->door->hide_arrivals_until(world_.now() + seen_again);
  turns_.stand_still(span);
  if (place_.has_storage()) checker_.leases.storage_stands_still(world_.now() + span);
  world_.after(seen_again, [this] { turns_.wake(); });
}

void Server::fail_commits(std::int64_t count) {
  if (!is_up() || !life_->store) return;
  world_.trace("the next " + std::to_string(count) + " commits fail");
  life_->store->fail_commits(count);
  checker_.leases.storage_falters();
}

void Server::fill_disk(Duration span) {
  world_.trace("the disk is full for " + std::to_string(span / millisecond) + " ms");
  checker_.leases.storage_falters();
  disk_full_until_ = std::max(disk_full_until_, world_.now() + span);
}

void Server::stall_in_turn(Duration span) {
  if (!is_up()) return;
  world_.trace(name_ + " stalls for " + std::to_string(span / millisecond) + " ms in its next turn");
  life_->time.stall_before(static_cast<int>(world_.between(1, 6)), span);
}

bool Server::is_well() const {
  return is_up() && !turns_.stands_still() && turns_.busy_until() <= world_.now() + 5 * millisecond &&
         !life_->loop->storage_is_out();
}

std::optional<std::string> Server::overdue_by(Duration most) const {
  auto request = is_up() ? life_->door->overdue_by(most) : std::nullopt;
  if (request) *request += ", at the door of " + name_;
  return request;
}

std::vector<const RequestBatch*> Server::open_asks() const {
  return is_up() ? life_->door->open_asks() : std::vector<const RequestBatch*>();
}

void Server::received(Connection from, Frames request) {
  if (!is_up()) return;
  life_->door->arrive(from, std::move(request));
  turns_.wake();
}

void Server::heard(NodeNumber peer, LinkWords words) {
  if (!is_up()) return;
  life_->peers->arrive(peer, std::move(words));
  turns_.wake();
}

void Server::link_turned(NodeNumber peer, bool is_up) {
  if (life_ == nullptr) return;
  checker_.idle.disturbed();
  life_->peers->turned(peer, is_up);
  turns_.wake();
  if (is_up) return;
  world_.after(patience, [this, peer] {
    if (life_ == nullptr || place_.fabric->is_up(place_.self, peer)) return;
    life_->peers->give_up(peer);
    turns_.wake();
  });
}

}  // namespace stint::sim
