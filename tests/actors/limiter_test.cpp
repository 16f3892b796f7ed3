// Asks: parked, served, repeated, answered (limits are in limiter_limits_test.cpp).
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/actors/limiter_bench.hpp"

namespace stint {
namespace {

TEST_F(LimiterTest, parks_an_ask_until_a_job_is_ready_and_claims_for_it) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"images", 4}}));
  EXPECT_TRUE(storage.claims.empty());

  ready("images", "resize", 9);

  ASSERT_EQ(storage.claims.size(), 1U);
  EXPECT_EQ(storage.claims[0].session, session(1));
  EXPECT_EQ(storage.claims[0].ask, 1);
  EXPECT_EQ(storage.claims[0].queues, (std::map<std::string, std::int64_t>{{"images", 4}}));
  EXPECT_EQ(storage.claims[0].most, 4);
  EXPECT_EQ(storage.claims[0].askers, (std::vector<Address>{{Place::door, 1}}));
}

TEST_F(LimiterTest, answers_empty_when_the_wait_is_over) {
  open_session(1, {"resize"});
  const auto asked = request(ask(1, 1, {{"images", 4}}, 500));

  pass_ms(499);
  EXPECT_TRUE(answers.empty());
  pass_ms(1);

  ASSERT_NE(empty_batch_for(asked), nullptr);
  EXPECT_EQ(empty_batch_for(asked)->ask, 1);
  EXPECT_EQ(empty_batch_for(asked)->reason, EmptyReason::none);
}

TEST_F(LimiterTest, answers_at_once_when_the_ask_does_not_wait) {
  open_session(1, {"resize"});
  const auto asked = request(ask(1, 1, {{"images", 4}}, 0));
  EXPECT_NE(empty_batch_for(asked), nullptr);
}

TEST_F(LimiterTest, claims_at_once_for_an_ask_that_does_not_wait_when_jobs_are_ready) {
  open_session(1, {"resize"});
  ready("images", "resize", 1);
  request(ask(1, 1, {{"images", 4}}, 0));
  EXPECT_EQ(storage.claims.size(), 1U);
  EXPECT_TRUE(answers.empty());
}

TEST_F(LimiterTest, says_no_permits_when_none_are_offered) {
  open_session(1, {"resize"});
  ready("images", "resize", 1);
  const auto asked = request(ask(1, 1, {{"images", 0}}));
  ASSERT_NE(empty_batch_for(asked), nullptr);
  EXPECT_EQ(empty_batch_for(asked)->reason, EmptyReason::no_permits);
  EXPECT_TRUE(storage.claims.empty());
}

TEST_F(LimiterTest, claims_no_more_than_max_over_all_queues) {
  open_session(1, {"resize"});
  RequestBatch two_queues = ask(1, 1, {{"images", 4}, {"videos", 4}});
  two_queues.max = 5;
  tell(LimiterDelta{epoch, ++sequence, false, {{"images", "resize", 9}, {"videos", "resize", 9}}, {}});

  request(two_queues);

  ASSERT_EQ(storage.claims.size(), 1U);
  EXPECT_EQ(storage.claims[0].queues.size(), 2U);
  EXPECT_EQ(storage.claims[0].most, 5);
}

TEST_F(LimiterTest, claims_only_from_queues_that_have_a_job_the_session_can_run) {
  open_session(1, {"resize"});
  tell(LimiterDelta{epoch, ++sequence, false, {{"images", "resize", 1}, {"videos", "transcode", 9}}, {}});
  request(ask(1, 1, {{"images", 4}, {"videos", 4}}));
  ASSERT_EQ(storage.claims.size(), 1U);
  EXPECT_EQ(storage.claims[0].queues, (std::map<std::string, std::int64_t>{{"images", 4}}));
}

TEST_F(LimiterTest, one_job_wakes_one_ask_the_oldest) {
  open_session(1, {"resize"});
  open_session(2, {"resize"});
  request(ask(1, 1, {{"images", 4}}));
  request(ask(2, 1, {{"images", 4}}));

  ready("images", "resize", 1);
  ASSERT_EQ(storage.claims.size(), 1U);
  EXPECT_EQ(storage.claims[0].session, session(1));

  ready("images", "resize", 0);
  settle(storage.claims[0], 1);
  EXPECT_EQ(storage.claims.size(), 1U);
}

