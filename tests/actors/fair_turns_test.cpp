#include "actors/limits/fair_turns.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>

#include "tests/actors/spans.hpp"

namespace stint {
namespace {

const Instant now = test::at_seconds(1000);

TEST(FairTurns, let_a_queue_take_the_room_that_no_other_waits_for_rule_L11) {
  FairTurns turns;
  EXPECT_EQ(turns.kept_for_others("a", now), std::nullopt);
  turns.served("a");
  EXPECT_EQ(turns.kept_for_others("a", now), std::nullopt);
}

TEST(FairTurns, keep_room_for_the_queue_that_was_served_longest_ago_rule_L11) {
  FairTurns turns;
  turns.served("a");
  turns.wait("b");
  EXPECT_EQ(turns.kept_for_others("a", now), FairTurns::offer);
  EXPECT_EQ(turns.kept_for_others("b", now), std::nullopt);
  turns.served("b");
  EXPECT_EQ(turns.kept_for_others("a", now), std::nullopt);
  turns.served("a");
  turns.wait("b");
  EXPECT_EQ(turns.kept_for_others("a", now), FairTurns::offer) << "now it is the other one's turn again";
}

TEST(FairTurns, keep_it_no_longer_than_the_offer_lasts_rule_L11) {
  FairTurns turns;
  turns.served("a");
  turns.wait("b");
  turns.kept_for_others("a", now);
  EXPECT_EQ(turns.kept_for_others("a", now + from_ms(5)), FairTurns::offer - from_ms(5));
  EXPECT_EQ(turns.kept_for_others("a", now + FairTurns::offer), std::nullopt);
  turns.served("a");
  EXPECT_EQ(turns.kept_for_others("a", now + FairTurns::offer), std::nullopt) << "b does not wait any more";
}

TEST(FairTurns, offer_it_to_each_of_those_that_wait_in_turn_rule_L11) {
  FairTurns turns;
  for (const char* queue : {"a", "b", "c"}) turns.served(queue);
  turns.wait("a");
  turns.wait("b");
  EXPECT_TRUE(turns.kept_for_others("c", now));
  EXPECT_TRUE(turns.kept_for_others("b", now)) << "a was served before it";
  EXPECT_FALSE(turns.kept_for_others("a", now));
  EXPECT_TRUE(turns.kept_for_others("c", now + FairTurns::offer)) << "then it is b's";
  EXPECT_FALSE(turns.kept_for_others("b", now + FairTurns::offer));
  EXPECT_FALSE(turns.kept_for_others("c", now + 2 * FairTurns::offer));
}

// Three queues that always have jobs ask in an order that favours one; each gets its share.
TEST(FairTurns, serve_queues_that_always_wait_equally_often_rule_L11) {
  FairTurns turns;
  std::map<std::string, int> served;
  for (int room = 0; room < 3'000; ++room) {
    bool taken = false;
    for (const char* queue : {"a", "b", "a", "c", "a", "b"}) {
      if (taken) {
        turns.wait(queue);
      } else if (!turns.kept_for_others(queue, now)) {
        turns.served(queue);
        ++served[queue];
        taken = true;
      }
    }
    EXPECT_TRUE(taken);
  }
  for (const auto& [queue, times] : served) EXPECT_NEAR(times, 1'000, 2) << queue;
}

TEST(FairTurns, let_room_pass_after_the_offers_however_many_queues_have_gone) {
  FairTurns turns;
  turns.served("a");
  for (int queue = 0; queue < 50; ++queue) turns.wait("gone" + std::to_string(queue));
  Instant then = now;
  int offers = 0;
  for (auto kept = turns.kept_for_others("a", then); kept; kept = turns.kept_for_others("a", then)) {
    then += *kept;
    ++offers;
  }
  EXPECT_EQ(offers, 50);
  EXPECT_EQ(turns.kept_for_others("a", then), std::nullopt);
}

}  // namespace
}  // namespace stint
