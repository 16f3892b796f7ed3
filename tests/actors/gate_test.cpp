#include "actors/limits/gate.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "tests/actors/spans.hpp"

namespace stint {
namespace {

using std::chrono::seconds;
using test::at_seconds;

constexpr Duration microsecond(1);
const Instant start = at_seconds(1000);

GateRules bucket(double rate, std::int64_t burst) { return {TokenRate{rate, burst}, {}, {}}; }
GateRules window(std::int64_t max, seconds length, CountPolicy count = CountPolicy::completed) {
  return {{}, WindowRule{max, length, count}, {}};
}
GateRules running(std::int64_t max_running) { return {{}, {}, max_running}; }

Gate gate_of(const GateRules& rules) {
  Gate gate;
  gate.change(rules, start);
  return gate;
}

TEST(Gate, without_rules_lets_as_many_start_as_one_likes) {
  const Gate gate;
  EXPECT_EQ(gate.room(start), Gate::no_bound);
  EXPECT_EQ(gate.closed(start), Closed::no);
  EXPECT_EQ(gate.until_room(start), Duration::zero());
}

TEST(Gate, has_the_room_of_the_narrowest_of_its_rules) {
  Gate gate = gate_of({TokenRate{10, 5}, {}, 3});
  EXPECT_EQ(gate.room(start), 3);
  gate.start(2, start);
  EXPECT_EQ(gate.room(start), 1);
  gate.end(true, start);
  gate.end(false, start);
  EXPECT_EQ(gate.room(start), 3) << "three tokens are left";
  gate.start(3, start);
  EXPECT_EQ(gate.closed(start), Closed::running);
  gate.end(true, start);
  EXPECT_EQ(gate.closed(start), Closed::rate);
  EXPECT_EQ(gate.until_room(start), from_ms(100));
}

TEST(Gate, opens_with_the_end_of_a_run_when_as_many_run_as_may_rule_L4) {
  Gate gate = gate_of(running(1));
  gate.start(1, start);
  EXPECT_EQ(gate.room(start), 0);
  EXPECT_EQ(gate.until_room(start), std::nullopt);
  gate.end(false, start);
  EXPECT_EQ(gate.room(start), 1);
}

TEST(Gate, counts_runs_that_were_on_before_it_had_a_rule_rule_L4) {
  Gate gate;
  gate.hold(3);
  gate.change(running(2), start);
  EXPECT_EQ(gate.room(start), 0) << "and not less than none";
  gate.end(true, start);
  EXPECT_EQ(gate.room(start), 0);
  gate.end(true, start);
  EXPECT_EQ(gate.room(start), 1);
}

TEST(Gate, of_completed_holds_a_slot_while_a_run_lasts_and_gives_it_back_when_it_fails_rule_L3) {
  Gate gate = gate_of(window(2, seconds(10)));
  gate.start(2, start);
  EXPECT_EQ(gate.closed(start + seconds(60)), Closed::window) << "a run may last longer than the window";
  EXPECT_EQ(gate.until_room(start), std::nullopt);
  gate.end(false, start + seconds(60));
  EXPECT_EQ(gate.room(start + seconds(60)), 1);
  gate.end(true, start + seconds(61));
  EXPECT_EQ(gate.room(start + seconds(61)), 1);
  EXPECT_EQ(gate.room(start + seconds(71)), 2);
}

TEST(Gate, of_started_counts_each_start_whatever_becomes_of_it_rule_L3) {
  Gate gate = gate_of(window(2, seconds(10), CountPolicy::started));
  gate.start(2, start);
  gate.end(false, start);
  gate.end(true, start);
  EXPECT_EQ(gate.closed(start), Closed::window);
  EXPECT_EQ(gate.until_room(start), seconds(10));
  EXPECT_EQ(gate.room(start + seconds(10)), 2) << "though a run may still be on";
}

TEST(Gate, is_shut_while_it_is_paused_whatever_room_there_is_rule_L5) {
  Gate gate = gate_of(bucket(10, 5));
  gate.pause_until(start + seconds(3));
  EXPECT_EQ(gate.closed(start), Closed::paused);
  EXPECT_EQ(gate.room(start + seconds(3) - microsecond), 0);
  EXPECT_EQ(gate.until_room(start), seconds(3));
  EXPECT_EQ(gate.room(start + seconds(3)), 5);
  EXPECT_EQ(gate.paused_until(start + seconds(3)), std::nullopt);
}

TEST(Gate, keeps_the_later_end_of_two_pauses_and_only_resume_shortens_rule_L5) {
  Gate gate;
  gate.pause_until(start + seconds(5));
  gate.pause_until(start + seconds(3));
  EXPECT_EQ(gate.paused_until(start), start + seconds(5));
  gate.pause_until(Gate::for_ever);
  gate.pause_until(start + seconds(9));
  EXPECT_EQ(gate.until_room(start), std::nullopt);
  gate.resume();
  EXPECT_EQ(gate.room(start), Gate::no_bound);
}

TEST(Gate, says_when_both_its_pause_and_its_bucket_let_one_start) {
  Gate gate = gate_of(bucket(0.1, 1));
  gate.start(1, start);
  gate.pause_until(start + seconds(3));
  EXPECT_EQ(gate.until_room(start), seconds(10));
  gate.pause_until(start + seconds(30));
  EXPECT_EQ(gate.until_room(start), seconds(30));
}

TEST(Gate, counts_what_has_started_from_when_it_left_rule_L1) {
  Gate gate = gate_of(window(2, seconds(10), CountPolicy::started));
  gate.start(1, start);
  gate.stamp(start + seconds(1));
  gate.start(1, start + seconds(2));
  gate.stamp(start + seconds(3));
  EXPECT_EQ(gate.until_room(start + seconds(3)), seconds(8)) << "the first one left in second 1";
  gate.stamp_again(start + seconds(4));
  EXPECT_EQ(gate.room(start + seconds(11)), 1);
  EXPECT_EQ(gate.room(start + seconds(14) - microsecond), 1);
  EXPECT_EQ(gate.room(start + seconds(14)), 2);
}

TEST(Gate, charges_a_batch_that_is_answered_again_as_a_start_but_holds_no_second_slot_rule_L7) {
  Gate of_rate = gate_of(bucket(1, 2));
  of_rate.start(1, start);
  ASSERT_TRUE(of_rate.may_start_again(start));
  of_rate.start_again(1, start);
  EXPECT_EQ(of_rate.running(), 1);
  EXPECT_FALSE(of_rate.may_start_again(start));

  Gate of_slots = gate_of(window(1, seconds(10)));
  of_slots.start(1, start);
  EXPECT_TRUE(of_slots.may_start_again(start)) << "its slot is its own";
  of_slots.pause_until(start + seconds(1));
  EXPECT_FALSE(of_slots.may_start_again(start));
}

TEST(Gate, starts_its_first_bucket_full_and_keeps_its_level_over_a_lift_rule_L9) {
  Gate gate = gate_of(bucket(1, 4));
  EXPECT_EQ(gate.room(start), 4);
  gate.start(4, start);
  gate.change({}, start);
  EXPECT_EQ(gate.room(start), Gate::no_bound);
  gate.start(100, start);
  gate.change(bucket(1, 4), start + seconds(1));
  EXPECT_EQ(gate.room(start + seconds(1)), 1) << "neither full again nor charged for what was free";
}

TEST(Gate, keeps_the_entries_of_a_lifted_window_as_long_as_they_would_have_counted_rule_L9) {
  Gate gate = gate_of(window(2, seconds(10), CountPolicy::started));
  gate.start(2, start);
  gate.change({}, start);
  EXPECT_FALSE(gate.expire(start + seconds(10) - microsecond));
  gate.change(window(2, seconds(10), CountPolicy::started), start + seconds(5));
  EXPECT_EQ(gate.room(start + seconds(5)), 0);
  gate.change({}, start + seconds(5));
  EXPECT_TRUE(gate.expire(start + seconds(10)));
}

TEST(Gate, is_blank_only_when_nothing_of_it_would_matter_to_a_new_one) {
  Gate gate = gate_of(bucket(1, 2));
  EXPECT_FALSE(gate.is_blank(start)) << "it has a rule";
  gate.start(1, start);
  gate.change({}, start);
  EXPECT_FALSE(gate.is_blank(start)) << "a run is on, and a token is spent";
  gate.end(true, start);
  EXPECT_FALSE(gate.is_blank(start)) << "a token is spent";
  EXPECT_TRUE(gate.is_blank(start + seconds(1)));
  gate.pause_until(start + seconds(5));
  EXPECT_FALSE(gate.is_blank(start + seconds(4)));
  EXPECT_TRUE(gate.is_blank(start + seconds(5)));
}

// What a limiter is told must open and close when the ledger's own does, as long as nothing starts or ends.
TEST(Gate, has_copies_that_open_at_the_same_microsecond) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    Gate gate = gate_of(window(1 + below(60), seconds(1 + below(20)), CountPolicy::started));
    Instant now = start;
    for (int turn = 0; turn < 60; ++turn) {
      now += from_ms(1 + below(900));
      const std::int64_t room = gate.room(now);
      if (room == 0) continue;
      gate.start(1 + below(std::min<std::int64_t>(room, 3)), now);
      gate.stamp(now);
    }
    if (below(2)) gate.change(window(1 + below(20), seconds(1 + below(20)), CountPolicy::started), now);
    const GateState told = gate.state();
    ASSERT_LE(told.entries.size(), GateState::most_entries);
    const Gate copy(told);
    ASSERT_EQ(copy.until_room(now), gate.until_room(now)) << "seed " << seed;
    const Instant opens = now + *gate.until_room(now);
    ASSERT_GT(copy.room(opens), 0);
    for (int look = 0; look < 20; ++look) {
      const Instant then = now + from_ms(below(20'000));
      ASSERT_LE(copy.room(then), gate.room(then)) << "a copy never proposes more";
    }
  }
}

}  // namespace
}  // namespace stint