TEST_F(LimiterTest, serves_the_next_oldest_when_jobs_are_left) {
  open_session(1, {"resize"});
  open_session(2, {"resize"});
  request(ask(1, 1, {{"images", 4}}));
  request(ask(2, 1, {{"images", 4}}));
  ready("images", "resize", 5);

  ready("images", "resize", 1);
  settle(storage.claims[0], 4);

  ASSERT_EQ(storage.claims.size(), 2U);
  EXPECT_EQ(storage.claims[1].session, session(2));
}

TEST_F(LimiterTest, passes_over_an_older_ask_that_does_not_serve_the_handler) {
  open_session(1, {"transcode"});
  open_session(2, {"resize"});
  request(ask(1, 1, {{"images", 4}}));
  request(ask(2, 1, {{"images", 4}}));
  ready("images", "resize", 1);
  ASSERT_EQ(storage.claims.size(), 1U);
  EXPECT_EQ(storage.claims[0].session, session(2));
}

TEST_F(LimiterTest, an_ask_that_got_nothing_keeps_its_age) {
  open_session(1, {"resize"});
  open_session(2, {"resize"});
  request(ask(1, 1, {{"images", 4}}));
  ready("images", "resize", 1);
  request(ask(2, 1, {{"images", 4}}));

  ready("images", "resize", 0);
  settle(storage.claims[0], 0);
  ready("images", "resize", 1);

  ASSERT_EQ(storage.claims.size(), 2U);
  EXPECT_EQ(storage.claims[1].session, session(1));
}

TEST_F(LimiterTest, does_not_claim_again_at_once_when_storage_refuses_although_there_is_work) {
  open_session(1, {"resize"});
  open_session(2, {"resize"});
  request(ask(1, 1, {{"images", 4}}));
  ready("images", "resize", 3);
  request(ask(2, 1, {{"images", 4}}));

  settle(storage.claims[0], 0);
  ASSERT_EQ(storage.claims.size(), 2U);
  EXPECT_EQ(storage.claims[1].session, session(2)) << "another session may well get what is there";
  settle(storage.claims[1], 0);
  EXPECT_EQ(storage.claims.size(), 2U);

  pass_ms(1'000);
  ASSERT_GE(storage.claims.size(), 3U);
  EXPECT_EQ(storage.claims[2].session, session(1));
}

TEST_F(LimiterTest, rule_L12_claims_a_queue_again_only_when_it_has_seen_the_lanes_the_last_claim_left) {
  open_session(1, {"resize"});
  open_session(2, {"resize"});
  request(ask(1, 1, {{"images", 4}}));
  request(ask(2, 1, {{"images", 4}}));
  ready("images", "resize", 4);

  tell(Claimed{storage.claims[0].claim, 4, epoch, sequence + 1});
  EXPECT_EQ(storage.claims.size(), 1U) << "the four jobs seem to be ready, but they are gone";
  ready("images", "resize", 0);
  EXPECT_EQ(storage.claims.size(), 1U);

  ready("images", "resize", 1);
  EXPECT_EQ(storage.claims.size(), 2U);
}

TEST_F(LimiterTest, a_claim_on_its_way_blocks_no_other_queue) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"images", 4}}));
  request(ask(1, 2, {{"videos", 4}}));
  ready("images", "resize", 4);
  ready("videos", "resize", 4);
  EXPECT_EQ(storage.claims.size(), 2U);
}

TEST_F(LimiterTest, an_ask_that_does_not_wait_is_answered_only_when_the_claim_before_it_is_settled) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"images", 1}}));
  ready("images", "resize", 2);
  const auto asked = request(ask(1, 2, {{"images", 1}}, 0));
  pass_ms(50);
  EXPECT_EQ(empty_batch_for(asked), nullptr);

  ready("images", "resize", 1);
  settle(storage.claims[0], 1);

  ASSERT_EQ(storage.claims.size(), 2U);
  EXPECT_EQ(storage.claims[1].ask, 2);
}

TEST_F(LimiterTest, has_storage_check_an_ask_of_a_session_it_has_not_met) {
  request(ask(1, 7, {{"images", 4}}));
  ASSERT_EQ(storage.checks.size(), 1U);
  EXPECT_EQ(storage.checks[0].ask.ask, 7);
  EXPECT_EQ(storage.checks[0].asker, (Address{Place::door, 1}));

  open_session(1, {"resize"});
  tell(AskIsNew{storage.checks[0].ask, storage.checks[0].asker});
  ready("images", "resize", 1);

  ASSERT_EQ(storage.claims.size(), 1U);
  EXPECT_EQ(storage.claims[0].ask, 7);
}

