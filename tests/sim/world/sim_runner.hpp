// SimRunner: runs the simulated jobs of one worker as their plans say.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "nodes/runners/runner.hpp"
#include "protocol/values.hpp"
#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/job_plan.hpp"
#include "tests/sim/world/world.hpp"

namespace stint::sim {

class SimRunner : public Runner {
 public:
  struct Node {
    std::function<void()> wake;
    std::function<void()> kill;
  };

  SimRunner(World& world, Checker& checker, SessionId session, Node node)
      : world_(world), checker_(checker), session_(session), node_(std::move(node)) {}

  bool has_ended_runs() const { return !said_.empty(); }
  std::size_t running() const { return running_.size(); }

  void start(StartRun&& start) override;
  void stop(const JobRun& run) override;
  int fd() const override { return -1; }
  std::vector<Message> take() override { return std::exchange(said_, {}); }

 private:
  void end_after(Duration delay, const JobRun& run, RunResult result);

  World& world_;
  Checker& checker_;
  SessionId session_;
  Node node_;
  std::map<JobRun, JobPlan> running_;
  std::vector<Message> said_;
  // Events outlive the process that planned them.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

 public:
  ~SimRunner() override { *alive_ = false; }
};

}  // namespace stint::sim
