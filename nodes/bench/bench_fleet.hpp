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
  // `storage_config`: more of the storage node's config.
  static Result<std::unique_ptr<BenchFleet>, Failure> start(int limiters,
                                                            const std::string& storage_config = "");
  // No nodes of its own: what it launches works with the server at this endpoint.
  static Result<std::unique_ptr<BenchFleet>, Failure> beside(const std::string& server);
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

  // Whether it runs; false too if there is none of this name.
  bool is_running(const std::string& name) const;
  // The id of its process; 0: there is none of this name.
  int process_id(const std::string& name) const;
  // The last whole line that it wrote; empty: none yet.
  std::string last_line(const std::string& name) const;

  // Of the storage node, if it is the fleet's own.
  bool has_own_nodes() const { return has_own_nodes_; }
  static constexpr const char* storage_node = "storage";
  void kill_storage();
  // Over the same file and endpoints; does not wait until it is ready.
  Result<Done, Failure> restart_storage();

  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Child {
    std::string name;
    ChildProcess process;
  };

  BenchFleet() = default;
  Result<Done, Failure> make_folder();
  Result<Done, Failure> open(int limiters);
  Result<Done, Failure> launch_node(const std::string& name, const std::string& roles,
                                    const std::string& door, const std::string& cluster);
  Result<Done, Failure> wait_until_ready() const;  // just started: nothing else was launched yet

  std::filesystem::path folder_;
  std::string storage_config_;
  bool has_own_nodes_ = false;
  std::vector<std::string> doors_;
  std::vector<Child> children_;
};

}  // namespace stint