TEST_F(LimiterTest, has_storage_check_an_ask_that_may_have_been_answered_in_an_earlier_life) {
  tell(SessionOpened{session(1), std::make_shared<const std::vector<std::string>>(1, "resize"), 5});
  request(ask(1, 4, {{"images", 1}}));
  EXPECT_EQ(storage.checks.size(), 1U);
  request(ask(1, 6, {{"images", 1}}));
  EXPECT_EQ(storage.checks.size(), 1U) << "above the highest that was answered it is new";
}

TEST_F(LimiterTest, has_storage_check_every_ask_when_it_was_not_told_which_are_new) {
  tell(
      SessionOpened{session(1), std::make_shared<const std::vector<std::string>>(1, "resize"), std::nullopt});
  request(ask(1, 1, {{"images", 1}}));
  request(ask(1, 2, {{"images", 1}}));
  EXPECT_EQ(storage.checks.size(), 2U);
}

TEST_F(LimiterTest, has_storage_answer_an_ask_again_that_it_has_claimed_for) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"images", 1}}));
  ready("images", "resize", 1);
  ready("images", "resize", 0);
  settle(storage.claims[0], 1);

  request(ask(1, 1, {{"images", 1}}));

  ASSERT_EQ(storage.checks.size(), 1U);
  EXPECT_EQ(storage.checks[0].asker, (Address{Place::door, 2}));
}

TEST_F(LimiterTest, answers_an_ask_again_empty_that_it_answered_empty) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"images", 1}}, 0));
  ready("images", "resize", 1);

  const auto again = request(ask(1, 1, {{"images", 1}}, 0));
  ASSERT_EQ(storage.checks.size(), 1U);
  tell(AskIsNew{storage.checks[0].ask, storage.checks[0].asker});

  EXPECT_NE(empty_batch_for(again), nullptr);
  EXPECT_TRUE(storage.claims.empty());
}

TEST_F(LimiterTest, answers_an_ask_empty_that_got_has_passed) {
  open_session(1, {"resize"});
  ready("images", "resize", 1);
  RequestBatch old = ask(1, 2, {{"images", 1}});
  RequestBatch newer = ask(1, 3, {{"other", 1}});
  newer.got = 2;
  request(newer);
  const auto late_copy = request(old);
  EXPECT_NE(empty_batch_for(late_copy), nullptr);
  EXPECT_TRUE(storage.claims.empty());
  EXPECT_TRUE(storage.checks.empty());
}

TEST_F(LimiterTest, answers_a_parked_ask_empty_when_got_passes_it) {
  open_session(1, {"resize"});
  const auto old_copy = request(ask(1, 2, {{"images", 1}}));
  RequestBatch newer = ask(1, 3, {{"other", 1}});
  newer.got = 2;
  request(newer);
  EXPECT_NE(empty_batch_for(old_copy), nullptr);
}

TEST_F(LimiterTest, tells_storage_once_when_got_rises) {
  open_session(1, {"resize"});
  for (const std::int64_t number : {4, 5, 6}) {
    RequestBatch request_with_got = ask(1, number, {{"images", 1}});
    request_with_got.got = number == 6 ? 2 : 3;
    request(request_with_got);
  }
  ASSERT_EQ(storage.acknowledged.size(), 1U);
  EXPECT_EQ(storage.acknowledged[0].got, 3);
}

TEST_F(LimiterTest, answers_everyone_who_asked_the_same_with_the_same_batch) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"images", 1}}));
  request(ask(1, 1, {{"images", 1}}));
  ready("images", "resize", 1);
  ASSERT_EQ(storage.claims.size(), 1U);
  EXPECT_EQ(storage.claims[0].askers, (std::vector<Address>{{Place::door, 1}, {Place::door, 2}}));
}

TEST_F(LimiterTest, starts_the_wait_again_when_a_parked_ask_is_repeated) {
  open_session(1, {"resize"});
  const auto first = request(ask(1, 1, {{"images", 1}}, 500));
  pass_ms(400);
  const auto second = request(ask(1, 1, {{"images", 1}}, 500));
  pass_ms(400);
  EXPECT_TRUE(answers.empty());
  pass_ms(100);
  EXPECT_NE(empty_batch_for(first), nullptr);
  EXPECT_NE(empty_batch_for(second), nullptr);
}

