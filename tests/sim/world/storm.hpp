// Storm: everything that can go wrong with a scene, at random, for a while; then calm, in which all work must
// end by itself.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

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
  double disk_is_full = 0.5;
  double worker_dies = 2;
  double worker_stands_still = 1;
  double worker_stops = 0.5;
  double worker_is_cut = 1;
  double connection_drops = 2;
  double wall_jumps = 0.5;
  double server_stalls_in_turn = 0;
  double restored = 0.1;  // how many runs have a restored backup in them
  // Of a cluster.
  double limiter_dies = 0;
  double limiter_stands_still = 0;
  double link_breaks = 0;
  double limiter_is_cut_off = 0;
  std::int64_t workers = 0;  // 0: one to four
  std::int64_t most_rogues = 2;
  // Who limits what, and how often.
  std::int64_t most_operators = 0;
  Duration operators_pause = 500 * millisecond;
  double declared = 0;  // of a worker's handlers, that it declares a limit
  double brought = 0;   // of enqueues, that they bring one
  double reported = 0;  // of jobs, that they report a pause
  std::vector<std::string> handlers{"work"};
  std::vector<std::string> queues{"default", "other"};
  int enqueues = 30;
  std::int64_t most_jobs = 8;  // of an enqueue
  bool quick = false;          // jobs are short
  // Of messages, at most.
  double lost = 0.05;
  double doubled = 0.1;
  double reordered = 0.2;
  double slow = 0.05;
  double late = 0.3;
  double silent_faults = 0.7;  // how many runs have faulty messages at all
};

// What a storm consists of, numbered from 1: workers, enqueues, strikes and so on. What a part does is up to
// the seed and its number alone, so any can be left out and the others stay as they are.
struct Script {
  std::set<int> left_out;
  std::vector<std::string> parts{};  // of the run: what each is
};

class Storm {
 public:
  Storm(Scene& scene, StormOptions options, Script& script)
      : scene_(scene), options_(std::move(options)), script_(script) {}

  // All of it: who takes part, the storm, the calm, the checks at the end.
  void rage();

 private:
  void gather();
  WorkerSetup any_worker_setup();
  void plan_faults_of_messages();
  void plan_enqueues();
  void plan_strikes();
  void plan_restore();
  void calm_down();
  // The next part of the script. Without a time it happens now.
  void part(const std::string& what, const std::function<void()>& deed);
  void part_at(Duration at, const std::string& what, std::function<void()> deed);
  int number_of(const std::string& what);
  void enqueue();
  struct Strike {
    double weight;
    std::string kind;
    std::function<void()> hit;
  };
  std::vector<Strike> strikes();
  std::vector<Strike> strikes_at_limiters();
  Strike any_strike();
  Duration span(std::int64_t least_ms, std::int64_t most_ms);
  // Nothing happens if all were left out.
  void to_any_worker(const std::function<void(Worker&)>& deed);
  Server& any_limiter();
  JobPlan any_plan();
  NewJob any_job(Producer& producer);

  Scene& scene_;
  StormOptions options_;
  Script& script_;
};

// Limits of all kinds, changed all the time, and every fault that could break one.
StormOptions storm_of_limits();

// The same over a cluster, of which nodes and links fail too.
StormOptions storm_of_a_cluster();

// A scene of a server, some workers and producers, and a whole storm over it.
void run_storm(Scene& scene, const StormOptions& options = {});
void run_storm(Scene& scene, const StormOptions& options, Script& script);

}  // namespace stint::sim
