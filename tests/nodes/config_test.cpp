#include <gtest/gtest.h>

#include "nodes/config/read_config.hpp"
#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

// All faults of a config as their lines, joined.
std::string faults_of(std::string_view toml) {
  const auto parsed = parse_config(toml, "s.toml");
  std::string text;
  if (parsed) return text;
  for (const ConfigFault& fault : parsed.error()) text += to_string(fault) + "\n";
  return text;
}

TEST(Config, gives_every_key_of_the_documentation_its_meaning) {
  const auto file = parse_config(R"(
[node]
name = "server-1"
roles = ["storage", "limiter", "worker"]
front_door = "tcp://127.0.0.1:7700"
events = "tcp://127.0.0.1:7701"
log_level = "debug"
insecure = true
[storage]
file = "jobs.db"
[bounds]
payload_bytes = 2000
jobs_per_request = 10
[defaults]
max_attempts = 7
backoff = { first = "2s", factor = 3, cap = "1h", jitter = 0.5 }
lease = "15s"
keep_dead = "10d"
[queues.email]
batch_max = 50
[worker]
server = ["tcp://10.0.0.1:7611", "tcp://10.0.0.2:7611"]
queues = { email = 10, default = 4 }
grace = "5s"
[worker.handlers.send_email]
command = ["python3", "send_email.py"]
timeout = "30s"
)",
                                 "s.toml");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->node.name, "server-1");
  EXPECT_TRUE(file->node.roles->worker);
  EXPECT_EQ(file->node.front_door, "tcp://127.0.0.1:7700");
  EXPECT_EQ(file->node.events, "tcp://127.0.0.1:7701");
  EXPECT_EQ(file->node.log_level, "debug");
  EXPECT_EQ(file->node.insecure, true);
  EXPECT_EQ(file->node.database, "jobs.db");
  EXPECT_EQ(file->bounds.payload_bytes, 2000);
  EXPECT_EQ(file->bounds.jobs_per_request, 10);
  EXPECT_EQ(file->defaults.max_attempts, 7);
  EXPECT_EQ(file->defaults.backoff_first_ms, 2'000);
  EXPECT_EQ(file->defaults.backoff_factor, 3.0);
  EXPECT_EQ(file->defaults.backoff_cap_ms, 3'600'000);
  EXPECT_EQ(file->defaults.backoff_jitter, 0.5);
  EXPECT_EQ(file->defaults.lease_ms, 15'000);
  EXPECT_EQ(file->defaults.keep_dead_ms, 10LL * 86'400'000);
  EXPECT_EQ(file->queues.at("email").batch_max, 50);
  EXPECT_EQ(file->worker.servers.size(), 2U);
  EXPECT_EQ(file->worker.queues.at("email"), 10);
  EXPECT_EQ(file->worker.grace_ms, 5'000);
  EXPECT_EQ(file->worker.handlers.at("send_email").command.size(), 2U);
  EXPECT_EQ(file->worker.handlers.at("send_email").timeout_ms, 30'000);
}

TEST(Config, keeps_the_defaults_of_what_it_does_not_name) {
  const auto file = parse_config("", "s.toml");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->defaults.max_attempts, Defaults{}.max_attempts);
  EXPECT_EQ(file->bounds.payload_bytes, Bounds{}.payload_bytes);
}

TEST(Config, takes_the_backoff_that_a_job_may_have) {
  const auto file = parse_config("[defaults]\nbackoff = { factor = 1e6 }\n", "s.toml");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->defaults.backoff_factor, Bounds::backoff_factor);
}

TEST(ConfigFault, names_file_line_key_value_and_what_was_expected) {
  EXPECT_EQ(faults_of("[queues.email]\nbatch_max = -3\n"),
            "s.toml:2: queues.email.batch_max = -3: expected a whole number from 1 to 1000\n");
}

TEST(ConfigFault, names_an_unknown_key_and_the_known_ones) {
  const std::string faults = faults_of("[storage]\nflie = \"x.db\"\n");
  EXPECT_EQ(faults, "s.toml:2: storage.flie: unknown key; expected one of: file\n");
}

TEST(ConfigFault, names_an_unknown_table) {
  EXPECT_NE(faults_of("[nodes]\nname = \"x\"\n").find("s.toml:1: nodes: unknown key"), std::string::npos);
}

TEST(ConfigFault, is_told_for_each_fault_of_a_file_in_the_order_of_its_lines) {
  const std::string faults =
      faults_of("[node]\nnaem = 1\nroles = [\"storage\", \"king\"]\n[defaults]\nlease = 30\n");
  EXPECT_EQ(
      faults,
      "s.toml:2: node.naem: unknown key; expected one of: name, roles, front_door, events, log_level, "
      "insecure\n"
      "s.toml:3: node.roles = \"king\": expected one of storage, limiter, worker\n"
      "s.toml:5: defaults.lease = 30: expected a duration in quotes, like \"250ms\", \"10s\" or \"5m\"\n");
}

struct BadValue {
  const char* toml;
  const char* fault;  // a part of what is told
};

void PrintTo(const BadValue& bad, std::ostream* out) { *out << bad.toml; }

class ConfigValue : public testing::TestWithParam<BadValue> {};

TEST_P(ConfigValue, that_is_wrong_is_refused) {
  EXPECT_NE(faults_of(GetParam().toml).find(GetParam().fault), std::string::npos)
      << GetParam().toml << "\ngave: " << faults_of(GetParam().toml);
}

INSTANTIATE_TEST_SUITE_P(
    OfEveryKind, ConfigValue,
    testing::Values(
        BadValue{"[node]\nname = 5", "node.name = 5: expected a text in quotes"},
        BadValue{"[node]\nname = \"a b\"", "node.name = \"a b\": expected a name"},
        BadValue{"[node]\nname = \"\"", "node.name = \"\": expected a name"},
        BadValue{"[node]\nroles = \"storage\"", "node.roles = \"storage\": expected a list of texts"},
        BadValue{"[node]\nroles = []", "expected a list of texts"},
        BadValue{"[node]\nroles = [1]", "node.roles = 1: expected a text in quotes"},
        BadValue{"[node]\nfront_door = \"7611\"", "expected an endpoint to listen at"},
        BadValue{"[node]\nfront_door = \"tcp://127.0.0.1\"", "expected an endpoint to listen at"},
        BadValue{"[node]\nfront_door = \"tcp://127.0.0.1:70000\"", "expected an endpoint to listen at"},
        BadValue{"[node]\ninsecure = \"yes\"", "node.insecure = \"yes\": expected true or false"},
        BadValue{"[node]\nlog_level = \"loud\"", "expected one of debug, info, warning, error, off"},
        BadValue{"node = 5", "node = 5: expected a table"},
        BadValue{"[storage]\nfile = \"\"", "storage.file = \"\": expected a text that is not empty"},
        BadValue{"[storage]\nfile = 2026-01-31", "storage.file = 2026-01-31: expected a text in quotes"},
        BadValue{"[bounds]\npayload_bytes = 0", "bounds.payload_bytes = 0: expected a whole number from 1"},
        BadValue{"[bounds]\npayload_bytes = 1.5", "expected a whole number from 1"},
        BadValue{"[bounds]\npayload_bytes = \"1MiB\"", "expected a whole number from 1"},
        BadValue{"[bounds]\nbatch_max = 1001", "expected a whole number from 1 to 1000"},
        BadValue{"[defaults]\nbackoff = { factor = nan }",
                 "defaults.backoff.factor = nan: expected a number from 1 to 1000000"},
        BadValue{"[defaults]\nbackoff = { factor = inf }",
                 "defaults.backoff.factor = inf: expected a number"},
        BadValue{"[defaults]\nbackoff = { jitter = -0.1 }",
                 "defaults.backoff.jitter = -0.1: expected a number from 0 to 1"},
        BadValue{"[defaults]\nbackoff = { jitter = 2.0 }", "jitter = 2.0: expected a number"},
        BadValue{"[defaults]\nbackoff = { factor = 1000001 }", "expected a number from 1 to 1000000"},
        BadValue{"[node]\nfront_door = \"tcp://localhost:7611\"",
                 "node.front_door = \"tcp://localhost:7611\": expected an endpoint to listen at: an address"},
        BadValue{"[defaults]\nbackoff = { frist = \"1s\" }", "defaults.backoff.frist: unknown key"},
        BadValue{"[defaults]\nlease = \"30\"", "defaults.lease = \"30\": expected a duration like"},
        BadValue{"[defaults]\nlease = \"1ms\"", "expected a duration from 100ms to 1d"},
        BadValue{"[defaults]\nwait = \"2m\"", "expected a duration from 0s to 1m"},
        BadValue{"[queues.\"a b\"]\nbatch_max = 1", "queues.\"a b\": expected a queue name"},
        BadValue{"[queues]\nemail = 5", "queues.email = 5: expected a table"},
        BadValue{"[worker]\nserver = \"tcp://a:1\"", "expected a list of texts"},
        BadValue{"[worker]\nserver = [\"tcp://*:7611\"]", "expected an endpoint to connect to"},
        BadValue{"[worker]\nqueues = { email = 0 }",
                 "worker.queues.email = 0: expected a whole number from 1 to 10000"},
        BadValue{"[worker]\nqueues = [\"email\"]", "expected a table"},
        BadValue{"[worker.handlers.\"a=b\"]\ncommand = [\"x\"]",
                 "worker.handlers.\"a=b\": expected a handler name"},
        BadValue{"[worker.handlers.a]\ncommand = \"x y\"",
                 "worker.handlers.a.command = \"x y\": expected a list of texts"},
        BadValue{"[worker.handlers.a]\ncommand = []", "expected a list of texts"},
        BadValue{"[node", "not TOML"}, BadValue{"a = 1\na = 2", "s.toml:2: not TOML"}));

TEST(ConfigFile, that_cannot_be_opened_is_named) {
  const auto file = read_config("/nonexistent/stint.toml");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(to_string(file.error().front()),
            "/nonexistent/stint.toml: cannot be opened: No such file or directory");
}

TEST(ConfigFile, that_is_a_folder_is_refused) { EXPECT_FALSE(read_config("/tmp").ok()); }

TEST(ConfigFile, that_is_huge_is_refused) {
  const TemporaryFile file(std::string((1 << 20) + 1, '#'));
  EXPECT_FALSE(read_config(file.path()).ok());
}

TEST(ConfigFile, that_is_empty_is_a_config) {
  const TemporaryFile file("");
  EXPECT_TRUE(read_config(file.path()).ok());
}

}  // namespace
}  // namespace stint