TEST_F(LimiterTest, tells_the_oldest_asker_to_try_again_when_a_parked_ask_is_repeated_too_often) {
  open_session(1, {"resize"});
  const auto first = request(ask(1, 1, {{"images", 1}}));
  for (int copy = 0; copy < 4; ++copy) request(ask(1, 1, {{"images", 1}}));
  EXPECT_TRUE(refused_as_overloaded(first));
  EXPECT_EQ(answers.size(), 1U);
  ready("images", "resize", 1);
  EXPECT_EQ(storage.claims[0].askers.size(), 4U);
}

TEST_F(LimiterTest, has_storage_answer_an_asker_who_came_while_the_claim_was_on_its_way) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"images", 1}}));
  ready("images", "resize", 1);
  const auto late = request(ask(1, 1, {{"images", 1}}));

  ready("images", "resize", 0);
  settle(storage.claims[0], 1);

  ASSERT_EQ(storage.checks.size(), 1U);
  EXPECT_EQ(storage.checks[0].asker.id, late);
  EXPECT_EQ(storage.checks[0].ask.ask, 1);
}

TEST_F(LimiterTest, refuses_the_65th_open_ask_of_a_session_and_no_other) {
  open_session(1, {"resize"});
  open_session(2, {"resize"});
  for (std::int64_t number = 1; number <= 64; ++number) request(ask(1, number, {{"images", 1}}));
  EXPECT_TRUE(answers.empty());
  EXPECT_TRUE(refused_as_overloaded(request(ask(1, 65, {{"images", 1}}))));
  request(ask(2, 1, {{"images", 1}}));
  EXPECT_EQ(answers.size(), 1U);
}

TEST_F(LimiterTest, takes_any_number_of_asks_one_after_the_other_while_an_old_one_is_open) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"idle", 1}}));
  for (std::int64_t number = 2; number <= 1'000; ++number) {
    EXPECT_NE(empty_batch_for(request(ask(1, number, {{"images", 1}}, 0))), nullptr);
  }
}

TEST_F(LimiterTest, answers_parked_asks_empty_when_their_session_ends) {
  open_session(1, {"resize"});
  open_session(2, {"resize"});
  const auto ended = request(ask(1, 1, {{"images", 1}}));
  const auto other = request(ask(2, 1, {{"images", 1}}));
  tell(SessionEnded{session(1)});
  EXPECT_NE(empty_batch_for(ended), nullptr);
  EXPECT_EQ(empty_batch_for(other), nullptr);

  ready("images", "resize", 1);
  ASSERT_EQ(storage.claims.size(), 1U);
  EXPECT_EQ(storage.claims[0].session, session(2));
}

TEST_F(LimiterTest, gives_a_job_to_another_session_than_one_that_fell_silent) {
  open_session(1, {"resize"});
  open_session(2, {"resize"});
  const auto silent = request(ask(1, 1, {{"images", 1}}));
  request(ask(2, 1, {{"images", 1}}));
  tell(SessionSilent{session(1)});
  EXPECT_NE(empty_batch_for(silent), nullptr);
  ready("images", "resize", 1);
  ASSERT_EQ(storage.claims.size(), 1U);
  EXPECT_EQ(storage.claims[0].session, session(2));
}

TEST_F(LimiterTest, answers_an_ask_empty_whose_session_ended_while_its_claim_was_on_its_way) {
  open_session(1, {"resize"});
  const auto asked = request(ask(1, 1, {{"images", 1}}));
  ready("images", "resize", 1);
  tell(SessionEnded{session(1)});
  EXPECT_TRUE(answers.empty());
  settle(storage.claims[0], 0);
  EXPECT_NE(empty_batch_for(asked), nullptr);
}

TEST_F(LimiterTest, answers_it_empty_too_when_the_session_has_come_back_before_the_claim) {
  open_session(1, {"resize"});
  const auto asked = request(ask(1, 1, {{"images", 1}}));
  ready("images", "resize", 1);
  tell(SessionEnded{session(1)});
  open_session(1, {"resize"});
  settle(storage.claims[0], 0);
  EXPECT_NE(empty_batch_for(asked), nullptr);
  tell(SessionEnded{session(1)});
  ready("images", "resize", 1);
  EXPECT_EQ(storage.claims.size(), 1U) << "for nobody";
}

TEST_F(LimiterTest, follows_a_session_whose_handlers_change) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"images", 1}}));
  ready("images", "transcode", 1);
  EXPECT_TRUE(storage.claims.empty());
  open_session(1, {"transcode"});
  EXPECT_EQ(storage.claims.size(), 1U);
}

