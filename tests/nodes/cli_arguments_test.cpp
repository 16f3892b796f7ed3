#include <cstdlib>
#include <gtest/gtest.h>

#include "nodes/cli/arguments.hpp"
#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

auto parse(std::vector<const char*> words) {
  words.insert(words.begin(), "stint");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

template <class Kind>
Kind parsed_as(std::vector<const char*> words) {
  const auto parsed = parse(std::move(words));
  EXPECT_TRUE(parsed.ok()) << (parsed ? "" : parsed.error().message);
  if (!parsed) return Kind{};
  return std::get<Kind>(std::get<Command>(*parsed));
}

std::string fault_of(std::vector<const char*> words) {
  const auto parsed = parse(std::move(words));
  if (parsed) return "none";
  EXPECT_EQ(parsed.error().status, ExitStatus::usage);
  return parsed.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Arguments, of_enqueue_make_a_job) {
  const auto command = parsed_as<EnqueueCommand>(
      {"enqueue", "-q", "email", "send", "{\"a\":1}", "--delay", "5s", "--priority", "2", "--max-attempts",
       "3", "--timeout", "30s", "--meta", "k=v=w", "--batch-key", "b", "--count", "7"});
  EXPECT_EQ(command.job.queue, "email");
  EXPECT_EQ(command.job.handler, "send");
  EXPECT_EQ(command.job.payload, (Payload{"{\"a\":1}", true}));
  EXPECT_EQ(command.job.delay_ms, 5'000);
  EXPECT_EQ(command.job.priority, 2);
  EXPECT_EQ(command.job.max_attempts, 3);
  EXPECT_EQ(command.job.timeout_ms, 30'000);
  EXPECT_EQ(command.job.meta, (Meta{{"k", "v=w"}}));
  EXPECT_EQ(command.batch_key, "b");
  EXPECT_EQ(command.count, 7);
}

TEST(Arguments, take_the_ids_of_jobs_that_the_wire_takes) {
  EXPECT_EQ(parsed_as<JobShowCommand>({"job", "show", "9007199254740991"}).id, 9007199254740991);
  EXPECT_TRUE(contains(fault_of({"job", "show", "9007199254740992"}), "from 1 to 9007199254740991"));
  EXPECT_TRUE(contains(fault_of({"job", "retry", "0"}), "from 1 to 9007199254740991"));
}

TEST(Arguments, refuse_to_listen_at_the_name_of_a_host) {
  EXPECT_TRUE(contains(fault_of({"node", "--front-door", "tcp://localhost:7611"}),
                       "expected an address or a network interface of this machine"));
}

TEST(Arguments, leave_a_payload_as_it_was_typed) {
  for (const char* payload : {"[1,2]", "{}", "", "[]", "%%", "a b", "\"x\"", "true"}) {
    const auto command = parsed_as<EnqueueCommand>({"enqueue", "h", payload});
    EXPECT_EQ(command.job.payload.bytes, payload);
    EXPECT_TRUE(command.job.payload.is_text);
  }
  EXPECT_EQ(parsed_as<EnqueueCommand>({"enqueue", "h", "--", "--json"}).job.payload.bytes, "--json");
}

TEST(Arguments, take_meta_with_brackets_as_it_was_typed) {
  EXPECT_EQ(parsed_as<EnqueueCommand>({"enqueue", "h", "--meta", "a=[1,2]", "--meta", "b="}).job.meta,
            (Meta{{"a", "[1,2]"}, {"b", ""}}));
}

TEST(Arguments, without_a_payload_make_an_empty_one_of_bytes) {
  EXPECT_EQ(parsed_as<EnqueueCommand>({"enqueue", "h"}).job.payload, Payload{});
}

TEST(Arguments, of_a_payload_that_is_no_utf_8_make_bytes) {
  EXPECT_FALSE(parsed_as<EnqueueCommand>({"enqueue", "h", "\xff"}).job.payload.is_text);
}

TEST(Arguments, of_enqueue_that_do_not_go_together_are_refused) {
  EXPECT_TRUE(contains(fault_of({"enqueue"}), "HANDLER"));
  EXPECT_TRUE(contains(fault_of({"enqueue", "h", "p", "--file", "x"}), "PAYLOAD"));
  EXPECT_TRUE(contains(fault_of({"enqueue", "--count", "2", "--file", "x"}), "--count"));
  EXPECT_TRUE(contains(fault_of({"enqueue", "h", "--delay", "1s", "--at", "5"}), "--delay"));
  EXPECT_TRUE(contains(fault_of({"enqueue", "a b"}), "handler name"));
  EXPECT_TRUE(contains(fault_of({"enqueue", "h", "-q", "a b"}), "queue name"));
  EXPECT_TRUE(
      contains(fault_of({"enqueue", "h", "--priority", "10"}), "'10' is not a whole number from 0 to 9"));
  EXPECT_TRUE(contains(fault_of({"enqueue", "h", "--meta", "x"}), "key=value"));
  EXPECT_TRUE(contains(fault_of({"enqueue", "h", "--meta", "x=1", "--meta", "x=2"}), "twice"));
}

TEST(Arguments, of_work_make_a_worker) {
  const auto command = parsed_as<WorkCommand>(
      {"work", "--queue", "email:10", "-q", "x:1", "--handler", "send=python3 s.py", "--server", "tcp://a:1",
       "--server", "tcp://b:2", "--name", "w", "--grace", "2s", "--drain", "--max-jobs", "9"});
  EXPECT_EQ(command.worker.queues, (std::map<std::string, std::int64_t>{{"email", 10}, {"x", 1}}));
  EXPECT_EQ(command.worker.handlers.at("send").command, (std::vector<std::string>{"python3", "s.py"}));
  EXPECT_EQ(command.worker.servers, (std::vector<std::string>{"tcp://a:1", "tcp://b:2"}));
  EXPECT_EQ(command.settings.name, "w");
  EXPECT_EQ(command.worker.grace_ms, 2'000);
  EXPECT_TRUE(command.worker.drain);
  EXPECT_FALSE(command.worker.once);
  EXPECT_EQ(command.worker.max_jobs, 9);
  EXPECT_TRUE(command.settings.roles->worker);
  EXPECT_FALSE(command.settings.roles->storage);
}

TEST(Arguments, of_work_that_do_not_go_together_are_refused) {
  EXPECT_TRUE(contains(fault_of({"work"}), "--queue"));
  EXPECT_TRUE(contains(fault_of({"work", "-q", "a"}), "--handler"));
  EXPECT_TRUE(contains(fault_of({"work", "-q", "a", "-q", "a:2", "--handler", "h=c"}), "twice"));
  EXPECT_TRUE(contains(fault_of({"work", "-q", "a", "--handler", "h=c", "--once", "--drain"}), "excludes"));
  EXPECT_TRUE(
      contains(fault_of({"work", "-q", "a", "--handler", "h=c", "--once", "--max-jobs", "2"}), "excludes"));
}

TEST(Arguments, of_node_override_its_file) {
  const auto command = parsed_as<NodeCommand>(
      {"node", "--config", "f.toml", "--role", "storage", "--role", "limiter", "--name", "n", "--front-door",
       "tcp://127.0.0.1:5", "--events", "tcp://127.0.0.1:6", "--db", "x.db", "--insecure"});
  EXPECT_EQ(command.config_file, "f.toml");
  EXPECT_TRUE(command.settings.roles->storage && command.settings.roles->limiter &&
              !command.settings.roles->worker);
  EXPECT_EQ(command.settings.name, "n");
  EXPECT_EQ(command.settings.front_door, "tcp://127.0.0.1:5");
  EXPECT_EQ(command.settings.events, "tcp://127.0.0.1:6");
  EXPECT_EQ(command.settings.database, "x.db");
  EXPECT_EQ(command.settings.insecure, true);
}

TEST(Arguments, find_the_server_by_option_then_environment_then_default) {
  EXPECT_EQ(parsed_as<PingCommand>({"ping"}).client.server.endpoint, "tcp://127.0.0.1:7611");
  setenv("STINT_SERVER", "tcp://env:1", 1);
  EXPECT_EQ(parsed_as<PingCommand>({"ping"}).client.server.endpoint, "tcp://env:1");
  EXPECT_EQ(parsed_as<PingCommand>({"ping", "--server", "tcp://opt:1"}).client.server.endpoint,
            "tcp://opt:1");
  EXPECT_EQ(parsed_as<WorkCommand>({"work", "-q", "a", "--handler", "h=c"}).worker.servers,
            std::vector<std::string>{"tcp://env:1"});
  unsetenv("STINT_SERVER");
}

TEST(Arguments, name_what_is_no_command) {
  EXPECT_TRUE(contains(fault_of({"enqeue", "h"}), "'enqeue' is not a command"));
  EXPECT_TRUE(contains(fault_of({"job", "shwo"}), "'shwo' is not a command; expected one of list, show"));
  EXPECT_TRUE(contains(fault_of({}), "expected one of node, work"));
  EXPECT_TRUE(contains(fault_of({"ping", "--bogus"}), "--bogus"));
}

TEST(Arguments, of_later_versions_are_refused_as_such) {
  const std::vector<std::vector<const char*>> later{{"backup", "stint.bak"},
                                                    {"keygen", "n"},
                                                    {"backup", "f"},
                                                    {"enqueue", "h", "--unique", "k"},
                                                    {"ping", "--key", "f"}};
  for (const auto& words : later) {
    EXPECT_TRUE(contains(fault_of(words), "not in this version of stint"))
        << words.front() << ": " << fault_of(words);
  }
}

TEST(Help, offers_nothing_that_this_version_does_not_do) {
  const ProgramRun help = run_stint({"--help"});
  EXPECT_EQ(help.status, ExitStatus::done);
  EXPECT_EQ(help.err, "");
  for (const char* word :
       {"  node ", "  work ", "  enqueue ", "  job ", "  queue ", "  worker ", "  status ", "  ping ",
        "  limit ", "  handler ", "  tail ", "  config ", "  version ", "Exit status:"}) {
    EXPECT_TRUE(contains(help.out, word)) << word;
  }
  for (const char* word : {"  keygen ", "  backup "}) {
    EXPECT_FALSE(contains(help.out, word)) << word;
  }
  EXPECT_FALSE(contains(run_stint({"enqueue", "--help"}).out, "--unique"));
}

TEST(Help, of_draining_says_when_it_waits_and_when_it_ends) {
  const std::string help = run_stint({"work", "--help"}).out;
  for (const char* word : {"until nothing is ready", "waits where", "scheduled jobs"})
    EXPECT_TRUE(contains(help, word)) << help;
}

TEST(AnUnknownOption, is_named_where_a_command_is_expected) {
  for (const auto& words : {std::vector<std::string>{"--frob"}, {"limit", "--frob"}}) {
    const ProgramRun run = run_stint(words);
    EXPECT_EQ(run.status, ExitStatus::usage);
    EXPECT_TRUE(contains(run.err, "'--frob' is not an option of stint")) << run.err;
  }
}

TEST(Help, of_each_command_has_examples_and_fits_80_columns) {
  const std::vector<std::vector<std::string>> commands{{"node"},
                                                       {"work"},
                                                       {"enqueue"},
                                                       {"job", "list"},
                                                       {"job", "show"},
                                                       {"job", "retry"},
                                                       {"job", "cancel"},
                                                       {"job", "delete"},
                                                       {"queue", "list"},
                                                       {"queue", "show"},
                                                       {"worker", "list"},
                                                       {"status"},
                                                       {"ping"},
                                                       {"config", "check"},
                                                       {"version"},
                                                       {"limit", "set", "queue"},
                                                       {"limit", "set", "handler"},
                                                       {"limit", "show"},
                                                       {"limit", "clear"},
                                                       {"limit", "check"},
                                                       {"queue", "pause"},
                                                       {"queue", "resume"},
                                                       {"handler", "list"},
                                                       {"handler", "show"},
                                                       {"handler", "pause"},
                                                       {"handler", "resume"},
                                                       {"job", "explain"},
                                                       {"tail"},
                                                       {"bench", "throughput"},
                                                       {"bench", "latency"},
                                                       {"bench", "backlog"},
                                                       {"bench", "fanout"},
                                                       {"bench", "limits"},
                                                       {}};
  for (std::vector<std::string> words : commands) {
    words.emplace_back("--help");
    const ProgramRun help = run_stint(words);
    EXPECT_EQ(help.status, ExitStatus::done);
    const bool is_of_all = words.size() == 1;
    EXPECT_TRUE(contains(help.out, is_of_all ? "Commands:" : "Examples:")) << words.front();
    for (std::size_t begin = 0; begin < help.out.size();) {
      const std::size_t end = help.out.find('\n', begin);
      EXPECT_LE(end - begin, 80U) << help.out.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

}  // namespace
}  // namespace stint
