// What limiters hear of limits (rules L11, L12), and what subscribers do.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/actors/limit_bench.hpp"

namespace stint {
namespace {

using std::chrono::seconds;

struct StorageActorLimitNews : ::testing::Test {
  LimitBench bench;

  // The newest that the limiter was told of a gate; nothing: nothing was said, or that there is none.
  std::optional<GateState> told(LimitScope scope, const std::string& name) const {
    std::optional<GateState> state;
    for (const LimiterDelta& delta : bench.all_to_limiter<LimiterDelta>()) {
      if (delta.is_snapshot) state.reset();
      for (const GateNews& news : delta.gates) {
        if (news.scope == scope && news.name == name) state = news.state;
      }
    }
    return state;
  }
};

TEST_F(StorageActorLimitNews, number_deltas_without_gaps_and_start_with_a_snapshot_rule_L12) {
  bench.limit_queue(rate_limit(10, 1));
  bench.enqueue_many(5);
  bench.take();
  bench.pass(seconds(2));
  std::uint64_t sequence = 0;
  for (const LimiterDelta& delta : bench.all_to_limiter<LimiterDelta>()) {
    EXPECT_EQ(delta.is_snapshot, sequence == 0);
    EXPECT_EQ(delta.sequence, ++sequence);
    EXPECT_EQ(delta.epoch, bench.actor().epoch());
  }
  EXPECT_GT(sequence, 3U);
}

TEST_F(StorageActorLimitNews, begin_again_with_a_higher_epoch_after_a_restart_rule_L12) {
  const std::int64_t before = bench.actor().epoch();
  bench.limit_queue(rate_limit(10, 1));
  bench.enqueue_many(5);
  bench.restart();
  const auto first = bench.all_to_limiter<LimiterDelta>().at(0);
  EXPECT_GT(first.epoch, before);
  EXPECT_TRUE(first.is_snapshot);
  ASSERT_EQ(first.counts.size(), 1U);
  EXPECT_EQ(first.counts[0].ready, 5);
  ASSERT_EQ(first.gates.size(), 1U);
  EXPECT_EQ(first.gates[0].state->rules.rate, (TokenRate{10, 1}));
}

TEST_F(StorageActorLimitNews, answer_a_wish_for_a_snapshot_with_all_there_is_rule_L12) {
  bench.limit_queue(rate_limit(10, 4));
  bench.ask<LimitState>(Pause{LimitScope::handler, "send", {}});
  bench.enqueue_many(5);
  bench.to_limiter.clear();
  bench.ask_for(SnapshotWanted{});
  bench.turn();
  const auto deltas = bench.all_to_limiter<LimiterDelta>();
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_TRUE(deltas[0].is_snapshot);
  EXPECT_EQ(deltas[0].counts.size(), 1U);
  EXPECT_EQ(deltas[0].gates.size(), 2U);
  EXPECT_EQ(bench.all_to_limiter<SessionOpened>().size(), 1U);
}

TEST_F(StorageActorLimitNews, tell_what_a_claim_changed_before_its_answer_which_names_it_rule_L12) {
  bench.limit_queue(rate_limit(10, 4));
  bench.enqueue_many(5);
  bench.to_limiter.clear();
  bench.take(3);
  std::uint64_t last = 0;
  bool answered = false;
  for (const Message& message : bench.to_limiter) {
    if (const auto* delta = std::get_if<LimiterDelta>(&message); delta != nullptr && !answered)
      last = delta->sequence;
    if (const auto* claimed = std::get_if<Claimed>(&message)) {
      answered = true;
      EXPECT_EQ(claimed->sequence, last);
      EXPECT_EQ(claimed->epoch, bench.actor().epoch());
      EXPECT_EQ(claimed->taken, 3);
    }
  }
  EXPECT_TRUE(answered);
  EXPECT_EQ(bench.told_ready("email", "send"), 2);
}

TEST_F(StorageActorLimitNews, tell_once_more_when_what_started_has_left_rule_L1_L12) {
  bench.limit_queue(rate_limit(10, 1));
  bench.enqueue_many(5);
  bench.commit_takes = from_ms(40);
  bench.take();
  const Instant left = bench.now;
  bench.commit_takes = LimitBench::at_once;
  bench.pass_ms(0);
  EXPECT_EQ(Gate(*told(LimitScope::queue, "email")).until_room(left), from_ms(100));
}

TEST_F(StorageActorLimitNews, tell_of_runs_that_end_and_of_limits_that_go) {
  bench.limit_handler(running_limit(1));
  bench.enqueue_many(2);
  const Batch batch = bench.take();
  EXPECT_EQ(Gate(*told(LimitScope::handler, "send")).room(bench.now), 0);
  bench.finish_all(batch);
  EXPECT_EQ(Gate(*told(LimitScope::handler, "send")).room(bench.now), 1);
  bench.clear(LimitScope::handler, "send");
  EXPECT_FALSE(told(LimitScope::handler, "send").has_value());
}

TEST_F(StorageActorLimitNews, say_nothing_of_names_without_a_limit) {
  bench.enqueue_many(5);
  bench.finish_all(bench.take());
  for (const LimiterDelta& delta : bench.all_to_limiter<LimiterDelta>()) EXPECT_TRUE(delta.gates.empty());
}

TEST_F(StorageActorLimitNews,
       of_several_limiters_give_each_a_stream_with_its_own_queues_and_every_handler_rule_L12) {
  StorageOptions options;
  options.homes = Homes({{"one", 1}, {"two", 2}});
  std::string first;
  std::string second;
  for (int name = 0; first.empty() || second.empty(); ++name) {
    const std::string queue = "q" + std::to_string(name);
    (options.homes->of(queue).node == 1 ? first : second) = queue;
  }
  std::map<NodeNumber, std::vector<LimiterDelta>> streams;
  LimitBench apart(options);
  apart.limit(LimitScope::queue, first, rate_limit(1));
  apart.limit(LimitScope::queue, second, rate_limit(2));
  apart.limit_handler(window_limit(1, 1'000));
  apart.enqueue(new_job("send", first));
  std::map<std::string, int> heard;
  for (const LimiterDelta& delta : apart.all_to_limiter<LimiterDelta>()) {
    for (const ReadyCount& count : delta.counts) ++heard[count.queue];
    for (const GateNews& news : delta.gates) ++heard[news.name];
  }
  EXPECT_EQ(heard[first], 2);
  EXPECT_EQ(heard[second], 1);
  EXPECT_EQ(heard["send"], 2) << "its jobs may wait at both";
  apart.to_limiter.clear();
  apart.pass(seconds(3));
  EXPECT_EQ(apart.all_to_limiter<LimiterHead>().size(), 6U) << "once a second, to each";
}

// --- L11 ---

TEST_F(StorageActorLimitNews, offer_room_of_a_shared_handler_to_the_queue_served_longest_ago_rule_L11) {
  bench.limit_handler(started_limit(1, 1'000));
  bench.enqueue_many(9, "send", "a");
  bench.enqueue_many(9, "send", "b");
  EXPECT_EQ(bench.started(9, "a"), 1);
  EXPECT_EQ(bench.started(9, "b"), 0) << "now it waits";
  bench.pass_ms(1'000);
  EXPECT_EQ(bench.started(9, "a"), 0);
  const Claimed refused = bench.last_claimed();
  ASSERT_EQ(refused.refused.size(), 1U);
  EXPECT_EQ(refused.refused[0].queue, "a");
  EXPECT_EQ(refused.refused[0].handler, "send");
  EXPECT_EQ(refused.refused[0].retry_in, from_ms(20));
  EXPECT_EQ(bench.started(9, "b"), 1);
  bench.pass_ms(1'000);
  EXPECT_EQ(bench.started(9, "b"), 0) << "it is a's turn again";
  bench.pass_ms(20);
  EXPECT_EQ(bench.started(9, "b"), 1) << "which did not come for it in time";
}

TEST_F(StorageActorLimitNews, hold_no_other_handler_of_a_queue_whose_turn_it_is_not_rule_L11) {
  bench.limit_handler(started_limit(1, 1'000));
  bench.enqueue_many(9, "send", "a");
  bench.enqueue_many(9, "send", "b");
  bench.enqueue_many(3, "free", "a");
  bench.hello(2, "v", {"send", "free"});
  EXPECT_EQ(bench.started(9, "a"), 1);
  EXPECT_EQ(bench.started(9, "b"), 0);
  bench.pass_ms(1'000);
  EXPECT_EQ(bench.claim(2, 1, {{"a", 9}}).jobs.size(), 3U);
}

TEST_F(StorageActorLimitNews, keep_a_claim_that_is_repeated_from_starting_more_rule_L12) {
  bench.enqueue_many(9);
  bench.hello(1);
  Claim claim{77, session_id(1), 1, {{"email", 2}}, 2, {{Place::door, 9'001}}, false};
  const auto say = [&](Claim which) {
    bench.ask_for(std::move(which));
    bench.turn();
  };
  say(claim);
  const Batch first = bench.answer<Batch>(9'001);
  claim.is_repeated = true;
  say(claim);
  EXPECT_EQ(bench.stats().running, 2);
  bench.finish_all(first);
  say(claim);
  EXPECT_EQ(bench.stats().running, 0) << "nor when all of it has ended";
}

TEST_F(StorageActorLimitNews, start_nothing_for_another_copy_of_a_claim_that_came_to_nothing_rule_L12) {
  StorageOptions options;
  options.homes = Homes({{"one", 1}});
  LimitBench apart(options);
  apart.hello(1);
  Claim claim{77, session_id(1), 1, {{"email", 2}}, 2, {{Place::door, 9'001}}, false};
  const auto say = [&](Claim which) {
    apart.ask_for(std::move(which));
    apart.turn();
  };
  say(claim);
  // Its ask may be answered empty by now, and its number used up.
  apart.enqueue_many(9);
  claim.is_repeated = true;
  say(claim);
  EXPECT_EQ(apart.stats().running, 0);
  say({78, session_id(1), 2, {{"email", 2}}, 2, {{Place::door, 9'002}}, false});
  EXPECT_EQ(apart.stats().running, 2) << "a claim of its own";
}

// --- Events ---

struct StorageActorLimitEvents : ::testing::Test {
  static StorageOptions published() {
    StorageOptions options;
    options.events = "tcp://127.0.0.1:7612";
    return options;
  }
  LimitBench bench{published()};

  int said(EventKind kind) const {
    int times = 0;
    for (const EventsWritten& written : bench.published) {
      for (const EventMessage& message : written.passing) times += message.event == kind ? 1 : 0;
    }
    return times;
  }
};

TEST_F(StorageActorLimitEvents, say_reached_and_freed_in_passing_and_keep_neither) {
  bench.limit_queue(rate_limit(0.5, 1));
  bench.enqueue_many(5);
  bench.take();
  EXPECT_EQ(said(EventKind::reached), 1);
  bench.pass(seconds(4));
  EXPECT_EQ(said(EventKind::freed), 1);
  for (const EventMessage& message : bench.events()) {
    EXPECT_NE(message.event, EventKind::reached);
    EXPECT_NE(message.event, EventKind::freed);
  }
}

TEST_F(StorageActorLimitEvents, say_them_at_most_once_a_second_of_a_name) {
  bench.limit_queue(rate_limit(100, 1));
  bench.enqueue_many(600);
  for (int start = 0; start < 500; ++start) {
    bench.take(1);
    bench.pass_ms(10);
  }
  EXPECT_GE(said(EventKind::reached), 1);
  EXPECT_LE(said(EventKind::reached) + said(EventKind::freed), 7) << "in five seconds";
}

TEST_F(StorageActorLimitEvents, say_freed_of_a_limit_that_is_cleared_and_forgotten_in_the_same_moment) {
  bench.limit_queue(rate_limit(10, 1));
  bench.enqueue_many(1);
  bench.finish_all(bench.take());
  bench.clear(LimitScope::queue, "email");
  bench.pass(seconds(5));
  EXPECT_EQ(said(EventKind::freed), 1);
}

}  // namespace
}  // namespace stint
