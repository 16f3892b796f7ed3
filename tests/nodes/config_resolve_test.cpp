#include <gtest/gtest.h>

#include "nodes/config/endpoint.hpp"
#include "nodes/config/read_config.hpp"

namespace stint {
namespace {

constexpr Roles only_worker{.storage = false, .limiter = false, .worker = true};

ConfigFile worker_file() {
  ConfigFile file;
  file.node.roles = only_worker;
  file.worker.queues["default"] = 1;
  file.worker.handlers["h"] = CommandHandler{.command = {"true"}, .timeout_ms = {}, .limit = {}};
  return file;
}

std::string first_fault(const ConfigFile& file, const NodeSettings& command_line) {
  const auto config = resolve_config(file, command_line);
  return config ? "" : to_string(config.error().front());
}

TEST(NodeConfig, without_a_file_is_a_server_on_loopback) {
  const auto config = resolve_config(ConfigFile{}, NodeSettings{});
  ASSERT_TRUE(config.ok());
  EXPECT_TRUE(config->roles.storage && config->roles.limiter && !config->roles.worker);
  EXPECT_EQ(config->front_door, "tcp://127.0.0.1:7611");
  EXPECT_EQ(config->events, "tcp://127.0.0.1:7612");
  EXPECT_EQ(config->database, "stint.db");
}

TEST(NodeConfig, takes_the_command_line_before_the_file) {
  ConfigFile file;
  file.node.database = "file.db";
  file.node.front_door = "tcp://127.0.0.1:1";
  NodeSettings command_line;
  command_line.database = "line.db";
  const auto config = resolve_config(file, command_line);
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->database, "line.db");
  EXPECT_EQ(config->front_door, "tcp://127.0.0.1:1");
}

TEST(NodeConfig, of_a_pure_worker_binds_nothing) {
  const auto config = resolve_config(worker_file(), NodeSettings{});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->front_door, "");
  EXPECT_EQ(config->events, "");
  EXPECT_EQ(config->worker.servers, std::vector<std::string>{"tcp://127.0.0.1:7611"});
}

TEST(NodeConfig, lets_a_named_worker_take_over_and_an_unnamed_one_not) {
  EXPECT_FALSE(resolve_config(worker_file(), NodeSettings{})->worker.takes_over);
  NodeSettings command_line;
  command_line.name = "w1";
  const auto named = resolve_config(worker_file(), command_line);
  EXPECT_TRUE(named->worker.takes_over);
  EXPECT_EQ(named->worker.name, "w1");
}

TEST(NodeConfig, refuses_to_listen_beyond_loopback_without_a_word) {
  NodeSettings command_line;
  command_line.front_door = "tcp://*:7611";
  EXPECT_NE(first_fault({}, command_line).find("node.front_door"), std::string::npos);
  command_line.insecure = true;
  EXPECT_EQ(first_fault({}, command_line), "");
}

TEST(NodeConfig, refuses_events_beyond_loopback_without_a_word) {
  NodeSettings command_line;
  command_line.events = "tcp://0.0.0.0:7612";
  EXPECT_NE(first_fault({}, command_line).find("node.events"), std::string::npos);
}

TEST(NodeConfig, refuses_a_worker_without_queues_or_handlers) {
  ConfigFile file = worker_file();
  file.worker.queues.clear();
  EXPECT_NE(first_fault(file, {}).find("worker.queues"), std::string::npos);
  file = worker_file();
  file.worker.handlers.clear();
  EXPECT_NE(first_fault(file, {}).find("worker.handlers"), std::string::npos);
}

TEST(NodeConfig, refuses_a_handler_without_a_command) {
  ConfigFile file = worker_file();
  file.worker.handlers["h"].command.clear();
  EXPECT_NE(first_fault(file, {}).find("worker.handlers.h.command"), std::string::npos);
}

TEST(Endpoint, is_tcp_with_host_and_port_or_ipc_with_a_path) {
  for (const char* good :
       {"tcp://127.0.0.1:7611", "tcp://db.example.org:1", "tcp://[::1]:65535", "ipc:///run/stint"}) {
    EXPECT_TRUE(check_connect_endpoint(good).ok()) << good;
  }
  for (const char* bad : {"", "127.0.0.1:7611", "tcp://", "tcp://:7611", "tcp://host", "tcp://host:",
                          "tcp://host:0", "tcp://host:65536", "tcp://host:1x", "tcp://a b:1", "tcp://[::1:1",
                          "ipc://", "inproc://x", "http://host:1", "tcp://host:-1", "tcp://host:+1"}) {
    EXPECT_FALSE(check_connect_endpoint(bad).ok()) << bad;
  }
}

TEST(Endpoint, may_be_any_address_only_to_listen_at) {
  EXPECT_TRUE(check_listen_endpoint("tcp://*:7611").ok());
  EXPECT_FALSE(check_connect_endpoint("tcp://*:7611").ok());
}

TEST(Endpoint, to_listen_at_is_an_address_or_an_interface_and_no_name_of_a_host) {
  for (const char* good :
       {"tcp://127.0.0.1:1", "tcp://0.0.0.0:1", "tcp://[::1]:1", "tcp://lo:1", "ipc://x"}) {
    EXPECT_TRUE(check_listen_endpoint(good).ok()) << good;
  }
  for (const char* bad : {"tcp://localhost:1", "tcp://db.example.org:1", "tcp://no_such_interface:1",
                          "tcp://[:1", "tcp://300.0.0.1:1", "tcp://[127.0.0.1]:1"}) {
    const Status checked = check_listen_endpoint(bad);
    ASSERT_FALSE(checked.ok()) << bad;
    EXPECT_NE(checked.error().message.find("expected an address or a network interface"), std::string::npos);
  }
}

TEST(Endpoint, is_loopback_when_only_this_machine_reaches_it) {
  for (const char* near : {"tcp://127.0.0.1:1", "tcp://127.9.9.9:1", "tcp://localhost:1", "tcp://lo:1",
                           "tcp://[::1]:1", "ipc://x"}) {
    EXPECT_TRUE(is_loopback(near)) << near;
  }
  for (const char* far :
       {"tcp://*:1", "tcp://0.0.0.0:1", "tcp://10.0.0.1:1", "tcp://127.example.org:1", "tcp://[::]:1"}) {
    EXPECT_FALSE(is_loopback(far)) << far;
  }
}

}  // namespace
}  // namespace stint
