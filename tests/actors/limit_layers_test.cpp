#include "actors/limits/limit_layers.hpp"

#include <gtest/gtest.h>

namespace stint {
namespace {

Limit rate(double per_second) {
  Limit limit;
  limit.rate = per_second;
  return limit;
}
Limit running(std::int64_t max_running) {
  Limit limit;
  limit.max_running = max_running;
  return limit;
}
Limit unlimited() {
  Limit limit;
  limit.unlimited = true;
  return limit;
}

TEST(LimitLayers, without_records_result_in_no_limit) {
  const LimitLayers layers;
  EXPECT_TRUE(layers.empty());
  EXPECT_EQ(layers.result(), std::nullopt);
  EXPECT_EQ(layers.source(), std::nullopt);
}

TEST(LimitLayers, go_operator_config_declaration_enqueue_rule_L8) {
  LimitLayers layers;
  double per_second = 0;
  for (const LimitSource source :
       {LimitSource::enqueue, LimitSource::declared, LimitSource::config, LimitSource::operated}) {
    layers.set(source, rate(++per_second));
    EXPECT_EQ(layers.result(), rate(per_second)) << to_string(source);
    EXPECT_EQ(layers.source(), source);
  }
  for (const LimitSource source : {LimitSource::operated, LimitSource::config, LimitSource::declared}) {
    layers.set(source, std::nullopt);
    EXPECT_EQ(layers.result(), rate(--per_second)) << "without " << to_string(source);
  }
}

TEST(LimitLayers, resolve_the_rate_part_and_max_running_apart_rule_L8) {
  LimitLayers layers;
  layers.set(LimitSource::operated, running(3));
  layers.set(LimitSource::declared, rate(5));
  Limit both = rate(5);
  both.max_running = 3;
  EXPECT_EQ(layers.result(), both);
  EXPECT_EQ(layers.source(), LimitSource::declared) << "who decides on the rate";
  layers.set(LimitSource::declared, std::nullopt);
  EXPECT_EQ(layers.source(), LimitSource::operated);
}

TEST(LimitLayers, take_no_part_of_a_rate_from_another_source_rule_L8) {
  LimitLayers layers;
  Limit with_burst = rate(5);
  with_burst.burst = 50;
  layers.set(LimitSource::config, with_burst);
  layers.set(LimitSource::operated, rate(2));
  EXPECT_EQ(layers.result(), rate(2));
}

TEST(LimitLayers, unlimited_lifts_both_parts_rule_L8) {
  LimitLayers layers;
  Limit both = rate(5);
  both.max_running = 3;
  layers.set(LimitSource::config, both);
  layers.set(LimitSource::operated, unlimited());
  EXPECT_EQ(layers.result(), std::nullopt);
  EXPECT_EQ(layers.source(), LimitSource::operated);
  EXPECT_FALSE(layers.empty());
}

TEST(LimitLayers, unlimited_lifts_nothing_that_a_source_before_it_has_set_rule_L8) {
  LimitLayers layers;
  layers.set(LimitSource::operated, running(3));
  layers.set(LimitSource::declared, unlimited());
  layers.set(LimitSource::enqueue, rate(5));
  EXPECT_EQ(layers.result(), running(3));
}

TEST(LimitLayers, replace_a_record_whole_rule_L8) {
  LimitLayers layers;
  Limit both = rate(5);
  both.max_running = 3;
  layers.set(LimitSource::operated, both);
  layers.set(LimitSource::operated, rate(7));
  EXPECT_EQ(layers.result(), rate(7));
}

}  // namespace
}  // namespace stint
