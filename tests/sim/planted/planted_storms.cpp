#include "tests/sim/planted/planted_storms.hpp"

#include "tests/sim/planted/troublemakers.hpp"
#include "tests/sim/world/storm.hpp"

namespace stint::sim {

namespace {

// Limits that hold for a while, under a server that dies, stalls and stands still all the time.
StormOptions restarts_under_limits() {
  StormOptions options = storm_of_limits();
  options.server_dies = options.server_dies_between_commit_and_send = 6;
  options.server_stalls_in_turn = options.server_stands_still = 4;
  options.mean_pause = 200 * millisecond;
  options.operators_pause = 2 * second;
  return options;
}

}  // namespace

const std::map<std::string, PlantedStorm>& planted_storms() {
  static const std::map<std::string, PlantedStorm> storms{
      {"delivery", {0, [](Scene& scene) { run_storm(scene); }}},
      {"limits", {0, [](Scene& scene) { run_storm(scene, storm_of_limits()); }}},
      {"cluster", {2, [](Scene& scene) { run_storm(scene, storm_of_a_cluster()); }}},
      {"restarts", {0, [](Scene& scene) { run_storm(scene, restarts_under_limits()); }}},
      {"stubborn",
       {0,
        [](Scene& scene) {
          Stubborn stubborn(scene);
          stubborn.begin();
          run_storm(scene);
        }}},
      {"cancels",
       {0,
        [](Scene& scene) {
          const auto client = scene.make_client(200);
          cancel_now_and_then(scene, *client, scene.world.now() + StormOptions{}.span);
          run_storm(scene);
        }}},
      {"keys",
       {0,
        [](Scene& scene) {
          KeyThief thief(scene);
          thief.begin();
          run_storm(scene);
        }}},
  };
  return storms;
}

}  // namespace stint::sim
