#include "nodes/bench/bench_figures.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "nodes/bench/bench_basics.hpp"

namespace stint {
namespace {

TEST(TheJsonOfABenchmark, keeps_the_order_of_its_members) {
  EXPECT_EQ(JsonObject().add("b", std::int64_t{7}).add("a", true).add("c", "word").text(),
            R"({"b":7,"a":true,"c":"word"})");
}

TEST(TheJsonOfABenchmark, has_lists_and_objects_in_it) {
  const std::string text = JsonObject()
                               .add("rate", Spread{2.5, 1, 4})
                               .add("rows", std::vector<JsonObject>{JsonObject().add("n", 1.0), JsonObject()})
                               .text();
  EXPECT_EQ(nlohmann::json::parse(text),
            nlohmann::json::parse(R"({"rate":{"median":2.5,"least":1,"most":4},"rows":[{"n":1},{}]})"));
}

TEST(Figures, read_as_people_write_them) {
  EXPECT_EQ(whole_text(1'234'567.4), "1,234,567");
  EXPECT_EQ(range_text({2, 1'000, 3'000}), "1,000-3,000");
  EXPECT_EQ(span_text_of_us(1'534), "1.53 ms");
}

TEST(ALoad, has_a_number_of_jobs_or_a_time_to_end) {
  BenchBasics basics;
  basics.seconds = 2.5;
  EXPECT_EQ(load_of(basics, {}).run_ms, 2'500);
  EXPECT_EQ(load_of(basics, {}).jobs, 0);
  basics.jobs = 7;
  EXPECT_EQ(load_of(basics, {}).run_ms, 0);
  EXPECT_EQ(load_of(basics, {}).jobs, 7);
}

TEST(ABatch, fits_a_message_of_16_mib_or_does_not) {
  EXPECT_TRUE(fits_a_message(1'000, 1'000));
  EXPECT_TRUE(fits_a_message(100, 65'536));
  EXPECT_FALSE(fits_a_message(1'000, 65'536));
}

}  // namespace
}  // namespace stint
