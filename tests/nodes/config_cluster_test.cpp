// Which nodes a cluster may have, and what a node of one is told.
#include <gtest/gtest.h>

#include "nodes/config/read_config.hpp"

namespace stint {
namespace {

constexpr const char* cluster =
    "[cluster]\nstorage = \"tcp://127.0.0.1:7611\"\n"
    "limiters = { limiter-1 = \"tcp://127.0.0.1:7621\", limiter-2 = \"tcp://127.0.0.1:7631\" }\n";
constexpr const char* storage_alone = "[cluster]\nstorage = \"tcp://127.0.0.1:7611\"\n";
constexpr const char* working = "[worker]\nqueues = { q = 1 }\n[worker.handlers.h]\ncommand = [\"true\"]\n";

std::string node(const std::string& name, const std::string& roles) {
  return "[node]\nname = \"" + name + "\"\nroles = [" + roles + "]\n";
}

Result<NodeConfig, ConfigFaults> resolved(const std::string& toml) {
  const auto file = parse_config(toml, "s.toml");
  if (!file) return file.error();
  return resolve_config(*file, NodeSettings{});
}

// Empty: there is none.
std::string first_fault(const std::string& toml) {
  const auto config = resolved(toml);
  return config ? "" : to_string(config.error().front());
}

void expect_fault(const std::string& toml, const std::string& part) {
  EXPECT_NE(first_fault(toml).find(part), std::string::npos) << toml << "\ngave: " << first_fault(toml);
}

TEST(NodeOfACluster, may_be_the_storage_or_a_limiter_alone) {
  EXPECT_EQ(first_fault(node("server", "\"storage\"") + cluster), "");
  EXPECT_EQ(first_fault(node("limiter-2", "\"limiter\"") + cluster), "");
  EXPECT_EQ(first_fault(node("server", "\"storage\", \"limiter\"") + storage_alone), "");
  EXPECT_EQ(first_fault(node("worker-1", "\"worker\"") + cluster + working), "");
}

TEST(NodeOfACluster, listens_where_the_cluster_says_unless_it_says_otherwise) {
  EXPECT_EQ(resolved(node("limiter-2", "\"limiter\"") + cluster)->front_door, "tcp://127.0.0.1:7631");
  EXPECT_EQ(resolved(node("s", "\"storage\"") + cluster)->front_door, "tcp://127.0.0.1:7611");
  EXPECT_EQ(resolved(node("limiter-2", "\"limiter\"") + "front_door = \"tcp://127.0.0.1:9\"\n" + cluster)
                ->front_door,
            "tcp://127.0.0.1:9");
  expect_fault(node("s", "\"storage\", \"limiter\"") + "[cluster]\nstorage = \"tcp://db.example.org:7611\"\n",
               "node.front_door = \"tcp://db.example.org:7611\": is what the cluster says, but a name");
}

TEST(NodeOfACluster, has_events_only_as_the_storage) {
  EXPECT_EQ(resolved(node("limiter-1", "\"limiter\"") + cluster)->events, "");
  EXPECT_NE(resolved(node("s", "\"storage\"") + cluster)->events, "");
}

TEST(NodeOfACluster, that_only_works_may_ask_any_of_its_nodes) {
  EXPECT_EQ(
      resolved(node("w", "\"worker\"") + cluster + working)->worker.servers,
      (std::vector<std::string>{"tcp://127.0.0.1:7611", "tcp://127.0.0.1:7621", "tcp://127.0.0.1:7631"}));
}

TEST(NodeOfACluster, is_refused_where_its_name_and_role_are_not_those_of_the_cluster) {
  expect_fault(node("limiter-3", "\"limiter\"") + cluster,
               "node.name = \"limiter-3\": a node with the role limiter must be named in the cluster; "
               "cluster.limiters has limiter-1, limiter-2");
  expect_fault(node("limiter-1", "\"limiter\"") + storage_alone, "cluster.limiters has none");
  expect_fault(node("server", "\"storage\", \"limiter\"") + cluster, "node.name = \"server\": a node with");
  expect_fault(node("limiter-1", "\"worker\"") + cluster + working,
               "node.name = \"limiter-1\": cluster.limiters names this node, so it needs the role limiter");
  expect_fault(node("limiter-1", "\"storage\"") + cluster, "so it needs the role limiter");
}

TEST(NodeOfACluster, is_refused_where_nobody_would_limit) {
  expect_fault(node("server", "\"storage\"") + storage_alone, "cluster.limiters: expected at least one");
}

TEST(NodeOfACluster, is_refused_where_two_nodes_have_one_endpoint) {
  expect_fault(
      node("a", "\"limiter\"") +
          "[cluster]\nstorage = \"tcp://h:1\"\nlimiters = { a = \"tcp://h:2\", b = \"tcp://h:2\" }\n",
      "cluster.limiters.b = \"tcp://h:2\": is the endpoint of a too");
  expect_fault(node("a", "\"limiter\"") +
                   "[cluster]\nstorage = \"tcp://127.0.0.1:1\"\nlimiters = { a = \"tcp://127.0.0.1:1\" }\n",
               "is the endpoint of the storage");
}

TEST(NodeOfACluster, may_be_storage_and_one_of_the_limiters_at_one_endpoint) {
  const std::string both = node("server", "\"storage\", \"limiter\"") +
                           "[cluster]\nstorage = \"tcp://127.0.0.1:1\"\n"
                           "limiters = { server = \"tcp://127.0.0.1:1\", b = \"tcp://127.0.0.1:2\" }\n";
  EXPECT_EQ(first_fault(both), "");
  expect_fault(node("server", "\"storage\", \"limiter\"") +
                   "[cluster]\nstorage = \"tcp://127.0.0.1:1\"\n"
                   "limiters = { server = \"tcp://127.0.0.1:3\", b = \"tcp://127.0.0.1:2\" }\n",
               "as this node is the storage too");
}

TEST(NodeWithoutACluster, has_storage_and_limiter_or_neither) {
  expect_fault(node("s", "\"storage\""),
               "s.toml: node.roles = [\"storage\"]: storage and limiter on different");
  expect_fault(node("s", "\"limiter\""), "node.roles = [\"limiter\"]");
}

std::string worker(const std::string& queues) {
  return node("w", "\"worker\"") + "[worker]\n" + queues + "\n[worker.handlers.h]\ncommand = [\"true\"]\n";
}

TEST(WorkerConfig, takes_permits_or_shares_but_not_both) {
  EXPECT_EQ(first_fault(worker("queues = { a = 2, b = 3 }")), "");
  EXPECT_EQ(first_fault(worker("workers = 5\nqueues = { a = { min = 2 }, b = { min = 3 } }")), "");
  expect_fault(worker("workers = 5\nqueues = { a = 2, b = { min = 1 } }"),
               "worker.queues.a = 2: permits a queue do not go with weighted queues");
  expect_fault(worker("workers = 5\nqueues = { a = 2 }"), "worker.queues.a = 2: permits");
  expect_fault(worker("queues = { a = { min = 1 } }"), "worker.workers: expected how many jobs");
  expect_fault(worker("workers = 4\nqueues = { a = { min = 2 }, b = { min = 3 } }"),
               "worker.workers = 4: expected at least 5, the sum of min");
}

TEST(NodeConfig, passes_on_the_limits_of_its_file) {
  const auto config = resolved("[queues.q]\nrate = 10\n[handlers.h]\nmax_running = 3\n");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->queues.at("q").limit->rate, 10.0);
  EXPECT_EQ(config->handlers.at("h").max_running, 3);
}

}  // namespace
}  // namespace stint
