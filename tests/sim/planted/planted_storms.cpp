#include "tests/sim/planted/planted_storms.hpp"

#include "tests/sim/planted/troublemakers.hpp"
#include "tests/sim/world/steady.hpp"
#include "tests/sim/world/storm.hpp"

namespace stint::sim {

namespace {

// Limits that hold for a while, under a server that dies all the time, mostly in the middle of its words, or
// stalls before them.
StormOptions restarts_under_limits() {
  StormOptions options = storm_of_limits();
  options.server_dies_between_commit_and_send = 10;
  options.server_stalls_in_turn = 6;
  options.server_stands_still = options.server_dies = 3;
  options.mean_pause = 200 * millisecond;
  options.operators_pause = 3 * second;
  options.handlers = {"work", "mail"};
  options.queues = {"default"};
  options.enqueues = 80;
  options.most_rogues = 0;
  return options;
}

// Workers that declare different limits, and say hello again and again.
StormOptions sessions_that_differ() {
  StormOptions options = storm_of_limits();
  options.most_operators = 0;
  options.declared = 0.9;
  options.connection_drops = 8;
  options.worker_dies = 4;
  options.mean_pause = 300 * millisecond;
  return options;
}

// A disk that fails under a server that lives on with what it has in memory.
StormOptions failing_disk() {
  StormOptions options;
  options.server_dies = options.server_dies_between_commit_and_send = options.server_reboots = 0;
  options.disk_fails = 8;
  options.mean_pause = 300 * millisecond;
  return options;
}

// Few names, whose limits somebody changes all the time, under a calm sky.
StormOptions restless_operators() {
  StormOptions options = storm_of_limits();
  options.mean_pause = 2 * second;
  options.most_operators = 3;
  options.operators_pause = 250 * millisecond;
  options.handlers = {"work", "mail"};
  options.queues = {"default"};
  options.enqueues = 80;
  return options;
}

// A backup that is restored from when all is used up that a limit allows.
void restore_with_a_backlog(Scene& scene) {
  Steady steady(scene, 10);
  if (scene.world.chance(0.5)) {
    steady.limit({LimitScope::queue, steady.queue()}, rate_limit(1, 20));
  } else {
    steady.limit({LimitScope::handler, steady.handler()}, window_limit(20, 30'000, CountPolicy::started));
  }
  scene.world.run_for(60 * second);
  scene.server.back_up();
  steady.enqueue(60);
  scene.world.run_for(2 * second);
  scene.server.restore_after(500 * millisecond);
  scene.world.run_for(1 * second);
  steady.enqueue(60);
  scene.world.run_for(20 * second);
}

void with_a_meddler(Scene& scene) {
  const auto client = scene.make_client(205);
  meddle(scene, *client, scene.world.now() + StormOptions{}.span);
  run_storm(scene);
}

void with_a_quarrel(Scene& scene) {
  const auto one = scene.make_client(206);
  const auto other = scene.make_client(207);
  quarrel(scene, *one, *other, scene.world.now() + StormOptions{}.span);
  run_storm(scene);
}

void with_limits_lifted_and_set_again(Scene& scene) {
  StormOptions options;
  options.enqueues = 80;
  options.quick = true;
  const auto client = scene.make_client(203);
  lift_and_set_again(scene, *client, scene.world.now() + options.span);
  run_storm(scene, options);
}

void with_a_stubborn_worker(Scene& scene) {
  Stubborn stubborn(scene);
  stubborn.begin();
  run_storm(scene);
}

void with_many_cancels(Scene& scene) {
  const auto client = scene.make_client(200);
  cancel_now_and_then(scene, *client, scene.world.now() + StormOptions{}.span);
  run_storm(scene);
}

void with_a_key_thief(Scene& scene) {
  KeyThief thief(scene);
  thief.begin();
  run_storm(scene);
}

PlantedStorm storm_of(const StormOptions& options, int limiter_nodes = 0) {
  return {limiter_nodes, [options](Scene& scene) { run_storm(scene, options); }};
}

}  // namespace

const std::map<std::string, PlantedStorm>& planted_storms() {
  static const std::map<std::string, PlantedStorm> storms{
      {"delivery", storm_of({})},
      {"limits", storm_of(storm_of_limits())},
      {"cluster", storm_of(storm_of_a_cluster(), 2)},
      {"restarts", storm_of(restarts_under_limits())},
      {"restores", {0, restore_with_a_backlog}},
      {"changes", storm_of(restless_operators())},
      {"lifts", {0, with_limits_lifted_and_set_again}},
      {"declarations", storm_of(sessions_that_differ())},
      {"disk", storm_of(failing_disk())},
      {"last_words", {0, [](Scene& scene) { die_with_last_words(scene, 10); }}},
      {"apart", {0, serve_apart}},
      {"meddler", {0, with_a_meddler}},
      {"quarrel", {0, with_a_quarrel}},
      {"stubborn", {0, with_a_stubborn_worker}},
      {"cancels", {0, with_many_cancels}},
      {"keys", {0, with_a_key_thief}},
  };
  return storms;
}

}  // namespace stint::sim
