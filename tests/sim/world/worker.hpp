// Worker: a simulated worker node: the real loop and worker actor with simulated runners. Each life is a new
// session.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/world/checker.hpp"
#include "tests/sim/world/network.hpp"
#include "tests/sim/world/turns.hpp"

namespace stint::sim {

struct WorkerSetup {
  std::string name = "worker";
  std::map<std::string, std::int64_t> queues{{"default", 4}};
  std::vector<std::string> handlers{"work"};
  std::map<std::string, Limit> declares{};  // of its handlers
  bool takes_over = false;
  Duration grace = 2 * second;
  bool comes_back = false;  // a new life begins soon after it has stopped
};

class Worker : public Peer {
 public:
  Worker(World& world, Network& network, Checker& checker, WorkerSetup setup);
  ~Worker() override;

  void start();
  void kill();
  void restart_after(Duration delay);
  // As SIGTERM does.
  void stop();
  void stand_still(Duration span);
  void drop_connection();
  void cut(Duration span);

  bool is_up() const { return life_ != nullptr; }
  const SessionId& session() const { return session_; }
  std::size_t running() const;
  std::int64_t stale_reports() const;
  std::int64_t lives() const { return lives_; }

  void connected() override;
  void disconnected() override;
  void received(Frames answer) override;

 private:
  struct Life;

  World& world_;
  Network& network_;
  Checker& checker_;
  WorkerSetup setup_;
  Turns turns_;
  std::unique_ptr<Life> life_;
  SessionId session_;
  int peer_ = 0;
  std::int64_t lives_ = 0;
  std::int64_t stale_reports_ = 0;  // of lives that are over
};

}  // namespace stint::sim
