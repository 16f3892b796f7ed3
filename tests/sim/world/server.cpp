#include "tests/sim/world/server.hpp"

#include "actors/kernel/actor_system.hpp"
#include "actors/limiter/limiter_actor.hpp"
#include "actors/storage/clock_resume.hpp"
#include "actors/storage/storage_actor.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/node_loop.hpp"
#include "tests/sim/world/node_time.hpp"
#include "tests/sim/world/sim_door.hpp"

namespace stint::sim {

// One life of the process. What it holds in memory goes with it.
struct Server::Life {
  Life(Server& server, Duration offset)
      : store(server.disk_,
              [&checker = server.checker_, ahead = offset - server.booted_at_](const auto& changes) {
                checker.committed(changes);
                checker.limits.committed(changes);
                checker.idle.committed(changes, ahead);
              }),
        time(server.world_, server.booted_at_),
        clock(time, offset),
        storage(store, server.options_),
        actors(server.world_.draw()),
        door(server.world_, server.network_, server.checker_, store, server.options_.bounds),
        loop({.clock = clock,
              .actors = actors,
              .waiter = waiter,
              .log = log,
              .store = &store,
              .door = &door}) {
    actors.host(Place::storage, storage);
    actors.host(Place::limiter, limiter);
  }

  ObservedStore store;
  NodeTime time;
  NodeClock clock;
  StorageActor storage;
  LimiterActor limiter;
  ActorSystem actors;
  NoWaiter waiter;
  Log log{"off"};
  SimDoor door;
  NodeLoop loop;
};

Server::Server(World& world, Network& network, Checker& checker, StorageOptions options)
    : world_(world), network_(network), checker_(checker), options_(std::move(options)), turns_(world) {}

Server::~Server() = default;

void Server::start() {
  if (is_up()) return;
  ObservedStore store(disk_, [](const auto&) {});
  const auto header = store.header();
  const MachineTime machine{"boot " + std::to_string(boots_), world_.now() - booted_at_, world_.wall_now()};
  const Duration offset = resume_clock(*header, machine);
  life_ = std::make_unique<Life>(*this, offset);
  ++lives_;
  const StorageStart start{life_->clock.now(), machine.wall_ms, machine.boot_id, offset,
                           log_name(world_.draw(), world_.draw())};
  if (const Status loaded = life_->storage.load(start); !loaded) {
    return world_.fail("D1", "the store cannot be loaded: " + loaded.error().message);
  }
  started_at_ = world_.now();
  checker_.limits.server_starts(offset - booted_at_);
  watch_idleness(*life_);
  world_.trace("the server starts");
  network_.server_is_up(*this);
  turns_.begin(life_->loop, life_->actors, life_->clock, [this](bool) {
    if (life_->door.has_fallen_silent()) {
      kill();
      restart_after(world_.between(100 * millisecond, 1 * second));
    } else if (life_->door.has_arrivals()) {
      turns_.wake();
    }
  });
}

void Server::kill() {
  if (!is_up()) return;
  world_.trace("the server is killed");
  turns_.end();
  network_.server_is_down();
  life_.reset();
}

void Server::kill_after_commit(std::int64_t said) {
  if (is_up()) life_->door.fall_silent_after(said);
}

void Server::restart_after(Duration delay) {
  world_.after(delay, [this] { start(); });
}

void Server::reboot_after(Duration delay) {
  kill();
  world_.trace("the server's machine boots anew");
  world_.after(delay, [this] {
    if (is_up()) return;
    ++boots_;
    booted_at_ = world_.now() - 10 * second;
    start();
  });
}

void Server::stand_still(Duration span) {
  if (!is_up()) return;
  world_.trace("the server stands still for " + std::to_string(span / millisecond) + " ms");
  const Duration seen_again = span + 20 * millisecond;
  life_->door.hide_arrivals_until(world_.now() + seen_again);
  turns_.stand_still(span);
  world_.after(seen_again, [this] { turns_.wake(); });
}

void Server::fail_commits(std::int64_t count) {
  if (!is_up()) return;
  world_.trace("the next " + std::to_string(count) + " commits fail");
  life_->store.fail_commits(count);
}

void Server::stall_in_turn(Duration span) {
  if (!is_up()) return;
  world_.trace("the server stalls for " + std::to_string(span / millisecond) + " ms in its next turn");
  life_->time.stall_before(static_cast<int>(world_.between(1, 6)), span);
}

// Every few milliseconds, as long as this life lasts.
void Server::watch_idleness(Life& life) {
  const bool is_free = !turns_.stands_still() && turns_.busy_until() <= world_.now() + 5 * millisecond &&
                       !life.loop.storage_is_out() && world_.now() > started_at_;
  if (is_free) {
    checker_.idle.look(life.door.open_asks());
  } else {
    checker_.idle.disturbed();
  }
  world_.after(20 * millisecond, [this, number = lives_, &life] {
    if (number == lives_ && is_up()) watch_idleness(life);
  });
}

Duration Server::longest_overdue() const {
  return is_up() ? life_->door.longest_overdue() : Duration::zero();
}

void Server::received(Connection from, Frames request) {
  if (!is_up()) return;
  life_->door.arrive(from, std::move(request));
  turns_.wake();
}

}  // namespace stint::sim
