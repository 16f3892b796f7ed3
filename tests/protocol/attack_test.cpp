// Bodies made to hurt: they are refused, and cost no memory to speak of.
#include <gtest/gtest.h>

#include "tests/protocol/allocation_meter.hpp"
#include "tests/protocol/body.hpp"
#include "tests/protocol/samples.hpp"

namespace stint::testing {
namespace {

constexpr std::size_t little = 1 << 20;

struct Attempt {
  std::optional<Error> error;
  std::size_t cost = 0;
};

Attempt attack(std::string_view type, const std::string& body) {
  const std::size_t before = bytes_allocated();
  Attempt attempt;
  attempt.error = request_error(type, body);
  attempt.cost = bytes_allocated() - before;
  return attempt;
}

void expect_cheap_refusal(std::string_view type, const std::string& body, ErrorCode code) {
  const Attempt attempt = attack(type, body);
  ASSERT_TRUE(attempt.error);
  EXPECT_EQ(to_string(attempt.error->code), to_string(code)) << attempt.error->message;
  EXPECT_LT(attempt.cost, little);
}

TEST(Attack, by_a_list_that_promises_four_billion_items_is_refused) {
  const std::string list = "\xdd\xff\xff\xff\xff";
  expect_cheap_refusal("enqueue", list, ErrorCode::bad_message);
  expect_cheap_refusal("enqueue", body_with("jobs", list), ErrorCode::bad_message);
  expect_cheap_refusal("enqueue", body_with("unknown", list), ErrorCode::bad_message);
  expect_cheap_refusal("hello", body_with("handlers", "\xdf\xff\xff\xff\xff"), ErrorCode::bad_message);
  expect_cheap_refusal("enqueue", body_with("batch_key", "\xdb\xff\xff\xff\xff"), ErrorCode::bad_message);
  expect_cheap_refusal("goodbye", body_with("session", "\xc6\xff\xff\xff\xff"), ErrorCode::bad_message);
}

TEST(Attack, by_deep_nesting_is_refused) {
  expect_cheap_refusal("ping", body_with("unknown", repeated("\x91", 100'000) + "\xc0"),
                       ErrorCode::too_large);
  expect_cheap_refusal("ping", repeated("\x81\xa1k", 100'000) + "\xc0", ErrorCode::too_large);
  expect_cheap_refusal("ping", body_with("unknown", repeated("\x91", 16 << 20)), ErrorCode::too_large);
}

TEST(Attack, may_nest_16_deep_but_not_17) {
  EXPECT_FALSE(request_error("ping", body_with("unknown", repeated("\x91", 15) + "\xc0")));
  expect_cheap_refusal("ping", body_with("unknown", repeated("\x91", 16) + "\xc0"), ErrorCode::too_large);
}

TEST(Attack, by_sixteen_million_nils_is_refused) {
  const std::size_t items = (16 << 20) - 64;
  expect_cheap_refusal("enqueue", body_with("jobs", packed_list(items) + repeated("\xc0", items)),
                       ErrorCode::too_large);
  expect_cheap_refusal("enqueue", body_with("unknown", packed_list(items) + repeated("\xc0", items)),
                       ErrorCode::too_large);
}

TEST(Attack, may_hold_200000_values_but_no_more) {
  const std::size_t most = 200'000 - 3;  // the body, the key and the list count too
  EXPECT_FALSE(request_error("ping", body_with("unknown", packed_list(most) + repeated("\xc0", most))));
  expect_cheap_refusal("ping", body_with("unknown", packed_list(most + 1) + repeated("\xc0", most + 1)),
                       ErrorCode::too_large);
}

TEST(Attack, by_a_body_over_16_MiB_is_refused) {
  std::string large = body_with("unknown", packed_binary(repeated("x", 16 << 20)));
  expect_cheap_refusal("ping", large, ErrorCode::too_large);
}

TEST(Attack, by_faults_in_every_item_costs_little) {
  const Attempt jobs = attack("enqueue", body_with("jobs", packed_list(1000) + repeated("\xc0", 1000)));
  ASSERT_TRUE(jobs.error);
  EXPECT_EQ(jobs.error->items.size(), 16u);
  EXPECT_LT(jobs.cost, little);
}

TEST(Attack, by_a_key_or_name_of_a_megabyte_is_not_repeated_in_the_error) {
  const std::string name = packed_text(repeated("n", 1 << 20));
  for (const auto& [type, body] :
       {std::pair{"ping", packed_map(1) + name + "\xc1"},
        std::pair{"enqueue", body_with("jobs", packed_list(1) + body_with("handler", name))},
        std::pair{"hello", body_with("handlers", packed_map(1) + name + "\xc0")}}) {
    const Attempt attempt = attack(type, body);
    ASSERT_TRUE(attempt.error);
    EXPECT_LT(attempt.error->field.size() + attempt.error->message.size(), 1000u);
    EXPECT_LT(attempt.cost, little);
  }
}

}  // namespace
}  // namespace stint::testing
