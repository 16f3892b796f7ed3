// The kernel: turns, timers, mailboxes, addresses.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "actors/kernel/actor_system.hpp"

namespace stint {
namespace {

// Answers to what it is told with what the test lets it do; notes the order of everything.
class ScriptedActor
    : public Handles<ScriptedActor, Started, LinkUp, LinkDown, AskTick, WorkTick, Ping, Pong, RequestBatch> {
 public:
  using Deed = std::function<void(Turn&)>;

  explicit ScriptedActor(std::vector<std::string>& heard, std::string name = "")
      : heard_(heard), name_(std::move(name)) {}

  void on(Started&&, Turn& turn) { hear("Started", when_started, turn); }
  void on(LinkUp&&, Turn& turn) { hear("LinkUp", when_link_up, turn); }
  void on(LinkDown&&, Turn& turn) { hear("LinkDown", {}, turn); }
  void on(AskTick&&, Turn& turn) { hear("AskTick", when_ask_tick, turn); }
  void on(WorkTick&&, Turn& turn) { hear("WorkTick", {}, turn); }
  void on(Ping&&, Turn& turn) { hear("Ping", when_ping, turn); }
  void on(Pong&&, Turn& turn) { hear("Pong", {}, turn); }
  void on(RequestBatch&&, Turn& turn) { hear("RequestBatch", {}, turn); }
  void before_commit(Turn&) override { heard_.push_back(name_ + "before_commit"); }
  void committed(Instant now) override { committed_at = now; }
  void rolled_back(Turn& turn) override { hear("rolled_back", when_rolled_back, turn); }

  Deed when_started, when_link_up, when_ask_tick, when_ping, when_rolled_back;
  Instant committed_at{};
  std::uint64_t answer_to = 0;
  Address sender;

 private:
  void hear(const std::string& what, const Deed& deed, Turn& turn) {
    heard_.push_back(name_ + what);
    answer_to = turn.answer_to();
    sender = turn.sender();
    if (deed) deed(turn);
  }

  std::vector<std::string>& heard_;
  std::string name_;
};

using Heard = std::vector<std::string>;

constexpr Instant start{from_ms(1'000)};

class KernelTest : public ::testing::Test {
 protected:
  KernelTest() { system.host(Place::storage, storage); }

  Heard run(Instant now = start) {
    heard.clear();
    system.run(now, 0);
    return heard;
  }
  bool post(Place to, Message message, Address from = {}) {
    return system.post({from, {to}, std::move(message)});
  }

  Heard heard;
  ScriptedActor storage{heard};
  ScriptedActor limiter{heard, "limiter "};
  ActorSystem system{7};
};

TEST_F(KernelTest, tells_an_actor_first_that_it_has_started_and_only_once) {
  post(Place::storage, LinkUp{});
  EXPECT_EQ(run(), (Heard{"Started", "LinkUp", "before_commit"}));
  EXPECT_EQ(run(), (Heard{"before_commit"}));
}

TEST_F(KernelTest, fires_timers_in_the_order_of_their_moments_and_those_of_one_moment_as_they_were_set) {
  storage.when_started = [](Turn& turn) {
    turn.after(from_ms(20), LinkUp{});
    turn.after(from_ms(10), AskTick{});
    turn.after(from_ms(10), WorkTick{});
    turn.after(from_ms(5), LinkDown{});
  };
  run();
  EXPECT_EQ(run(start + from_ms(100)), (Heard{"LinkDown", "AskTick", "WorkTick", "LinkUp", "before_commit"}));
}

TEST_F(KernelTest, fires_a_timer_not_before_its_delay_has_passed_and_says_when_that_is) {
  storage.when_started = [](Turn& turn) { turn.after(from_ms(10), AskTick{}); };
  run();
  EXPECT_EQ(system.next_deadline(), start + from_ms(10));
  EXPECT_EQ(run(start + from_ms(10) - Duration(1)), (Heard{"before_commit"}));
  EXPECT_EQ(run(start + from_ms(10)), (Heard{"AskTick", "before_commit"}));
  EXPECT_EQ(system.next_deadline(), std::nullopt);
}

TEST_F(KernelTest, a_timer_without_delay_fires_in_the_next_turn_not_in_the_same) {
  storage.when_started = [](Turn& turn) { turn.after(Duration::zero(), AskTick{}); };
  storage.when_ask_tick = storage.when_started;
  EXPECT_EQ(run(), (Heard{"Started", "before_commit"}));
  EXPECT_EQ(run(), (Heard{"AskTick", "before_commit"}));
  EXPECT_EQ(run(), (Heard{"AskTick", "before_commit"}));
}

TEST_F(KernelTest, a_negative_delay_is_none) {
  storage.when_started = [](Turn& turn) { turn.after(from_ms(-10), AskTick{}); };
  run();
  EXPECT_EQ(system.next_deadline(), start);
}

TEST_F(KernelTest, time_stands_still_within_a_turn_and_never_goes_back) {
  std::vector<Instant> seen;
  storage.when_link_up = [&](Turn& turn) { seen.push_back(turn.now()); };
  run();
  for (const Instant now : {start + from_ms(5), start + from_ms(3)}) {
    post(Place::storage, LinkUp{});
    post(Place::storage, LinkUp{});
    run(now);
  }
  EXPECT_EQ(seen, (std::vector<Instant>(4, start + from_ms(5))));
}

TEST_F(KernelTest, actors_of_one_node_talk_within_one_turn_until_all_is_said) {
  system.host(Place::limiter, limiter);
  storage.when_link_up = [](Turn& turn) { turn.send({Place::limiter}, Ping{}, 9); };
  limiter.when_ping = [](Turn& turn) { turn.reply(Pong{}); };
  run();
  post(Place::storage, LinkUp{});
  EXPECT_EQ(run(), (Heard{"LinkUp", "limiter Ping", "Pong", "before_commit", "limiter before_commit"}));
  EXPECT_EQ(storage.answer_to, 9U) << "the tag comes back with the answer";
  EXPECT_EQ(storage.sender.place, Place::limiter);
  EXPECT_TRUE(system.take_outgoing().empty());
}

TEST_F(KernelTest, what_is_for_a_place_outside_leaves_in_the_order_it_was_sent) {
  storage.when_ping = [](Turn& turn) {
    turn.reply(Pong{});
    turn.send({Place::runner}, StopRun{{1, 2}}, 3);
    turn.send({Place::nobody}, Pong{});
  };
  post(Place::storage, Ping{}, {Place::door, 42});
  run();

  const auto outgoing = system.take_outgoing();
  ASSERT_EQ(outgoing.size(), 2U);
  EXPECT_EQ(outgoing[0].to, (Address{Place::door, 42}));
  EXPECT_EQ(outgoing[1].to.place, Place::runner);
  EXPECT_EQ(outgoing[1].from, (Address{Place::storage, 3}));
  EXPECT_TRUE(system.take_outgoing().empty()) << "it leaves once";
}

TEST_F(KernelTest, a_mailbox_takes_so_many_from_outside_and_the_rest_is_refused) {
  run();
  for (std::size_t count = 0; count < ActorSystem::mailbox_bound; ++count) {
    ASSERT_TRUE(post(Place::storage, LinkUp{}));
  }
  EXPECT_FALSE(post(Place::storage, LinkUp{}));
  EXPECT_EQ(run().size(), ActorSystem::mailbox_bound + 1);
  EXPECT_TRUE(post(Place::storage, LinkUp{}));
}

TEST_F(KernelTest, what_is_for_a_place_nobody_lives_at_is_refused) {
  EXPECT_FALSE(post(Place::worker, LinkUp{}));
  EXPECT_FALSE(post(Place::server, RequestBatch{})) << "an ask is for a limiter";
}

TEST_F(KernelTest, a_request_to_the_server_finds_the_actor_that_answers_it) {
  system.host(Place::limiter, limiter);
  run();
  post(Place::server, RequestBatch{});
  post(Place::server, Ping{});
  EXPECT_EQ(run(), (Heard{"Ping", "limiter RequestBatch", "before_commit", "limiter before_commit"}));
}

TEST_F(KernelTest, a_request_to_the_server_leaves_a_node_that_has_none) {
  ActorSystem worker_node(1);
  ScriptedActor worker(heard, "worker ");
  worker.when_link_up = [](Turn& turn) { turn.send({Place::server}, RequestBatch{}, 5); };
  worker_node.host(Place::worker, worker);
  worker_node.post({{}, {Place::worker}, LinkUp{}});
  worker_node.run(start, 0);

  const auto outgoing = worker_node.take_outgoing();
  ASSERT_EQ(outgoing.size(), 1U);
  EXPECT_EQ(outgoing[0].to.place, Place::server);
  EXPECT_EQ(outgoing[0].from, (Address{Place::worker, 5}));
}

TEST_F(KernelTest, rule_D2_nothing_leaves_of_a_turn_whose_commit_failed) {
  storage.when_ping = [](Turn& turn) { turn.reply(Pong{}); };
  post(Place::storage, Ping{}, {Place::door, 1});
  run();
  heard.clear();
  system.rolled_back(start, 0);
  EXPECT_EQ(heard, (Heard{"rolled_back"}));
  EXPECT_TRUE(system.take_outgoing().empty());
}

TEST_F(KernelTest, what_an_actor_says_when_a_commit_failed_is_heard_in_the_next_turn) {
  system.host(Place::limiter, limiter);
  storage.when_rolled_back = [](Turn& turn) {
    turn.send({Place::limiter}, Ping{});
    turn.send({Place::door, 1}, Pong{});
  };
  run();
  system.rolled_back(start, 0);
  EXPECT_EQ(run(), (Heard{"limiter Ping", "before_commit", "limiter before_commit"}));
  EXPECT_EQ(system.take_outgoing().size(), 1U);
}

// A node of a cluster: the second limiter, number 3; storage is 1, the other limiter 2.
class ClusterKernelTest : public KernelTest {
 protected:
  static Homes homes() { return Homes({{"one", 2}, {"two", 3}}); }
  // A queue whose limiter is this node.
  static std::string queue_of(NodeNumber node) {
    for (int i = 0;; ++i) {
      const std::string queue = "queue-" + std::to_string(i);
      if (homes().of(queue).node == node) return queue;
    }
  }
  static RequestBatch ask_for(const std::string& queue) {
    RequestBatch ask;
    ask.queues[queue] = 1;
    return ask;
  }

  ClusterKernelTest() { node.host(Place::limiter, limiter); }
  Heard run_node() {
    heard.clear();
    node.run(start, 0);
    return heard;
  }

  ActorSystem node{7, {.self = 3, .storage = 1, .homes = homes()}};
};

TEST_F(ClusterKernelTest, what_is_for_another_node_leaves_with_its_number) {
  limiter.when_started = [](Turn& turn) {
    turn.send({Place::storage}, Ping{}, 5);
    turn.send({Place::door, 9, 2}, Pong{});
  };
  run_node();

  const auto outgoing = node.take_outgoing();
  ASSERT_EQ(outgoing.size(), 2U);
  EXPECT_EQ(outgoing[0].to, (Address{Place::storage, 0, 1}));
  EXPECT_EQ(outgoing[0].from, (Address{Place::limiter, 5, 3}));
  EXPECT_EQ(outgoing[1].to, (Address{Place::door, 9, 2}));
}

TEST_F(ClusterKernelTest, a_message_from_another_node_is_answered_there) {
  limiter.when_ping = [](Turn& turn) { turn.reply(Pong{}); };
  ASSERT_TRUE(node.post({{Place::door, 42, 2}, {Place::limiter, 0, 3}, Ping{}}));
  run_node();

  const auto outgoing = node.take_outgoing();
  ASSERT_EQ(outgoing.size(), 1U);
  EXPECT_EQ(outgoing[0].to, (Address{Place::door, 42, 2}));
}

TEST_F(ClusterKernelTest, a_request_goes_to_storage_or_to_the_limiter_of_its_queue) {
  EXPECT_EQ(node.destination(Enqueue{}), (Address{Place::storage, 0, 1}));
  EXPECT_EQ(node.destination(ask_for(queue_of(2))), (Address{Place::limiter, 0, 2}));
  EXPECT_EQ(node.destination(ask_for(queue_of(3))), (Address{Place::limiter, 0, 3}));
  EXPECT_FALSE(node.is_here(node.destination(Enqueue{})));
  EXPECT_TRUE(node.is_here(node.destination(ask_for(queue_of(3)))));
}

TEST_F(ClusterKernelTest, an_ask_for_a_queue_of_this_node_is_handled_here) {
  ASSERT_TRUE(node.post({{Place::door, 1}, {Place::server}, ask_for(queue_of(3))}));
  EXPECT_EQ(run_node(), (Heard{"limiter Started", "limiter RequestBatch", "limiter before_commit"}));
  EXPECT_EQ(limiter.sender, (Address{Place::door, 1, 3}));
}

TEST_F(ClusterKernelTest, what_was_posted_for_another_node_waits_for_the_next_turn_and_says_so) {
  run_node();
  EXPECT_EQ(node.next_deadline(), std::nullopt);

  ASSERT_TRUE(node.post({{Place::door}, {Place::storage}, BatchDropped{}}));

  EXPECT_EQ(node.next_deadline(), start);
  run_node();
  EXPECT_EQ(node.take_outgoing().size(), 1U);
  EXPECT_EQ(node.next_deadline(), std::nullopt);
}

TEST_F(ClusterKernelTest, a_node_that_is_alone_has_all_its_actors_itself) {
  system.host(Place::limiter, limiter);
  EXPECT_EQ(system.destination(Enqueue{}), (Address{Place::storage, 0, 0}));
  EXPECT_TRUE(system.is_here(system.destination(ask_for("any"))));
}

TEST_F(KernelTest, actors_are_told_the_moment_after_what_they_said_has_left) {
  run();
  system.committed(start + from_ms(3));
  EXPECT_EQ(storage.committed_at, start + from_ms(3));
}

TEST_F(KernelTest, chance_repeats_itself_with_the_seed) {
  std::vector<std::uint64_t> drawn;
  for (const std::uint64_t seed : {7U, 7U, 8U}) {
    ActorSystem other(seed);
    ScriptedActor actor(heard);
    actor.when_started = [&](Turn& turn) { drawn.push_back(turn.random()()); };
    other.host(Place::storage, actor);
    other.run(start, 0);
  }
  EXPECT_EQ(drawn[0], drawn[1]);
  EXPECT_NE(drawn[0], drawn[2]);
}

}  // namespace
}  // namespace stint
