// The limits, shares of workers and clusters of a config file.
#include <cmath>
#include <gtest/gtest.h>

#include "nodes/config/limit_text.hpp"
#include "nodes/config/read_config.hpp"

namespace stint {
namespace {

ConfigFile parsed(std::string_view toml) {
  const auto file = parse_config(toml, "s.toml");
  if (file) return *file;
  ADD_FAILURE() << to_string(file.error().front());
  return {};
}

std::string faults_of(std::string_view toml) {
  const auto file = parse_config(toml, "s.toml");
  std::string text;
  if (file) return text;
  for (const ConfigFault& fault : file.error()) text += to_string(fault) + "\n";
  return text;
}

TEST(ConfigOfAQueue, holds_its_limit) {
  const ConfigFile file =
      parsed("[queues.email]\nrate = 10.0\nburst = 20\nmax_running = 50\nbatch_max = 100\n");
  const QueueConfig& queue = file.queues.at("email");
  ASSERT_TRUE(queue.limit);
  EXPECT_EQ(queue.limit->rate, 10.0);
  EXPECT_EQ(queue.limit->burst, 20);
  EXPECT_EQ(queue.limit->max_running, 50);
  EXPECT_EQ(queue.batch_max, 100);
}

TEST(ConfigOfAQueue, names_every_faulty_part_of_its_limit) {
  const std::string faults = faults_of("[queues.q]\nrate = -1\nburst = -2\nmax_running = 0\nbatch_max = 0\n");
  for (const char* key :
       {"queues.q.rate = -1", "queues.q.burst = -2", "queues.q.max_running = 0", "queues.q.batch_max = 0"}) {
    EXPECT_NE(faults.find(key), std::string::npos) << key << "\n" << faults;
  }
}

TEST(ConfigOfAHandler, names_every_faulty_part_of_its_limit) {
  const std::string faults =
      faults_of("[handlers.h]\nmax = 0\nwindow = \"0s\"\nmax_running = -1\ncount = \"odd\"\n");
  for (const char* key : {"handlers.h.max = 0", "handlers.h.window = \"0s\"", "handlers.h.max_running = -1",
                          "handlers.h.count = \"odd\""}) {
    EXPECT_NE(faults.find(key), std::string::npos) << key << "\n" << faults;
  }
}

TEST(ConfigOfAHandler, is_not_told_that_something_is_missing_which_could_not_be_read) {
  const std::string faults = faults_of("[handlers.h]\nmax = 6\nwindow = 60\n");
  EXPECT_NE(faults.find("handlers.h.window = 60"), std::string::npos) << faults;
  EXPECT_EQ(faults.find("required"), std::string::npos) << faults;
}

TEST(ConfigOfAQueue, has_no_limit_unless_it_names_one) {
  EXPECT_FALSE(parsed("[queues.email]\nbatch_max = 100\n").queues.at("email").limit);
}

TEST(ConfigOfAQueue, gives_a_rate_as_a_number_or_a_text) {
  const auto rate = [](const std::string& written) {
    return parsed("[queues.q]\nrate = " + written).queues.at("q").limit.value_or(Limit{}).rate;
  };
  EXPECT_EQ(rate("10"), 10.0);
  EXPECT_EQ(rate("0.5"), 0.5);
  EXPECT_EQ(rate("\"10\""), 10.0);
  EXPECT_EQ(rate("\"5/m\""), 5.0 / 60);
  EXPECT_EQ(rate("\"100/h\""), 100.0 / 3'600);
}

TEST(ConfigOfAQueue, lifts_its_limits_with_unlimited) {
  EXPECT_TRUE(parsed("[queues.q]\nunlimited = true").queues.at("q").limit->unlimited);
}

TEST(ConfigOfAHandler, holds_its_limit) {
  const ConfigFile file = parsed(
      "[handlers.send_email]\nmax = 60\nwindow = \"60s\"\ncount = \"started\"\nmax_running = 5\n"
      "[handlers.free]\nunlimited = true\n");
  const Limit& limit = file.handlers.at("send_email");
  EXPECT_EQ(limit.max, 60);
  EXPECT_EQ(limit.window_ms, 60'000);
  EXPECT_EQ(limit.count, CountPolicy::started);
  EXPECT_EQ(limit.max_running, 5);
  EXPECT_TRUE(file.handlers.at("free").unlimited);
}

TEST(ConfigOfAWorker, declares_limits_of_its_handlers) {
  const ConfigFile file = parsed(
      "[worker.handlers.a]\ncommand = [\"x\"]\nlimit = { max = 60, window = \"1m\", count = \"completed\" }\n"
      "max_running = 20\n"
      "[worker.handlers.b]\ncommand = [\"x\"]\nmax_running = 3\n"
      "[worker.handlers.c]\ncommand = [\"x\"]\n");
  const auto& handlers = file.worker.handlers;
  EXPECT_EQ(handlers.at("a").limit->max, 60);
  EXPECT_EQ(handlers.at("a").limit->window_ms, 60'000);
  EXPECT_EQ(handlers.at("a").limit->max_running, 20);
  EXPECT_EQ(handlers.at("b").limit->max_running, 3);
  EXPECT_FALSE(handlers.at("b").limit->max);
  EXPECT_FALSE(handlers.at("c").limit);
}

TEST(ConfigOfAWorker, has_permits_or_shares) {
  EXPECT_EQ(parsed("[worker]\nqueues = { email = 10 }").worker.queues.at("email"), 10);
  const ConfigFile weighted = parsed(
      "[worker]\nworkers = 20\nqueues = { email = { min = 2, weight = 3 }, default = { weight = 1 } }");
  EXPECT_EQ(weighted.worker.workers, 20);
  EXPECT_EQ(weighted.worker.shares.at("email"), (QueueShare{.min = 2, .weight = 3}));
  EXPECT_EQ(weighted.worker.shares.at("default"), (QueueShare{.min = 0, .weight = 1}));
  EXPECT_TRUE(weighted.worker.queues.empty());
}

TEST(ConfigOfACluster, names_its_nodes) {
  const ConfigFile file = parsed(
      "[cluster]\nstorage = \"tcp://10.0.0.1:7611\"\n"
      "limiters = { limiter-1 = \"tcp://10.0.0.2:7611\", limiter-2 = \"tcp://db.example.org:7611\" }\n");
  EXPECT_EQ(file.cluster.storage, "tcp://10.0.0.1:7611");
  EXPECT_EQ(file.cluster.limiters.at("limiter-1"), "tcp://10.0.0.2:7611");
  EXPECT_EQ(file.cluster.limiters.at("limiter-2"), "tcp://db.example.org:7611");
}

struct BadLimit {
  const char* toml;
  const char* fault;
};

void PrintTo(const BadLimit& bad, std::ostream* out) { *out << bad.toml; }

class ConfigLimit : public testing::TestWithParam<BadLimit> {};

TEST_P(ConfigLimit, that_nobody_may_set_is_refused_with_its_key_value_and_what_was_expected) {
  EXPECT_EQ(faults_of(GetParam().toml).find(GetParam().fault), 0U)
      << GetParam().toml << "\ngave: " << faults_of(GetParam().toml);
}

INSTANTIATE_TEST_SUITE_P(
    OfEveryKind, ConfigLimit,
    testing::Values(
        BadLimit{"[queues.q]\nrate = 0", "s.toml:2: queues.q.rate = 0: must be a number above 0"},
        BadLimit{"[queues.q]\nrate = -1.5", "s.toml:2: queues.q.rate = -1.5: must be a number above 0"},
        BadLimit{"[queues.q]\nrate = nan", "s.toml:2: queues.q.rate = nan: must be a number above 0"},
        BadLimit{"[queues.q]\nrate = inf", "s.toml:2: queues.q.rate = inf: must be a number above 0"},
        BadLimit{"[queues.q]\nrate = 1000001", "s.toml:2: queues.q.rate = 1000001: must be a number"},
        BadLimit{"[queues.q]\nrate = \"5/w\"", "s.toml:2: queues.q.rate = \"5/w\": expected starts a second"},
        BadLimit{"[queues.q]\nrate = \"nan\"", "s.toml:2: queues.q.rate = \"nan\": must be a number"},
        BadLimit{"[queues.q]\nrate = true", "s.toml:2: queues.q.rate = true: expected starts a second"},
        BadLimit{"[queues.q]\nrate = 1\nburst = -1", "s.toml:3: queues.q.burst = -1: must be 0 to 1000000"},
        BadLimit{"[queues.q]\nrate = 1\nburst = 1.5", "s.toml:3: queues.q.burst = 1.5: expected a whole"},
        BadLimit{"[queues.q]\nburst = 20", "s.toml:2: queues.q.burst = 20: needs a rate"},
        BadLimit{"[queues.q]\nmax_running = 0", "s.toml:2: queues.q.max_running = 0: must be 1 to 1000000"},
        BadLimit{"[queues.q]\nmax = 60", "s.toml:2: queues.q.max: unknown key; expected one of"},
        BadLimit{"[queues.q]\nrate = 1\nunlimited = true",
                 "s.toml:3: queues.q.unlimited = true: lifts every limit"},
        BadLimit{"[queues.q]\nunlimited = false", "s.toml:2: queues.q: needs rate, max_running or unlimited"},
        BadLimit{"[handlers.h]\nmax = 0\nwindow = \"1s\"", "s.toml:2: handlers.h.max = 0: must be 1 to"},
        BadLimit{"[handlers.h]\nmax = 60", "s.toml:2: handlers.h.window: is required with max"},
        BadLimit{"[handlers.h]\nwindow = \"60s\"", "s.toml:2: handlers.h.max: is required with window"},
        BadLimit{"[handlers.h]\nmax = 60\nwindow = 60", "s.toml:3: handlers.h.window = 60: expected a dur"},
        BadLimit{"[handlers.h]\nmax = 60\nwindow = \"0s\"",
                 "s.toml:3: handlers.h.window = \"0s\": must be 1"},
        BadLimit{"[handlers.h]\nmax = 60\nwindow = \"367d\"", "s.toml:3: handlers.h.window = \"367d\": must"},
        BadLimit{"[handlers.h]\nmax = 1\nwindow = \"1s\"\ncount = \"all\"",
                 "s.toml:4: handlers.h.count = \"all\": expected completed or started"},
        BadLimit{"[handlers.h]\nmax_running = 1\nrate = 5",
                 "s.toml:3: handlers.h.rate: unknown key; expected"},
        BadLimit{"[handlers.h]\n", "s.toml: handlers.h: needs max and window, max_running or unlimited"},
        BadLimit{"[worker.handlers.h]\nlimit = { max = 1 }", "s.toml:2: worker.handlers.h.limit.window: is"},
        BadLimit{"[worker.handlers.h]\nlimit = { max = -1, window = \"1s\" }",
                 "s.toml:2: worker.handlers.h.limit.max = -1: must be 1 to 1000000"},
        BadLimit{"[worker.handlers.h]\nlimit = 60",
                 "s.toml:2: worker.handlers.h.limit = 60: expected a table"},
        BadLimit{"[worker.handlers.h]\nlimit = {}", "s.toml: worker.handlers.h.limit: needs max and window"},
        BadLimit{"[worker.handlers.h]\nmax_running = 0", "s.toml:2: worker.handlers.h.max_running = 0: must"},
        BadLimit{"[worker.handlers.h]\nmax_running = 5\nlimit = { unlimited = true }",
                 "s.toml:3: worker.handlers.h.limit.unlimited = true: lifts every limit"},
        BadLimit{"[worker]\nworkers = 0", "s.toml:2: worker.workers = 0: expected a whole number from 1"},
        BadLimit{"[worker]\nqueues = { q = { min = -1 } }", "s.toml:2: worker.queues.q.min = -1: expected"},
        BadLimit{"[worker]\nqueues = { q = { weight = 0 } }", "s.toml:2: worker.queues.q.weight = 0: exp"},
        BadLimit{"[worker]\nqueues = { q = { wieght = 1 } }", "s.toml:2: worker.queues.q.wieght: unknown"},
        BadLimit{"[cluster]\nlimiters = { a = \"tcp://a:1\" }",
                 "s.toml:2: cluster.storage: expected the end"},
        BadLimit{"[cluster]\nstorage = \"7611\"",
                 "s.toml:2: cluster.storage = \"7611\": expected an endpoint"},
        BadLimit{"[cluster]\nstorage = \"tcp://a:1\"\nlimiters = [\"tcp://a:1\"]",
                 "s.toml:3: cluster.limiters = [ \"tcp://a:1\" ]: expected a table"},
        BadLimit{"[cluster]\nstorage = \"tcp://a:1\"\nlimiters = { \"a b\" = \"tcp://a:1\" }",
                 "s.toml:3: cluster.limiters.\"a b\": expected a name"},
        BadLimit{"[cluster]\nstorage = \"tcp://a:1\"\nlimiters = { a = 5 }",
                 "s.toml:3: cluster.limiters.a = 5: expected a text in quotes"}));

TEST(Rate, is_a_number_a_second_or_with_a_unit) {
  EXPECT_EQ(*parse_rate("10"), 10.0);
  EXPECT_EQ(*parse_rate("0.25"), 0.25);
  EXPECT_EQ(*parse_rate("10/s"), 10.0);
  EXPECT_EQ(*parse_rate("5/m"), 5.0 / 60);
  EXPECT_EQ(*parse_rate("100/h"), 100.0 / 3'600);
  EXPECT_EQ(*parse_rate("1/d"), 1.0 / 86'400);
  for (const char* bad : {"", "x", "/m", "5/", "5/w", "5/min", "5 /m", "+5", "5/m/m", "0x10"}) {
    EXPECT_FALSE(parse_rate(bad).ok()) << bad;
  }
}

TEST(Rate, is_shown_in_the_unit_that_needs_no_fraction) {
  for (const char* written : {"10/s", "1/s", "5/m", "100/h", "1/d", "50000/s"}) {
    EXPECT_EQ(rate_text(*parse_rate(written)), written);
  }
  EXPECT_EQ(rate_text(2.5), "150/m");
  EXPECT_EQ(rate_text(1e-6), "1e-06/s");
}

TEST(Window, is_a_number_and_a_duration) {
  EXPECT_EQ(parse_window("60/60s")->max, 60);
  EXPECT_EQ(parse_window("60/60s")->window_ms, 60'000);
  EXPECT_EQ(parse_window("1/250ms")->window_ms, 250);
  for (const char* bad : {"", "60", "60/", "/60s", "60/60", "60/m", "a/60s", "6.5/60s"}) {
    EXPECT_FALSE(parse_window(bad).ok()) << bad;
  }
}

TEST(LimitText, tells_all_parts_of_a_limit) {
  Limit limit;
  EXPECT_EQ(limit_text(limit), "none");
  limit.rate = 5.0 / 60;
  limit.burst = 2;
  limit.max_running = 3;
  EXPECT_EQ(limit_text(limit), "5/m, burst 2, 3 running");
  limit = *parse_window("60/60s");
  EXPECT_EQ(limit_text(limit), "60/1m");
  limit.count = CountPolicy::started;
  EXPECT_EQ(limit_text(limit), "60/1m of started");
  limit = {};
  limit.unlimited = true;
  EXPECT_EQ(limit_text(limit), "unlimited");
}

}  // namespace
}  // namespace stint
