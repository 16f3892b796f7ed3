#include "nodes/runtime/frame_budget.hpp"

#include <gtest/gtest.h>

namespace stint {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

FrameBudget after_turns(microseconds cost_a_frame, milliseconds commit) {
  FrameBudget budget;
  for (int turn = 0; turn < 500; ++turn) {
    budget.worked(10, 10 * cost_a_frame);
    budget.committed(commit);
  }
  return budget;
}

TEST(FrameBudget, fills_about_four_milliseconds) {
  EXPECT_NEAR(static_cast<double>(after_turns(microseconds(100), milliseconds(1)).frames()), 40, 2);
  EXPECT_NEAR(static_cast<double>(after_turns(microseconds(20), milliseconds(1)).frames()), 200, 10);
}

TEST(FrameBudget, works_as_long_as_a_slow_disk_commits) {
  EXPECT_NEAR(static_cast<double>(after_turns(microseconds(100), milliseconds(8)).frames()), 80, 4);
}

TEST(FrameBudget, never_works_longer_than_ten_milliseconds) {
  EXPECT_NEAR(static_cast<double>(after_turns(microseconds(100), milliseconds(500)).frames()), 100, 4);
}

TEST(FrameBudget, is_bounded_both_ways) {
  EXPECT_EQ(after_turns(microseconds(0), milliseconds(1)).frames(), FrameBudget::most);
  EXPECT_EQ(after_turns(milliseconds(100), milliseconds(1)).frames(), FrameBudget::least);
}

TEST(FrameBudget, shrinks_at_once_when_messages_become_dear) {
  FrameBudget budget = after_turns(microseconds(10), milliseconds(1));

  budget.worked(100, 100 * microseconds(400));

  EXPECT_LT(budget.frames(), 30u);
}

}  // namespace
}  // namespace stint
