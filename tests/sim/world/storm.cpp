#include "tests/sim/world/storm.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace stint::sim {

namespace {

// One worker with one permit, whose jobs hang, needs long.
constexpr Duration calm_bound = 900 * second;

constexpr std::int64_t hour_ms = 3'600'000;

// No part of a script has so high a number.
constexpr std::uint64_t draws_of_the_restore = 1'000'000'000;

const std::string& one_of(World& world, const std::vector<std::string>& names) {
  return names[static_cast<std::size_t>(world.between(0, std::ssize(names) - 1))];
}

}  // namespace

void Storm::to_any_worker(const std::function<void(Worker&)>& deed) {
  const auto& workers = scene_.workers();
  if (workers.empty()) return;
  deed(*workers[static_cast<std::size_t>(scene_.world.between(0, std::ssize(workers) - 1))]);
}

Duration Storm::span(std::int64_t least_ms, std::int64_t most_ms) {
  return scene_.world.between(least_ms * millisecond, most_ms * millisecond);
}

Server& Storm::any_limiter() {
  const auto& nodes = scene_.limiter_nodes();
  return *nodes[static_cast<std::size_t>(scene_.world.between(0, std::ssize(nodes) - 1))];
}

JobPlan Storm::any_plan() {
  World& world = scene_.world;
  JobPlan plan;
  plan.took_ms =
      world.chance(options_.quick ? 0.01 : 0.1) ? world.between(500, 4'000) : world.between(1, 100);
  plan.times = world.between(1, 3);
  if (world.chance(0.3)) {
    constexpr std::array others{Deed::fail, Deed::give_up, Deed::snooze, Deed::release, Deed::hang};
    plan.deed = others[static_cast<std::size_t>(world.between(0, std::ssize(others) - 1))];
  }
  if (world.chance(options_.quick ? 0.003 : 0.02)) plan.deed = Deed::kill;
  if (options_.reported > 0 && world.chance(options_.reported)) {
    plan.pause_ms = world.between(10, 1'500);
    plan.pauses_queue = world.chance(0.3);
  }
  return plan;
}

NewJob Storm::any_job(Producer& producer) {
  World& world = scene_.world;
  const JobPlan plan = any_plan();
  const bool is_elsewhere = world.chance(0.3);
  NewJob job = producer.job(plan, is_elsewhere ? one_of(world, options_.queues) : options_.queues.front());
  if (options_.handlers.size() > 1) job.handler = one_of(world, options_.handlers);
  job.priority = static_cast<int>(world.between(0, 9));
  if (world.chance(0.2)) job.delay_ms = world.between(1, 3'000);
  if (world.chance(0.1)) job.max_attempts = world.between(1, 4);
  if (world.chance(0.1)) job.timeout_ms = plan.took_ms + world.between(500, 3'000);
  return job;
}

// --- The script ---

int Storm::number_of(const std::string& what) {
  script_.parts.push_back(what);
  return static_cast<int>(script_.parts.size());
}

void Storm::part(const std::string& what, const std::function<void()>& deed) {
  const int number = number_of(what);
  if (!script_.left_out.contains(number))
    scene_.world.draw_apart(2 * static_cast<std::uint64_t>(number), deed);
}

void Storm::part_at(Duration at, const std::string& what, std::function<void()> deed) {
  char when[32];
  std::snprintf(when, sizeof when, "after %.3f s: ", std::chrono::duration<double>(at).count());
  const int number = number_of(when + what);
  if (script_.left_out.contains(number)) return;
  scene_.world.after(at, [this, number, deed = std::move(deed)] {
    scene_.world.draw_apart(2 * static_cast<std::uint64_t>(number) + 1, deed);
  });
}

void Storm::gather() {
  World& world = scene_.world;
  std::int64_t workers = options_.workers;
  std::int64_t producers = 0;
  std::int64_t rogues = 0;
  world.draw_apart(0, [&] {
    if (workers == 0) workers = world.between(1, 4);
    producers = world.between(1, 3);
    if (options_.most_rogues > 0) rogues = world.between(0, options_.most_rogues);
  });
  for (; workers > 0; --workers) {
    part("a worker", [&] { scene_.add_worker(any_worker_setup()); });
  }
  for (; producers > 0; --producers) scene_.add_producer().send_copies(world.chance(0.3) ? 2 : 1);
  for (; rogues > 0; --rogues) {
    part("a rogue", [&] { scene_.add_rogue().begin(); });
  }
  std::vector<LimitName> names;
  for (const std::string& queue : options_.queues) names.emplace_back(LimitScope::queue, queue);
  for (const std::string& handler : options_.handlers) names.emplace_back(LimitScope::handler, handler);
  for (std::int64_t left = options_.most_operators; left > 0; --left) {
    part("an operator", [&] { scene_.add_operator(names, options_.operators_pause).begin(); });
  }
}

WorkerSetup Storm::any_worker_setup() {
  World& world = scene_.world;
  WorkerSetup setup;
  setup.queues.clear();
  for (const std::string& queue : options_.queues) {
    setup.queues[queue] = world.between(1, queue == options_.queues.front() ? 8 : 4);
  }
  setup.takes_over = world.chance(0.5);
  setup.comes_back = true;
  setup.handlers = options_.handlers;
  for (const std::string& handler : options_.handlers) {
    if (options_.declared > 0 && world.chance(options_.declared)) {
      setup.declares[handler] = any_limit(world, LimitScope::handler);
    }
  }
  return setup;
}

void Storm::plan_faults_of_messages() {
  Faults faults;
  faults.late = options_.late;
  part("messages are lost, doubled, overtaken or slow", [&] {
    World& world = scene_.world;
    if (!world.chance(options_.silent_faults)) return;
    const auto some = [&](double most) { return most * static_cast<double>(world.between(0, 100)) / 100; };
    faults.lost = some(options_.lost);
    faults.doubled = some(options_.doubled);
    faults.reordered = some(options_.reordered);
    faults.slow = some(options_.slow);
  });
  for (Network* network : scene_.networks()) network->faults = faults;
  scene_.fabric.slow = faults.slow;
  // What is slow on a link holds up all that follows it.
  if (!scene_.limiter_nodes().empty()) scene_.checker.idle.set_patience(1'500 * millisecond);
}

// Jobs of every kind, sent over the time of the storm.
void Storm::plan_enqueues() {
  std::vector<Duration> times(static_cast<std::size_t>(options_.enqueues));
  scene_.world.draw_apart(1, [&] {
    for (Duration& at : times) at = scene_.world.between(Duration::zero(), options_.span);
  });
  for (const Duration at : times) {
    part_at(at, "an enqueue", [this] { enqueue(); });
  }
}

void Storm::enqueue() {
  World& world = scene_.world;
  const auto& producers = scene_.producers();
  Producer& producer = *producers[static_cast<std::size_t>(world.between(0, std::ssize(producers) - 1))];
  std::vector<NewJob> jobs;
  for (std::int64_t left = world.between(1, options_.most_jobs); left > 0; --left) {
    jobs.push_back(any_job(producer));
  }
  if (options_.brought > 0 && world.chance(options_.brought)) {
    jobs.front().limit = any_limit(world, LimitScope::handler);
  }
  producer.enqueue(std::move(jobs));
}

void Storm::plan_strikes() {
  struct Planned {
    Duration at;
    Strike strike;
  };
  std::vector<Planned> all;
  scene_.world.draw_apart(3, [&] {
    const std::int64_t mean_us = options_.mean_pause.count();
    const auto pause = [&] { return scene_.world.between(Duration(mean_us / 10), Duration(mean_us * 2)); };
    for (Duration at = pause(); at < options_.span; at += pause()) all.push_back({at, any_strike()});
  });
  for (Planned& planned : all) {
    part_at(planned.at, planned.strike.kind, [this, strike = planned.strike] {
      scene_.world.count(strike.kind);
      strike.hit();
    });
  }
}

// Beside the strikes, so that those of a seed are the same with it and without.
void Storm::plan_restore() {
  World& world = scene_.world;
  Duration taken{};
  Duration restored{};
  world.draw_apart(draws_of_the_restore, [&] {
    if (!world.chance(options_.restored)) return;
    taken = world.between(options_.span / 10, options_.span / 2);
    restored = taken + world.between(options_.span / 30, options_.span / 3);
  });
  if (restored == Duration::zero()) return;
  part_at(taken, "a backup is taken", [this] { scene_.server.back_up(); });
  part_at(restored, "the server is restored from its backup", [this] {
    scene_.world.count("server restored from a backup");
    scene_.server.restore_after(span(10, 3'000));
  });
}

// --- Strikes ---

std::vector<Storm::Strike> Storm::strikes() {
  World& world = scene_.world;
  Server& server = scene_.server;
  return {
      {options_.server_dies, "server killed",
       [this, &server] {
         server.kill();
         server.restart_after(span(10, 3'000));
       }},
      {options_.server_dies_between_commit_and_send, "server killed between commit and send",
       [&world, &server] { server.kill_after_commit(world.between(0, 3)); }},
      {options_.server_reboots, "server's machine rebooted",
       [this, &server] { server.reboot_after(span(500, 5'000)); }},
      {options_.server_stands_still, "server stopped for a while",
       [this, &server] { server.stand_still(span(20, 6'000)); }},
      {options_.server_stalls_in_turn, "server stalled within a turn",
       [this, &server] { server.stall_in_turn(span(1, 400)); }},
      {options_.disk_fails, "commits failed",
       [&world, &server] { server.fail_commits(world.between(1, 8)); }},
      {options_.disk_is_full, "disk full for a while",
       [this, &server] { server.fill_disk(span(100, 5'000)); }},
      {options_.worker_dies, "worker killed",
       [this] {
         to_any_worker([this](Worker& worker) {
           worker.kill();
           worker.restart_after(span(10, 4'000));
         });
       }},
      {options_.worker_stands_still, "worker stopped for a while",
       [this] { to_any_worker([this](Worker& worker) { worker.stand_still(span(20, 6'000)); }); }},
      {options_.worker_stops, "worker told to stop",
       [this] { to_any_worker([](Worker& worker) { worker.stop(); }); }},
      {options_.worker_is_cut, "worker cut off",
       [this] { to_any_worker([this](Worker& worker) { worker.cut(span(20, 6'000)); }); }},
      {options_.connection_drops, "connection dropped",
       [this] { to_any_worker([](Worker& worker) { worker.drop_connection(); }); }},
      {options_.wall_jumps, "wall clock jumped",
       [&world] { world.jump_wall(world.between(-2 * hour_ms, 2 * hour_ms)); }},
  };
}

std::vector<Storm::Strike> Storm::strikes_at_limiters() {
  return {
      {options_.limiter_dies, "limiter node killed",
       [this] {
         Server& limiter = any_limiter();
         limiter.kill();
         limiter.restart_after(span(10, 4'000));
       }},
      {options_.limiter_stands_still, "limiter node stopped for a while",
       [this] { any_limiter().stand_still(span(20, 4'000)); }},
      {options_.link_breaks, "link broken",
       [this] {
         const NodeNumber one = any_limiter().place().self;
         const NodeNumber other = scene_.world.chance(0.7) ? ClusterMap::storage : any_limiter().place().self;
         if (one != other) scene_.fabric.break_link(one, other, span(0, 3'000));
       }},
      {options_.limiter_is_cut_off, "limiter node cut off",
       [this] { scene_.fabric.cut_off(any_limiter().place().self, span(20, 5'000)); }},
  };
}

Storm::Strike Storm::any_strike() {
  std::vector<Strike> all = strikes();
  for (Strike& strike : strikes_at_limiters()) all.push_back(std::move(strike));
  double weights = 0;
  for (const Strike& strike : all) weights += strike.weight;
  double drawn = static_cast<double>(scene_.world.between(0, 999'999)) / 1e6 * weights;
  for (Strike& strike : all) {
    if (strike.weight > 0 && drawn < strike.weight) return strike;
    drawn -= strike.weight;
  }
  return {0, "nothing", [] {}};
}

// --- The course of it ---

void Storm::rage() {
  script_.parts.clear();
  scene_.start_all();
  gather();
  plan_faults_of_messages();
  plan_enqueues();
  plan_strikes();
  plan_restore();
  scene_.world.run_for(options_.span);
  calm_down();
  scene_.finish(calm_bound);
  scene_.check_end();
}

void Storm::calm_down() {
  for (Network* network : scene_.networks()) network->faults = {};
  scene_.fabric.slow = 0;
  scene_.world.trace("the storm is over");
  for (const auto& rogue : scene_.rogues()) rogue->end();
  for (const auto& one : scene_.operators()) one->end();
  for (const auto& worker : scene_.workers()) worker->restart_after(Duration::zero());
  scene_.server.restart_after(Duration::zero());
  for (const auto& node : scene_.limiter_nodes()) node->restart_after(Duration::zero());
}

StormOptions storm_of_limits() {
  StormOptions options;
  options.server_stalls_in_turn = 2;
  options.most_operators = 1;
  options.declared = 0.2;
  options.brought = 0.1;
  options.reported = 0.02;
  options.handlers = {"work", "mail", "call"};
  options.enqueues = 40;
  options.most_jobs = 16;
  options.quick = true;
  return options;
}

StormOptions storm_of_a_cluster() {
  StormOptions options = storm_of_limits();
  options.limiter_dies = 3;
  options.limiter_stands_still = 1;
  options.link_breaks = 3;
  options.limiter_is_cut_off = 1;
  options.queues = {"default", "other", "mails", "calls"};
  return options;
}

void run_storm(Scene& scene, const StormOptions& options) {
  Script whole;
  run_storm(scene, options, whole);
}

void run_storm(Scene& scene, const StormOptions& options, Script& script) {
  Storm(scene, options, script).rage();
}

}  // namespace stint::sim
