// What the limiter does about limits: it proposes what its copies of the ledger's gates let start, and wakes
// when they open (rules L2, L3, L11, L12).
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "tests/actors/limiter_bench.hpp"

namespace stint {
namespace {

constexpr auto of_queue = LimitScope::queue;
constexpr auto of_handler = LimitScope::handler;

class LimiterLimits : public LimiterTest {
 protected:
  explicit LimiterLimits(LimiterOptions options = {}) : LimiterTest(std::move(options)) {
    open_session(1, {"resize"});
  }

  Gate bucket(double rate, std::int64_t burst) {
    Gate gate;
    gate.change({TokenRate{rate, burst}, {}, {}}, now);
    return gate;
  }
  Gate window(std::int64_t max, Duration length, CountPolicy count = CountPolicy::started) {
    Gate gate;
    gate.change({{}, WindowRule{max, length, count}, {}}, now);
    return gate;
  }
  Gate paused(std::optional<Duration> wait) {
    Gate gate;
    gate.pause_until(wait ? now + *wait : Gate::for_ever);
    return gate;
  }
  // What storage does of a claim: it takes so many, and tells what is left.
  void take(Gate& gate, LimitScope scope, const std::string& name, std::int64_t count, std::int64_t ready) {
    gate.start(count, now);
    gate.stamp(now);
    this->gate(scope, name, gate);
    this->ready("images", "resize", ready);
    settle(storage.claims.back(), count);
  }
  std::size_t claims() const { return storage.claims.size(); }
};

TEST_F(LimiterLimits, claim_no_more_than_there_are_tokens_rule_L2) {
  gate(of_queue, "images", bucket(10, 3));
  request(ask(1, 1, {{"images", 8}}));
  ready("images", "resize", 9);
  ASSERT_EQ(claims(), 1U);
  EXPECT_EQ(storage.claims[0].most, 3);
  EXPECT_EQ(storage.claims[0].queues.at("images"), 3);
}

TEST_F(LimiterLimits, wake_at_the_exact_next_token_rule_L2) {
  Gate gate = bucket(10, 1);
  this->gate(of_queue, "images", gate);
  ready("images", "resize", 9);
  request(ask(1, 1, {{"images", 8}}));
  take(gate, of_queue, "images", 1, 8);
  request(ask(1, 2, {{"images", 8}}));
  pass_ms(99);
  EXPECT_EQ(claims(), 1U);
  const auto next = system.next_deadline();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(*next - now, from_ms(1));
  pass_ms(1);
  EXPECT_EQ(claims(), 2U);
}

TEST_F(LimiterLimits, wake_at_the_exact_next_slot_of_a_window_rule_L3) {
  Gate gate = window(2, from_ms(1'000));
  this->gate(of_handler, "resize", gate);
  ready("images", "resize", 9);
  request(ask(1, 1, {{"images", 1}}));
  take(gate, of_handler, "resize", 1, 8);
  pass_ms(300);
  request(ask(1, 2, {{"images", 1}}));
  take(gate, of_handler, "resize", 1, 7);
  request(ask(1, 3, {{"images", 1}}));
  pass_ms(699);
  EXPECT_EQ(claims(), 2U);
  pass_ms(1);
  EXPECT_EQ(claims(), 3U);
}

TEST_F(LimiterLimits, wake_at_the_end_of_a_pause_and_at_once_when_it_is_resumed_rule_L5) {
  gate(of_queue, "images", paused(from_ms(2'000)));
  ready("images", "resize", 1);
  request(ask(1, 1, {{"images", 1}}));
  pass_ms(1'999);
  EXPECT_EQ(claims(), 0U);
  pass_ms(1);
  ASSERT_EQ(claims(), 1U);

  gate(of_handler, "resize", paused({}));
  settle(storage.claims[0], 1);
  request(ask(1, 2, {{"images", 1}}));
  pass_ms(20'000);
  EXPECT_EQ(claims(), 1U);
  gate(of_handler, "resize", Gate());
  EXPECT_EQ(claims(), 2U);
}

TEST_F(LimiterLimits, wake_when_a_run_ends_that_a_running_limit_waited_for_rule_L4) {
  Gate gate;
  gate.change({{}, {}, 1}, now);
  gate.hold(1);
  this->gate(of_handler, "resize", gate);
  ready("images", "resize", 3);
  request(ask(1, 1, {{"images", 1}}));
  pass_ms(5'000);
  EXPECT_EQ(claims(), 0U);
  gate.end(true, now);
  this->gate(of_handler, "resize", gate);
  EXPECT_EQ(claims(), 1U);
}

TEST_F(LimiterLimits, leave_out_limited_handlers_and_hold_nobody_else_rule_L6) {
  open_session(2, {"resize", "free"});
  gate(of_handler, "resize", window(1, from_ms(1'000)));
  Gate full = window(1, from_ms(60'000));
  full.start(1, now);
  gate(of_handler, "resize", full);
  ready("images", "resize", 50'000);
  request(ask(1, 1, {{"images", 4}}));
  request(ask(2, 1, {{"images", 4}}));
  EXPECT_EQ(claims(), 0U);
  ready("images", "free", 1);
  ASSERT_EQ(claims(), 1U);
  EXPECT_EQ(storage.claims[0].session, session(2));
}

TEST_F(LimiterLimits, hold_no_queue_for_another_that_is_limited) {
  gate(of_queue, "images", paused({}));
  ready("images", "resize", 9);
  ready("videos", "resize", 9);
  request(ask(1, 1, {{"images", 4}, {"videos", 4}}));
  ASSERT_EQ(claims(), 1U);
  EXPECT_EQ(storage.claims[0].queues, (std::map<std::string, std::int64_t>{{"videos", 4}}));
}

// Tokens come one at a time; workers ask again as soon as they are answered.
TEST_F(LimiterLimits, serve_several_asks_oldest_first_so_that_workers_differ_by_one_batch_at_most) {
  constexpr unsigned char workers = 5;
  Gate gate = bucket(10, 1);
  this->gate(of_queue, "images", gate);
  std::map<unsigned char, std::int64_t> asks;
  for (unsigned char worker = 1; worker <= workers; ++worker) {
    open_session(worker, {"resize"});
    request(ask(worker, ++asks[worker], {{"images", 10}}));
  }
  std::map<SessionId, int> served;
  std::int64_t left = 1'000;
  ready("images", "resize", left);
  for (int token = 0; token < 103; ++token) {
    ASSERT_EQ(claims(), static_cast<std::size_t>(token) + 1);
    const Claim claim = storage.claims.back();
    ++served[claim.session];
    take(gate, of_queue, "images", 1, --left);
    for (unsigned char worker = 1; worker <= workers; ++worker) {
      if (claim.session == session(worker)) request(ask(worker, ++asks[worker], {{"images", 10}}));
    }
    pass_ms(100);
  }
  ASSERT_EQ(served.size(), workers);
  for (const auto& [of, times] : served) EXPECT_NEAR(times, 103 / workers, 1);
}

// --- Empty answers ---

TEST_F(LimiterLimits, answer_limited_and_when_to_ask_again) {
  Gate gate = bucket(0.5, 1);
  gate.start(1, now);
  this->gate(of_queue, "images", gate);
  ready("images", "resize", 3);
  const Batch* empty = empty_batch_for(request(ask(1, 1, {{"images", 1}}, 0)));
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(empty->reason, EmptyReason::limited);
  EXPECT_EQ(empty->retry_in_ms, 2'000);
}

TEST_F(LimiterLimits, answer_paused_with_its_end_if_that_is_known) {
  gate(of_handler, "resize", paused(from_ms(3'000)));
  ready("images", "resize", 3);
  const Batch* for_a_while = empty_batch_for(request(ask(1, 1, {{"images", 1}}, 0)));
  ASSERT_NE(for_a_while, nullptr);
  EXPECT_EQ(for_a_while->reason, EmptyReason::paused);
  EXPECT_EQ(for_a_while->retry_in_ms, 3'000);
  gate(of_handler, "resize", paused({}));
  const Batch* for_ever = empty_batch_for(request(ask(1, 2, {{"images", 1}}, 0)));
  ASSERT_NE(for_ever, nullptr);
  EXPECT_EQ(for_ever->reason, EmptyReason::paused);
  EXPECT_FALSE(for_ever->retry_in_ms.has_value());
}

TEST_F(LimiterLimits, answer_none_where_a_limit_holds_nothing_that_the_session_could_run) {
  gate(of_queue, "images", paused({}));
  ready("images", "transcode", 3);
  const Batch* empty = empty_batch_for(request(ask(1, 1, {{"images", 1}}, 0)));
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(empty->reason, EmptyReason::none);
}

TEST_F(LimiterLimits, answer_the_earliest_of_several_limits) {
  open_session(2, {"resize", "transcode"});
  Gate slow = window(1, from_ms(9'000));
  slow.start(1, now);
  Gate slower = window(1, from_ms(20'000));
  slower.start(1, now);
  gate(of_handler, "resize", slower);
  gate(of_handler, "transcode", slow);
  ready("images", "resize", 3);
  ready("images", "transcode", 3);
  const Batch* empty = empty_batch_for(request(ask(2, 1, {{"images", 1}}, 0)));
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(empty->retry_in_ms, 9'000);
}

TEST_F(LimiterLimits, answer_limited_while_a_handler_is_kept_for_another_queue_rule_L11) {
  ready("images", "resize", 3);
  request(ask(1, 1, {{"images", 1}}));
  settle(storage.claims[0], 0, {{"images", "resize", from_ms(20)}});
  const Batch* empty = empty_batch_for(request(ask(1, 2, {{"images", 1}}, 0)));
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(empty->reason, EmptyReason::limited);
  EXPECT_EQ(empty->retry_in_ms, 20);
}

TEST_F(LimiterLimits, answer_no_permits_to_who_offers_none) {
  const Batch* empty = empty_batch_for(request(ask(1, 1, {{"images", 0}}, 30'000)));
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(empty->reason, EmptyReason::no_permits);
}

// --- L11 ---

TEST_F(LimiterLimits, let_a_refused_lane_rest_for_as_long_as_it_is_told_and_no_other_rule_L11) {
  open_session(2, {"resize", "free"});
  ready("images", "resize", 3);
  request(ask(1, 1, {{"images", 1}}));
  request(ask(2, 1, {{"images", 1}}));
  settle(storage.claims[0], 0, {{"images", "resize", from_ms(20)}});
  EXPECT_EQ(claims(), 1U);
  ready("images", "free", 1);
  ASSERT_EQ(claims(), 2U) << "another handler of the queue";
  EXPECT_EQ(storage.claims[1].session, session(2));
  ready("images", "free", 0);
  settle(storage.claims[1], 1);
  pass_ms(19);
  EXPECT_EQ(claims(), 2U);
  pass_ms(1);
  ASSERT_EQ(claims(), 3U);
  EXPECT_EQ(storage.claims[2].session, session(1));
}

// --- L12 ---

TEST_F(LimiterLimits, ask_for_a_snapshot_when_a_delta_is_missing_and_lose_nothing_rule_L12) {
  request(ask(1, 1, {{"images", 4}}));
  ++sequence;  // lost on its way: five jobs
  ready("videos", "resize", 1);
  EXPECT_EQ(storage.snapshots_wanted, 1);
  EXPECT_EQ(claims(), 0U);
  Gate gate = bucket(10, 2);
  LimiterDelta snapshot{epoch, ++sequence, true, {{"images", "resize", 5}, {"videos", "resize", 1}}, {}};
  snapshot.gates.push_back({of_queue, "images", gate.state()});
  tell(std::move(snapshot));
  ASSERT_EQ(claims(), 1U);
  EXPECT_EQ(storage.claims[0].most, 2);
  ready("images", "resize", 4);
  EXPECT_EQ(storage.snapshots_wanted, 1);
}

TEST_F(LimiterLimits, ask_for_a_snapshot_when_the_head_is_ahead_rule_L12) {
  ready("images", "resize", 1);
  tell(LimiterHead{epoch, sequence});
  EXPECT_EQ(storage.snapshots_wanted, 0);
  tell(LimiterHead{epoch, sequence + 1});
  EXPECT_EQ(storage.snapshots_wanted, 1);
  tell(LimiterHead{epoch, sequence + 1});
  EXPECT_EQ(storage.snapshots_wanted, 1) << "one at a time";
  pass_ms(1'000);
  tell(LimiterHead{epoch, sequence + 1});
  EXPECT_EQ(storage.snapshots_wanted, 2) << "again, if none came";
}

TEST_F(LimiterLimits, forget_in_a_snapshot_what_it_does_not_name_rule_L12) {
  gate(of_queue, "images", paused({}));
  gate(of_handler, "resize", paused({}));
  ready("images", "resize", 5);
  ready("videos", "resize", 5);
  tell(LimiterDelta{epoch, ++sequence, true, {{"images", "resize", 5}}, {}});
  request(ask(1, 1, {{"images", 1}, {"videos", 1}}));
  ASSERT_EQ(claims(), 1U);
  EXPECT_EQ(storage.claims[0].queues.size(), 1U);
}

TEST_F(LimiterLimits, hear_a_new_start_of_storage_only_from_its_snapshot_on_rule_L12) {
  ready("images", "resize", 5);
  epoch = 2;
  sequence = 7;
  ready("videos", "resize", 5);
  EXPECT_EQ(storage.snapshots_wanted, 1);
  tell(LimiterDelta{2, 8, true, {{"images", "resize", 5}}, {}});
  sequence = 8;
  tell(LimiterDelta{1, 2, false, {{"videos", "resize", 5}}, {}});  // of the earlier start, late
  request(ask(1, 1, {{"videos", 1}}));
  EXPECT_EQ(claims(), 0U);
  EXPECT_EQ(storage.snapshots_wanted, 1);
}

TEST_F(LimiterLimits, wait_with_the_end_of_a_claim_for_the_delta_that_it_includes_over_a_gap_rule_L12) {
  open_session(2, {"resize"});
  ready("images", "resize", 5);
  request(ask(1, 1, {{"images", 2}}));
  request(ask(2, 1, {{"images", 2}}));
  tell(Claimed{storage.claims[0].claim, 2, epoch, sequence + 2, {}});
  EXPECT_EQ(claims(), 1U);
  sequence += 2;
  tell(LimiterDelta{epoch, sequence, true, {{"images", "resize", 3}}, {}});
  EXPECT_EQ(claims(), 2U);
}

TEST_F(LimiterLimits, tell_nobody_to_have_asked_again_when_a_turn_is_late) {
  ready("images", "resize", 5);
  request(ask(1, 1, {{"images", 2}}));
  settle(storage.claims[0], 0, {{"images", "resize", from_ms(20)}});
  now += from_ms(36);
  const auto asked = request(ask(1, 2, {{"images", 1}}, 0));
  const Batch* answer = empty_batch_for(asked);
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->retry_in_ms, 0);
}

struct LimiterApart : LimiterLimits {
  static LimiterOptions apart() {
    LimiterOptions options;
    options.is_apart = true;
    return options;
  }
  LimiterApart() : LimiterLimits(apart()) {}
};

TEST_F(LimiterApart, asks_for_a_snapshot_when_it_starts_rule_L12) { EXPECT_EQ(storage.snapshots_wanted, 1); }

TEST_F(LimiterApart, repeats_a_claim_that_nobody_answers_after_200_ms_rule_L12) {
  ready("images", "resize", 5);
  request(ask(1, 1, {{"images", 2}}));
  ASSERT_EQ(claims(), 1U);
  pass_ms(199);
  EXPECT_EQ(claims(), 1U);
  pass_ms(1);
  ASSERT_EQ(claims(), 2U);
  EXPECT_EQ(storage.claims[1].claim, storage.claims[0].claim);
  EXPECT_TRUE(storage.claims[1].is_repeated);
  EXPECT_FALSE(storage.claims[0].is_repeated);
  pass_ms(200);
  EXPECT_EQ(claims(), 3U);
  ready("images", "resize", 3);
  settle(storage.claims[0], 2);
  settle(storage.claims[0], 2);
  pass_ms(1'000);
  EXPECT_EQ(claims(), 3U);
}

TEST_F(LimiterApart, repeats_its_claims_and_wants_all_again_when_the_link_is_back_rule_L12) {
  ready("images", "resize", 5);
  request(ask(1, 1, {{"images", 2}}));
  const int wanted = storage.snapshots_wanted;
  tell(LinkUp{});
  EXPECT_EQ(claims(), 2U);
  EXPECT_TRUE(storage.claims[1].is_repeated);
  EXPECT_EQ(storage.snapshots_wanted, wanted + 1);
}

TEST_F(LimiterApart, has_storage_check_an_ask_again_that_it_has_not_heard_of_when_the_link_is_back_rule_D9) {
  request(ask(7, 1, {{"images", 1}}));
  ASSERT_EQ(storage.checks.size(), 1U);
  tell(LinkUp{});
  ASSERT_EQ(storage.checks.size(), 2U);
  EXPECT_EQ(storage.checks[1].asker, storage.checks[0].asker);
  tell(AskAnswered{storage.checks[0].asker});
  tell(LinkUp{});
  EXPECT_EQ(storage.checks.size(), 2U);
}

TEST_F(LimiterApart, has_storage_check_an_ask_again_after_storage_was_rebuilt_rule_D9) {
  request(ask(7, 1, {{"images", 1}}));
  pass_ms(300);
  tell(LimiterDelta{epoch, ++sequence, true, {}, {}});
  EXPECT_EQ(storage.checks.size(), 2U);
}

TEST_F(LimiterApart, asks_for_a_batch_again_that_a_broken_link_may_have_lost_rule_D9) {
  ready("images", "resize", 5);
  request(ask(1, 1, {{"images", 2}}));
  tell(LinkUp{});
  ready("images", "resize", 3);
  settle(storage.claims[0], 2);
  ASSERT_EQ(storage.checks.size(), 1U);
  EXPECT_EQ(storage.checks[0].ask.ask, 1);
}

TEST_F(LimiterLimits, beside_its_storage_repeats_nothing) {
  ready("images", "resize", 5);
  request(ask(1, 1, {{"images", 2}}));
  pass_ms(5'000);
  EXPECT_EQ(claims(), 1U);
}

// --- Homes ---

struct LimiterOfSeveral : LimiterLimits {
  static LimiterOptions second_of_two() {
    LimiterOptions options;
    options.homes = Homes({{"one", 1}, {"two", 2}});
    options.self = 2;
    return options;
  }
  LimiterOfSeveral() : LimiterLimits(second_of_two()) {
    const Homes homes = *second_of_two().homes;
    for (int name = 0; own.empty() || other.empty(); ++name) {
      const std::string queue = "q" + std::to_string(name);
      (homes.of(queue).node == 2 ? own : other) = queue;
    }
  }
  const Error* refused(std::uint64_t request) const {
    for (const Answered& answer : answers) {
      if (answer.request == request) return std::get_if<Error>(&answer.message);
    }
    return nullptr;
  }
  std::string own;
  std::string other;
};

TEST_F(LimiterOfSeveral, refuses_an_ask_for_queues_of_several_homes_and_names_the_queue) {
  const Error* error = refused(request(ask(1, 1, {{own, 1}, {other, 1}})));
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->code, ErrorCode::bad_message);
  EXPECT_EQ(error->field, "queues." + other);
  EXPECT_NE(error->message.find(other), std::string::npos);
  EXPECT_NE(error->message.find("one"), std::string::npos) << "where it is at home";
}

TEST_F(LimiterOfSeveral, serves_its_own_queues) {
  ready(own, "resize", 1);
  request(ask(1, 1, {{own, 1}}));
  EXPECT_EQ(claims(), 1U);
}

}  // namespace
}  // namespace stint
