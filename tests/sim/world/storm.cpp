#include "tests/sim/world/storm.hpp"

#include <array>
#include <functional>
#include <random>
#include <utility>

namespace stint::sim {

namespace {

constexpr Duration calm_bound = 180 * second;

constexpr std::int64_t hour_ms = 3'600'000;

}  // namespace

Worker& Storm::any_worker() {
  return *scene_
              .workers()[static_cast<std::size_t>(scene_.world.between(0, std::ssize(scene_.workers()) - 1))];
}

JobPlan Storm::any_plan() {
  World& world = scene_.world;
  JobPlan plan;
  plan.took_ms = world.chance(0.1) ? world.between(500, 4'000) : world.between(1, 100);
  plan.times = world.between(1, 3);
  if (world.chance(0.3)) {
    constexpr std::array others{Deed::fail, Deed::give_up, Deed::snooze, Deed::release, Deed::hang};
    plan.deed = others[static_cast<std::size_t>(world.between(0, std::ssize(others) - 1))];
  }
  if (world.chance(0.02)) plan.deed = Deed::kill;
  return plan;
}

void Storm::send_jobs(int enqueues) {
  World& world = scene_.world;
  for (int count = 0; count < enqueues; ++count) {
    world.after(world.between(Duration::zero(), options_.span), [this, &world] {
      const auto& producers = scene_.producers();
      Producer& producer = *producers[static_cast<std::size_t>(world.between(0, std::ssize(producers) - 1))];
      std::vector<NewJob> jobs;
      for (std::int64_t left = world.between(1, 8); left > 0; --left) {
        const JobPlan plan = any_plan();
        NewJob job = producer.job(plan, world.chance(0.3) ? "other" : "default");
        job.priority = static_cast<int>(world.between(0, 9));
        if (world.chance(0.2)) job.delay_ms = world.between(1, 3'000);
        if (world.chance(0.1)) job.max_attempts = world.between(1, 4);
        if (world.chance(0.1)) job.timeout_ms = plan.took_ms + world.between(500, 3'000);
        jobs.push_back(std::move(job));
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
  using Strike = std::pair<double, std::function<void()>>;
  const std::vector<Strike> strikes{
      {options_.server_dies,
       [&] {
         server.kill();
         server.restart_after(span(10, 3'000));
       }},
      {options_.server_dies_between_commit_and_send, [&] { server.kill_after_commit(world.between(0, 3)); }},
      {options_.server_reboots, [&] { server.reboot_after(span(500, 5'000)); }},
      {options_.server_stands_still, [&] { server.stand_still(span(20, 6'000)); }},
      {options_.disk_fails, [&] { server.fail_commits(world.between(1, 8)); }},
      {options_.worker_dies,
       [&] {
         Worker& worker = any_worker();
         worker.kill();
         worker.restart_after(span(10, 4'000));
       }},
      {options_.worker_stands_still, [&] { any_worker().stand_still(span(20, 6'000)); }},
      {options_.worker_stops, [&] { any_worker().stop(); }},
      {options_.worker_is_cut, [&] { any_worker().cut(span(20, 6'000)); }},
      {options_.connection_drops, [&] { any_worker().drop_connection(); }},
      {options_.wall_jumps, [&] { world.jump_wall(world.between(-2 * hour_ms, 2 * hour_ms)); }},
  };
  double all = 0;
  for (const Strike& strike : strikes) all += strike.first;
  double drawn = static_cast<double>(world.between(0, 1'000'000)) / 1e6 * all;
  for (const auto& [weight, strike] : strikes) {
    if (drawn < weight) return strike();
    drawn -= weight;
  }
}

void Storm::rage() {
  World& world = scene_.world;
  Faults& faults = scene_.network.faults;
  if (world.chance(options_.silent_faults)) {
    const auto some = [&](double most) { return most * static_cast<double>(world.between(0, 100)) / 100; };
    faults.lost = some(options_.lost);
    faults.doubled = some(options_.doubled);
    faults.reordered = some(options_.reordered);
    faults.slow = some(options_.slow);
  }
  faults.late = options_.late;
  on_ = true;
  next_strike();
  world.run_for(options_.span);

  on_ = false;
  faults = {};
  world.trace("the storm is over");
  for (const auto& rogue : scene_.rogues()) rogue->end();
  for (const auto& worker : scene_.workers()) worker->restart_after(Duration::zero());
  scene_.server.restart_after(Duration::zero());
  scene_.finish(calm_bound);
  scene_.check_end();
}

void run_storm(Scene& scene, const StormOptions& options) {
  World& world = scene.world;
  scene.server.start();
  for (std::int64_t left = world.between(1, 4); left > 0; --left) {
    WorkerSetup setup;
    setup.queues = {{"default", world.between(1, 8)}, {"other", world.between(1, 4)}};
    setup.takes_over = world.chance(0.5);
    setup.comes_back = true;
    scene.add_worker(std::move(setup));
  }
  for (std::int64_t left = world.between(1, 3); left > 0; --left) {
    scene.add_producer().send_copies(world.chance(0.3) ? 2 : 1);
  }
  for (std::int64_t left = options.most_rogues > 0 ? world.between(0, options.most_rogues) : 0; left > 0;
       --left) {
    scene.add_rogue().begin();
  }
  Storm storm(scene, options);
  storm.send_jobs(30);
  storm.rage();
}

}  // namespace stint::sim
