#include "tests/sim/world/worker.hpp"

#include <utility>

#include "actors/kernel/actor_system.hpp"
#include "actors/worker/worker_actor.hpp"
#include "nodes/runtime/log.hpp"
#include "nodes/runtime/node_loop.hpp"
#include "tests/sim/world/node_time.hpp"
#include "tests/sim/world/sim_link.hpp"
#include "tests/sim/world/sim_runner.hpp"

namespace stint::sim {

namespace {

WorkerOptions options_of(const WorkerSetup& setup, const SessionId& session) {
  WorkerOptions options;
  options.worker = setup.name;
  options.client = "sim";
  options.session = session;
  for (const std::string& handler : setup.handlers) options.handlers[handler] = {};
  for (const auto& [handler, limit] : setup.declares) options.handlers[handler].limit = limit;
  options.queues = setup.queues;
  options.takes_over = setup.takes_over;
  options.grace = setup.grace;
  return options;
}

SessionId draw_session(World& world) {
  SessionId session;
  for (unsigned char& byte : session.bytes) byte = static_cast<unsigned char>(world.between(0, 255));
  return session;
}

}  // namespace

struct Worker::Life {
  explicit Life(Worker& worker)
      : time(worker.world_),
        clock(time),
        actor(options_of(worker.setup_, worker.session_)),
        actors(worker.world_.draw()),
        link(worker.world_, worker.network_, worker.checker_, worker.peer_, worker.session_),
        runner(worker.world_, worker.checker_, worker.session_,
               {[&worker] { worker.turns_.wake(); },
                [&worker] {
                  // With the life, this very function ends.
                  worker.restart_after(300 * millisecond);
                  worker.kill();
                }}),
        loop({.clock = clock,
              .actors = actors,
              .waiter = waiter,
              .log = log,
              .link = &link,
              .runner = &runner}) {
    actors.host(Place::worker, actor);
  }

  NodeTime time;
  NodeClock clock;
  WorkerActor actor;
  ActorSystem actors;
  NoWaiter waiter;
  Log log{"off"};
  SimLink link;
  SimRunner runner;
  NodeLoop loop;
};

Worker::Worker(World& world, Network& network, Checker& checker, WorkerSetup setup)
    : world_(world), network_(network), checker_(checker), setup_(std::move(setup)), turns_(world) {}

Worker::~Worker() = default;

void Worker::start() {
  if (is_up()) return;
  session_ = draw_session(world_);
  ++lives_;
  world_.trace(setup_.name + " starts as session " + to_string(session_).substr(0, 6));
  checker_.is_honest(session_);
  peer_ = network_.join(*this);
  life_ = std::make_unique<Life>(*this);
  turns_.begin(life_->loop, life_->actors, life_->clock, [this](bool goes_on) {
    if (!goes_on) {
      kill();
      if (setup_.comes_back) restart_after(500 * millisecond);
    } else if (life_->link.has_arrivals() || life_->runner.has_ended_runs()) {
      turns_.wake();
    }
  });
}

void Worker::kill() {
  if (!is_up()) return;
  world_.trace(setup_.name + " ends");
  stale_reports_ += life_->actor.summary().stale;
  turns_.end();
  network_.leave(peer_);
  life_.reset();
}

void Worker::restart_after(Duration delay) {
  world_.after(delay, [this] { start(); });
}

void Worker::stop() {
  if (!is_up()) return;
  world_.trace(setup_.name + " is asked to stop");
  checker_.stops(session_);
  ++life_->waiter.stops;
  turns_.wake();
}

void Worker::stand_still(Duration span) {
  if (!is_up()) return;
  world_.trace(setup_.name + " stands still for " + std::to_string(span / millisecond) + " ms");
  turns_.stand_still(span);
}

void Worker::drop_connection() { network_.drop_connection(peer_); }
void Worker::cut(Duration span) { network_.cut(peer_, span); }

std::size_t Worker::running() const { return is_up() ? life_->runner.running() : 0; }

std::int64_t Worker::stale_reports() const {
  return stale_reports_ + (is_up() ? life_->actor.summary().stale : 0);
}

void Worker::connected() {
  if (!is_up()) return;
  life_->link.turned(true);
  turns_.wake();
}

void Worker::disconnected() {
  if (!is_up()) return;
  life_->link.turned(false);
  turns_.wake();
}

void Worker::received(Frames answer) {
  if (!is_up()) return;
  life_->link.arrive(std::move(answer));
  turns_.wake();
}

}  // namespace stint::sim
