#include <gtest/gtest.h>

#include "nodes/cli/arguments.hpp"

namespace stint {
namespace {

auto parse(std::vector<const char*> words) {
  words.insert(words.begin(), {"stint", "bench"});
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

template <class Kind>
auto options_of(std::vector<const char*> words) {
  const auto parsed = parse(std::move(words));
  EXPECT_TRUE(parsed.ok()) << (parsed ? "" : parsed.error().message);
  return parsed ? std::get<Kind>(std::get<Command>(*parsed)).options : decltype(Kind::options){};
}

std::string fault_of(std::vector<const char*> words) {
  const auto parsed = parse(std::move(words));
  if (parsed) return "none";
  EXPECT_EQ(parsed.error().status, ExitStatus::usage);
  return parsed.error().message;
}

using Numbers = std::vector<std::int64_t>;

TEST(ArgumentsOfBench, make_a_row_of_each_repeated_size) {
  const auto options =
      options_of<BenchThroughputCommand>({"throughput", "--batch", "10", "--batch", "100", "--payload", "0",
                                          "--outstanding", "8", "--outstanding", "64", "--runs", "5"});
  EXPECT_EQ(options.batch, (Numbers{10, 100}));
  EXPECT_EQ(options.payload, (Numbers{0}));
  EXPECT_EQ(options.outstanding, (Numbers{8, 64}));
  EXPECT_EQ(options.basics.runs, 5);
}

TEST(ArgumentsOfBench, have_defaults) {
  const auto options = options_of<BenchThroughputCommand>({"throughput"});
  EXPECT_EQ(options.batch, (Numbers{1, 10, 100, 1'000}));
  EXPECT_EQ(options.payload, (Numbers{100}));
  EXPECT_EQ(options.basics.server, "");
  EXPECT_EQ(options_of<BenchBacklogCommand>({"backlog"}).waiting, (Numbers{0, 1'000'000}));
  EXPECT_EQ(options_of<BenchFanoutCommand>({"fanout"}).connections, (Numbers{1, 16, 256}));
}

TEST(ArgumentsOfBench, take_jobs_or_seconds_but_not_both) {
  const auto counted = options_of<BenchLatencyCommand>({"latency", "--jobs", "2000", "--load", "80"});
  EXPECT_EQ(counted.basics.jobs, 2'000);
  EXPECT_EQ(counted.load_percent, 80);
  EXPECT_EQ(options_of<BenchLatencyCommand>({"latency", "--seconds", "7"}).basics.seconds, 7);
  EXPECT_NE(fault_of({"latency", "--jobs", "2000", "--seconds", "7"}).find("--seconds"), std::string::npos);
}

TEST(ArgumentsOfBench, add_a_row_of_millions_to_those_that_wait) {
  EXPECT_EQ(options_of<BenchBacklogCommand>({"backlog", "--millions", "10"}).waiting,
            (Numbers{0, 1'000'000, 10'000'000}));
  EXPECT_EQ(options_of<BenchBacklogCommand>({"backlog", "--waiting", "0", "--waiting", "50"}).waiting,
            (Numbers{0, 50}));
}

TEST(ArgumentsOfBench, refuse_what_cannot_be_measured) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"throughput", "--batch", "0"},
                                                                 {"throughput", "--batch", "1001"},
                                                                 {"throughput", "--payload", "-1"},
                                                                 {"throughput", "--runs", "0"},
                                                                 {"throughput", "--jobs", "many"},
                                                                 {"throughput", "--server", "nowhere"},
                                                                 {"latency", "--load", "101"},
                                                                 {"fanout", "--connections", "257"}}) {
    EXPECT_NE(fault_of(words).find(words[1]), std::string::npos) << words[1] << " " << words[2];
  }
}

TEST(ArgumentsOfBench, refuse_a_batch_that_fits_into_no_message) {
  EXPECT_NE(fault_of({"backlog", "--batch", "1000", "--payload", "65536"}).find("--payload"),
            std::string::npos);
}

TEST(ArgumentsOfBench, leave_waiting_jobs_on_no_server_of_others) {
  EXPECT_NE(fault_of({"backlog", "--server", "tcp://127.0.0.1:7611"}).find("--server"), std::string::npos);
}

TEST(ALoadDriver, has_an_end) {
  const auto words = [](std::vector<const char*> more) {
    std::vector<const char*> all{"produce",   "--server", "tcp://127.0.0.1:1", "--queue", "q",
                                 "--handler", "h"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  EXPECT_EQ(options_of<BenchProduceCommand>(words({"--run-ms", "100"})).run_ms, 100);
  EXPECT_NE(fault_of(words({})).find("no end"), std::string::npos);
}

}  // namespace
}  // namespace stint
