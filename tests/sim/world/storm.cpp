#include "tests/sim/world/storm.hpp"

#include <array>
#include <functional>
namespace stint::sim {

namespace {

// One worker with one permit, whose jobs hang, needs long.
constexpr Duration calm_bound = 900 * second;

constexpr std::int64_t hour_ms = 3'600'000;

const std::string& one_of(World& world, const std::vector<std::string>& names) {
  return names[static_cast<std::size_t>(world.between(0, std::ssize(names) - 1))];
}

}  // namespace

Worker& Storm::any_worker() {
  return *scene_
              .workers()[static_cast<std::size_t>(scene_.world.between(0, std::ssize(scene_.workers()) - 1))];
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

void Storm::send_jobs(int enqueues) {
  World& world = scene_.world;
  for (int count = 0; count < enqueues; ++count) {
    world.after(world.between(Duration::zero(), options_.span), [this, &world] {
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
    });
  }
}

void Storm::next_strike() {
  const std::int64_t mean_us = options_.mean_pause.count();
  scene_.world.after(scene_.world.between(Duration(mean_us / 10), Duration(mean_us * 2)), [this] {
    if (!on_) return;
    strike();
    next_strike();
  });
}

void Storm::strike() {
  World& world = scene_.world;
  Server& server = scene_.server;
  const auto span = [&](std::int64_t least_ms, std::int64_t most_ms) {
    return world.between(least_ms * millisecond, most_ms * millisecond);
  };
  struct Strike {
    double weight;
    const char* kind;
    std::function<void()> hit;
  };
  const std::vector<Strike> strikes{
      {options_.server_dies, "server killed",
       [&] {
         server.kill();
         server.restart_after(span(10, 3'000));
       }},
      {options_.server_dies_between_commit_and_send, "server killed between commit and send",
       [&] { server.kill_after_commit(world.between(0, 3)); }},
      {options_.server_reboots, "server's machine rebooted", [&] { server.reboot_after(span(500, 5'000)); }},
      {options_.server_stands_still, "server stopped for a while",
       [&] { server.stand_still(span(20, 6'000)); }},
      {options_.server_stalls_in_turn, "server stalled within a turn",
       [&] { server.stall_in_turn(span(1, 400)); }},
      {options_.disk_fails, "commits failed", [&] { server.fail_commits(world.between(1, 8)); }},
      {options_.worker_dies, "worker killed",
       [&] {
         Worker& worker = any_worker();
         worker.kill();
         worker.restart_after(span(10, 4'000));
       }},
      {options_.worker_stands_still, "worker stopped for a while",
       [&] { any_worker().stand_still(span(20, 6'000)); }},
      {options_.worker_stops, "worker told to stop", [&] { any_worker().stop(); }},
      {options_.worker_is_cut, "worker cut off", [&] { any_worker().cut(span(20, 6'000)); }},
      {options_.connection_drops, "connection dropped", [&] { any_worker().drop_connection(); }},
      {options_.limiter_dies, "limiter node killed",
       [&] {
         Server& limiter = any_limiter();
         limiter.kill();
         limiter.restart_after(span(10, 4'000));
       }},
      {options_.limiter_stands_still, "limiter node stopped for a while",
       [&] { any_limiter().stand_still(span(20, 4'000)); }},
      {options_.link_breaks, "link broken",
       [&] {
         const NodeNumber one = any_limiter().place().self;
         const NodeNumber other = world.chance(0.7) ? ClusterMap::storage : any_limiter().place().self;
         if (one != other) scene_.fabric.break_link(one, other, span(0, 3'000));
       }},
      {options_.limiter_is_cut_off, "limiter node cut off",
       [&] { scene_.fabric.cut_off(any_limiter().place().self, span(20, 5'000)); }},
      {options_.wall_jumps, "wall clock jumped",
       [&] { world.jump_wall(world.between(-2 * hour_ms, 2 * hour_ms)); }},
  };
  double all = 0;
  for (const Strike& strike : strikes) all += strike.weight;
  double drawn = static_cast<double>(world.between(0, 1'000'000)) / 1e6 * all;
  for (const Strike& strike : strikes) {
    if (strike.weight > 0 && drawn < strike.weight) {
      world.count(strike.kind);
      return strike.hit();
    }
    drawn -= strike.weight;
  }
}

void Storm::rage() {
  World& world = scene_.world;
  Faults faults;
  if (world.chance(options_.silent_faults)) {
    const auto some = [&](double most) { return most * static_cast<double>(world.between(0, 100)) / 100; };
    faults.lost = some(options_.lost);
    faults.doubled = some(options_.doubled);
    faults.reordered = some(options_.reordered);
    faults.slow = some(options_.slow);
  }
  faults.late = options_.late;
  // What is slow on a link holds up all that follows it.
  if (!scene_.limiter_nodes().empty()) scene_.checker.idle.set_patience(1'500 * millisecond);
  for (Network* network : scene_.networks()) network->faults = faults;
  scene_.fabric.slow = faults.slow;
  on_ = true;
  next_strike();
  world.run_for(options_.span);

  on_ = false;
  for (Network* network : scene_.networks()) network->faults = {};
  scene_.fabric.slow = 0;
  world.trace("the storm is over");
  for (const auto& rogue : scene_.rogues()) rogue->end();
  for (const auto& one : scene_.operators()) one->end();
  for (const auto& worker : scene_.workers()) worker->restart_after(Duration::zero());
  scene_.server.restart_after(Duration::zero());
  for (const auto& node : scene_.limiter_nodes()) node->restart_after(Duration::zero());
  scene_.finish(calm_bound);
  scene_.check_end();
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
  World& world = scene.world;
  scene.start_all();
  for (std::int64_t left = world.between(1, 4); left > 0; --left) {
    WorkerSetup setup;
    setup.queues.clear();
    for (const std::string& queue : options.queues) {
      setup.queues[queue] = world.between(1, queue == options.queues.front() ? 8 : 4);
    }
    setup.takes_over = world.chance(0.5);
    setup.comes_back = true;
    setup.handlers = options.handlers;
    for (const std::string& handler : options.handlers) {
      if (options.declared > 0 && world.chance(options.declared)) {
        setup.declares[handler] = any_limit(world, LimitScope::handler);
      }
    }
    scene.add_worker(std::move(setup));
  }
  for (std::int64_t left = world.between(1, 3); left > 0; --left) {
    scene.add_producer().send_copies(world.chance(0.3) ? 2 : 1);
  }
  for (std::int64_t left = options.most_rogues > 0 ? world.between(0, options.most_rogues) : 0; left > 0;
       --left) {
    scene.add_rogue().begin();
  }
  std::vector<LimitName> names;
  for (const std::string& queue : options.queues) names.emplace_back(LimitScope::queue, queue);
  for (const std::string& handler : options.handlers) names.emplace_back(LimitScope::handler, handler);
  for (std::int64_t left = options.most_operators; left > 0; --left) {
    scene.add_operator(names, options.operators_pause).begin();
  }
  Storm storm(scene, options);
  storm.send_jobs(options.enqueues);
  storm.rage();
}

}  // namespace stint::sim
