// A config file as a node takes it: all that is wrong with it in one go.
#include <gtest/gtest.h>

#include "nodes/config/read_config.hpp"
#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

ConfigFaults faults_of(const std::string& toml) {
  const TemporaryFile file(toml);
  const auto config = load_config(file.path(), NodeSettings{});
  return config ? ConfigFaults{} : config.error();
}

bool names(const ConfigFaults& faults, std::string_view key) {
  for (const ConfigFault& fault : faults) {
    if (fault.key == key) return true;
  }
  return false;
}

TEST(LoadConfig, names_what_cannot_be_read_and_what_does_not_go_together_in_one_go) {
  const ConfigFaults faults = faults_of(R"(
[node]
nmae = "x"
log_level = "loud"
front_door = "tcp://0.0.0.0:7611"
events = "tcp://0.0.0.0:7611"
[queues.email]
batch_max = 0
)");
  for (const char* key :
       {"node.nmae", "node.log_level", "queues.email.batch_max", "node.front_door", "node.events"}) {
    EXPECT_TRUE(names(faults, key)) << key;
  }
}

TEST(LoadConfig, does_not_miss_what_could_not_be_read) {
  const ConfigFaults faults = faults_of(R"(
[node]
roles = ["storage", "limiter", "worker"]
[worker]
queues = { email = 0 }
handlers = 5
)");
  EXPECT_EQ(faults.size(), 2U);
  EXPECT_FALSE(names(faults, "worker.queues"));
}

TEST(LoadConfig, does_not_guess_what_a_node_needs_whose_roles_cannot_be_read) {
  const ConfigFaults faults = faults_of("[node]\nroles = [\"cook\"]\nevents = \"tcp://0.0.0.0:7612\"\n");
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].key, "node.roles");
}

TEST(LoadConfig, gives_a_sound_file_with_what_the_command_line_adds) {
  const TemporaryFile file("[node]\nname = \"a\"\n");
  NodeSettings settings;
  settings.name = "b";
  const auto config = load_config(file.path(), settings);
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->name, "b");
}

}  // namespace
}  // namespace stint
