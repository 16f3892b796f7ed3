#include "nodes/bench/start_times.hpp"

#include <gtest/gtest.h>

namespace stint {

TEST(MostInAny, counts_the_fullest_span_and_leaves_its_end_out) {
  EXPECT_EQ(most_in_any({0, 10, 20, 100, 109, 110}, 10), 2);
  EXPECT_EQ(most_in_any({0, 10, 20, 100, 109, 110}, 11), 3);
  EXPECT_EQ(most_in_any({}, 10), 0);
}

TEST(WorstExcess, is_zero_for_a_full_burst_and_then_one_start_a_token) {
  EXPECT_DOUBLE_EQ(worst_excess({0, 0, 0, 1'000'000, 2'000'000}, 1, 3), 0);
}

TEST(WorstExcess, finds_the_span_with_most_too_many_wherever_it_is) {
  // Two a second with a burst of one: the four starts within a second are two too many, and half a token
  // more.
  EXPECT_DOUBLE_EQ(worst_excess({0, 60'000'000, 60'250'000, 60'500'000, 60'750'000}, 2, 1), 1.5);
}

TEST(WorstExcess, is_below_zero_where_the_burst_was_never_used) {
  EXPECT_LT(worst_excess({0, 10'000'000}, 1, 5), 0);
}

}  // namespace stint
