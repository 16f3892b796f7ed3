// Storm: everything that can go wrong with a scene, at random, for a while; then calm, in which all work must
// end by itself.
#pragma once

#include "tests/sim/world/scene.hpp"

namespace stint::sim {

// How often each kind of trouble is chosen, relative to the others; 0: never.
struct StormOptions {
  Duration span = 15 * second;
  Duration mean_pause = 700 * millisecond;
  double server_dies = 2;
  double server_dies_between_commit_and_send = 2;
  double server_reboots = 0.3;
  double server_stands_still = 1;
  double disk_fails = 1;
  double worker_dies = 2;
  double worker_stands_still = 1;
  double worker_stops = 0.5;
  double worker_is_cut = 1;
  double connection_drops = 2;
  double wall_jumps = 0.5;
  std::int64_t most_rogues = 2;
  // Of messages, at most.
  double lost = 0.05;
  double doubled = 0.1;
  double reordered = 0.2;
  double slow = 0.05;
  double late = 0.3;
  double silent_faults = 0.7;  // how many runs have faulty messages at all
};

class Storm {
 public:
  Storm(Scene& scene, StormOptions options) : scene_(scene), options_(options) {}

  // Jobs of every kind, sent over the time of the storm.
  void send_jobs(int enqueues);
  // All of it: the storm, the calm, the checks at the end.
  void rage();

 private:
  void strike();
  void next_strike();
  Worker& any_worker();
  JobPlan any_plan();

  Scene& scene_;
  StormOptions options_;
  bool on_ = false;
};

// A scene of a server, some workers and producers, and a whole storm over it.
void run_storm(Scene& scene, const StormOptions& options = {});

}  // namespace stint::sim