TEST_F(LimiterTest, forgets_everything_when_a_commit_fails) {
  open_session(1, {"resize"});
  request(ask(1, 1, {{"images", 1}}));
  ready("images", "resize", 1);
  system.rolled_back(now, 0);

  tell(Claimed{storage.claims[0].claim, 1, epoch, sequence});
  request(ask(1, 1, {{"images", 1}}));
  EXPECT_EQ(storage.checks.size(), 1U) << "the session is to be met again";

  sequence = 0;
  open_session(1, {"resize"});
  tell(AskIsNew{storage.checks[0].ask, storage.checks[0].asker});
  EXPECT_EQ(storage.claims.size(), 1U) << "the lanes are to be told again";
  ready("images", "resize", 1);
  EXPECT_EQ(storage.claims.size(), 2U);
  pass_ms(long_wait_ms);
}

class SmallLimiterTest : public LimiterTest {
 protected:
  SmallLimiterTest() : LimiterTest(small()) {}
  static LimiterOptions small() {
    LimiterOptions options;
    options.bounds = {.asks = 4, .lane_entries = 10, .sessions = 6, .askers = 4};
    return options;
  }
};

TEST_F(SmallLimiterTest, refuses_asks_beyond_its_bound) {
  for (unsigned char number = 1; number <= 5; ++number) open_session(number, {"resize"});
  for (unsigned char number = 1; number <= 4; ++number) request(ask(number, 1, {{"images", 1}}));
  EXPECT_TRUE(answers.empty());
  EXPECT_TRUE(refused_as_overloaded(request(ask(5, 1, {{"images", 1}}))));
}

TEST_F(SmallLimiterTest, refuses_asks_that_would_wait_in_too_many_places) {
  open_session(1, {"a", "b", "c"});
  request(ask(1, 1, {{"p", 1}, {"q", 1}, {"r", 1}}));
  EXPECT_TRUE(answers.empty());
  EXPECT_TRUE(refused_as_overloaded(request(ask(1, 2, {{"p", 1}}))));
}

TEST_F(SmallLimiterTest, forgets_the_session_unheard_for_longest_that_has_no_open_ask) {
  for (unsigned char number = 1; number <= 6; ++number) open_session(number, {"resize"});
  request(ask(1, 1, {{"images", 1}}));
  open_session(7, {"resize"});

  request(ask(7, 1, {{"images", 1}}, 0));
  request(ask(3, 1, {{"images", 1}}, 0));
  EXPECT_TRUE(storage.checks.empty());
  request(ask(2, 1, {{"images", 1}}, 0));
  EXPECT_EQ(storage.checks.size(), 1U);
}

// Ten thousand asks wait; each of two thousand jobs must find its own without a look at the others: at a look
// at all of them this test would take minutes.
TEST_F(LimiterTest, finds_the_ask_for_a_job_among_ten_thousand_parked_ones) {
  for (unsigned char of = 1; of <= 200; ++of) {
    open_session(of, {"resize", "transcode"});
    for (std::int64_t number = 1; number <= 50; ++number) request(ask(of, number, {{"images", 1}}));
  }
  std::set<std::pair<SessionId, std::int64_t>> served;
  for (std::size_t job = 0; job < 2'000; ++job) {
    ready("images", "resize", 1);
    ASSERT_EQ(storage.claims.size(), job + 1);
    served.emplace(storage.claims.back().session, storage.claims.back().ask);
    ready("images", "resize", 0);
    settle(storage.claims.back(), 1);
  }
  EXPECT_EQ(served.size(), 2'000U);
}

TEST(AnsweredAsks, remembers_exactly_what_was_added_above_what_was_forgotten) {
  AnsweredAsks asks;
  std::set<std::int64_t> expected;
  for (const std::int64_t ask : {5, 7, 6, 1, 3, 2, 9, 4, 12, 11}) {
    asks.add(ask);
    expected.insert(ask);
    for (std::int64_t probe = 0; probe < 15; ++probe)
      EXPECT_EQ(asks.contains(probe), expected.count(probe) > 0);
  }
  EXPECT_EQ(asks.ranges(), 3U);
  asks.forget_up_to(6);
  for (std::int64_t probe = 0; probe < 15; ++probe) {
    EXPECT_EQ(asks.contains(probe), probe > 6 && expected.count(probe) > 0);
  }
}

}  // namespace
}  // namespace stint
