// BenchFleet: nodes and workers of this very program, as processes of their own on loopback, in a temporary
// folder. Owned by one benchmark; what it started ends with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nodes/cli/client_connection.hpp"
#include "nodes/cli/exit_status.hpp"
#include "nodes/runners/child_process.hpp"
#include "protocol/result.hpp"

namespace stint {

class BenchFleet {
 public:
  // A storage node with so many limiter nodes; 0: one node that hosts both. Returns when all are ready.
  static Result<std::unique_ptr<BenchFleet>, Failure> start(int limiters);
  ~BenchFleet();
  BenchFleet(const BenchFleet&) = delete;
  BenchFleet& operator=(const BenchFleet&) = delete;

  const std::string& server() const { return doors_.front(); }
  // The front door of some node, another one for each `number`.
  const std::string& server(std::size_t number) const { return doors_[number % doors_.size()]; }

  // `stint` with these arguments, its output in `NAME.log` of the folder.
  Result<Done, Failure> launch(const std::string& name, std::vector<std::string> arguments);
  // Asks those whose names begin so to end, and waits until they have; who takes longer than `patience_s` is
  // killed.
  void stop(const std::string& names, int patience_s);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Child {
    std::string name;
    ChildProcess process;
  };

  BenchFleet() = default;
  Result<Done, Failure> open(int limiters);
  Result<Done, Failure> launch_node(const std::string& name, const std::string& roles,
                                    const std::string& door, const std::string& cluster);
  Result<Done, Failure> wait_until_ready() const;
  std::string last_line(const std::string& name) const;  // of its log

  std::filesystem::path folder_;
  std::vector<std::string> doors_;
  std::vector<Child> children_;
};

}  // namespace stint
