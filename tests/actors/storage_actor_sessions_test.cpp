// Sessions: hello, takeover, goodbye (rule D5).
#include <gtest/gtest.h>

#include "tests/actors/storage_bench.hpp"

namespace stint {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

struct StorageActorSessions : ::testing::Test {
  StorageBench bench;

  Hello taking_over(unsigned char session) {
    Hello hello = hello_of(session, "w");
    hello.takeover = true;
    return hello;
  }
};

TEST_F(StorageActorSessions, hello_says_what_the_server_is_and_allows) {
  const Welcome welcome = bench.ask<Welcome>(hello_of(1, "w"));
  EXPECT_EQ(welcome.server, "server");
  EXPECT_EQ(welcome.version, stint_version);
  EXPECT_EQ(welcome.versions, std::vector<std::int64_t>{1});
  EXPECT_EQ(welcome.epoch, 1);
  EXPECT_EQ(welcome.now_ms, bench.wall_now);
  EXPECT_EQ(welcome.bounds.message_bytes, Bounds::message_bytes);
  EXPECT_EQ(welcome.defaults.lease_ms, 30'000);
  EXPECT_EQ(welcome.homes, (std::map<std::string, std::string>{{"email", "server"}}));
}

TEST_F(StorageActorSessions, a_producer_is_welcome_without_a_session) {
  bench.ask<Welcome>(Hello{});
  EXPECT_TRUE(bench.disk.sessions.empty());
}

TEST_F(StorageActorSessions, a_worker_without_a_session_is_refused) {
  Hello hello = hello_of(1, "w");
  hello.session.reset();
  EXPECT_EQ(bench.refused(hello), ErrorCode::bad_message);
}

TEST_F(StorageActorSessions, the_epoch_counts_starts) {
  bench.restart();
  EXPECT_EQ(bench.ask<Pong>(Ping{}).epoch, 2);
  EXPECT_EQ(bench.disk.header.starts, 2);
}

TEST_F(StorageActorSessions, limiters_are_told_which_handlers_a_session_serves) {
  bench.hello(1, "w", {"b", "a"});
  const auto opened = bench.all_to_limiter<SessionOpened>();
  ASSERT_EQ(opened.size(), 1u);
  EXPECT_EQ(*opened[0].handlers, (std::vector<std::string>{"a", "b"}));
}

TEST_F(StorageActorSessions, live_through_a_restart_and_limiters_hear_of_them_again_rule_D5) {
  bench.hello(1);
  bench.restart();
  EXPECT_EQ(bench.all_to_limiter<SessionOpened>().size(), 1u);
  bench.beat(1, {});
}

TEST_F(StorageActorSessions, nobody_knows_are_told_so) {
  EXPECT_EQ(bench.refused(StorageBench::heartbeat(5, {})), ErrorCode::unknown_session);
  EXPECT_EQ(bench.refused(Goodbye{session_id(5)}), ErrorCode::unknown_session);
  Finish finish;
  finish.session = session_id(5);
  EXPECT_EQ(bench.refused(finish), ErrorCode::unknown_session);
}

TEST_F(StorageActorSessions, of_one_worker_live_side_by_side_without_a_takeover) {
  bench.hello(1);
  const LeasedJob job = bench.running();
  bench.hello(2);
  EXPECT_TRUE(bench.beat(1, {{job.id, job.run}}).lost.empty());
  EXPECT_TRUE(bench.finish(1, job));
}

TEST_F(StorageActorSessions, that_are_taken_over_lose_their_leases_at_once_rule_D5) {
  bench.hello(1);
  const LeasedJob job = bench.running();
  bench.ask<Welcome>(taking_over(2));
  const JobDetails details = bench.details(job.id);
  EXPECT_EQ(details.job.state, JobState::waiting);
  EXPECT_EQ(details.job.lost, 1);
  EXPECT_EQ(bench.all_to_limiter<SessionEnded>().at(0).session, session_id(1));
  EXPECT_EQ(bench.claim(2, 1).jobs.at(0).id, job.id);
}

TEST_F(StorageActorSessions, that_are_taken_over_spend_no_attempt_for_what_never_arrived_rule_D3) {
  bench.hello(1);
  const JobId id = bench.enqueue();
  bench.claim(1, 1);
  bench.ask<Welcome>(taking_over(2));
  EXPECT_EQ(bench.details(id).job.attempts, 0);
}

TEST_F(StorageActorSessions, of_other_workers_are_not_taken_over) {
  bench.hello(1, "another");
  const LeasedJob job = bench.running();
  bench.ask<Welcome>(taking_over(2));
  EXPECT_EQ(bench.state(job.id), JobState::running);
}

TEST_F(StorageActorSessions, take_over_once_not_with_each_hello_rule_D5) {
  bench.ask<Welcome>(taking_over(2));
  bench.hello(1);
  const LeasedJob job = bench.running();
  bench.ask<Welcome>(taking_over(2));
  EXPECT_EQ(bench.state(job.id), JobState::running);
  bench.restart();
  bench.ask<Welcome>(taking_over(2));
  EXPECT_EQ(bench.state(job.id), JobState::running);
}

TEST_F(StorageActorSessions, keep_the_handlers_of_their_first_hello_rule_D5) {
  bench.hello(1, "w", {"send"});
  bench.hello(1, "w", {"other"});
  bench.enqueue();
  EXPECT_EQ(bench.claim(1, 1).jobs.size(), 1u);
}

TEST_F(StorageActorSessions, are_one_workers_only) {
  bench.hello(1, "w");
  EXPECT_EQ(bench.refused(hello_of(1, "another")), ErrorCode::conflict);
}

TEST_F(StorageActorSessions, that_were_taken_over_and_yet_live_go_on_after_a_hello) {
  bench.hello(1);
  const LeasedJob lost = bench.running();
  bench.ask<Welcome>(taking_over(2));
  EXPECT_EQ(bench.refused(StorageBench::heartbeat(1, {})), ErrorCode::unknown_session);
  EXPECT_FALSE(bench.finish(1, lost));
  bench.hello(1);
  EXPECT_EQ(bench.claim(1, 2001).jobs.size(), 1u);
}

TEST_F(StorageActorSessions, goodbye_releases_leases_without_an_attempt) {
  bench.hello(1), bench.hello(2);
  const LeasedJob job = bench.running();
  bench.ask<Farewell>(Goodbye{session_id(1)});
  EXPECT_EQ(bench.details(job.id).job.attempts, 0);
  EXPECT_EQ(bench.details(job.id).runs.at(0).end, RunEnd::released);
  EXPECT_EQ(bench.claim(2, 1).jobs.at(0).id, job.id);
  EXPECT_EQ(bench.all_to_limiter<SessionEnded>().at(0).session, session_id(1));
}

TEST_F(StorageActorSessions, goodbye_comes_again_and_gets_the_same_answer) {
  bench.hello(1);
  bench.ask<Farewell>(Goodbye{session_id(1)});
  bench.ask<Farewell>(Goodbye{session_id(1)});
}

TEST_F(StorageActorSessions, a_report_that_comes_again_after_goodbye_is_answered_rule_D4) {
  bench.hello(1);
  const LeasedJob job = bench.running();
  bench.finish(1, job);
  bench.ask<Farewell>(Goodbye{session_id(1)});
  EXPECT_TRUE(bench.finish(1, job));
}

TEST_F(StorageActorSessions, are_forgotten_a_day_after_their_last_message_rule_D5) {
  bench.hello(1), bench.hello(2);
  bench.pass(hours(13));
  bench.beat(2, {});
  bench.pass(hours(12));
  EXPECT_EQ(bench.refused(StorageBench::heartbeat(1, {})), ErrorCode::unknown_session);
  bench.beat(2, {});
  EXPECT_EQ(bench.disk.sessions.size(), 1u);
}

TEST_F(StorageActorSessions, keep_a_day_from_their_last_message_over_a_restart_rule_D5) {
  bench.hello(1);
  bench.pass(hours(13));
  bench.beat(1, {});
  bench.restart();
  bench.pass(hours(12));
  bench.beat(1, {});
}

}  // namespace
}  // namespace stint
