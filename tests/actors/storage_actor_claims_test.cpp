// Handing out: claims, batches and asks that come again (rule D3).
#include <gtest/gtest.h>

#include "tests/actors/storage_bench.hpp"

namespace stint {
namespace {

using Ids = std::vector<JobId>;

Ids ids(const Batch& batch) {
  Ids ids;
  for (const LeasedJob& job : batch.jobs) ids.push_back(job.id);
  return ids;
}

struct StorageActorClaims : ::testing::Test {
  explicit StorageActorClaims(StorageOptions options = {}) : bench(std::move(options)) { bench.hello(1); }
  StorageBench bench;

  Batch repeat(std::int64_t number, std::int64_t got = 0) { return bench.ask_again(1, number, got); }
};

TEST_F(StorageActorClaims, give_a_job_with_all_that_running_it_needs) {
  NewJob job = new_job();
  job.payload = {std::string("\0\xFF", 2), true};
  job.max_attempts = 3;
  job.timeout_ms = 1234;
  job.meta["k"] = "v";
  const JobId id = bench.enqueue(job);
  const Batch batch = bench.claim(1, 1);
  ASSERT_EQ(batch.jobs.size(), 1u);
  const LeasedJob& leased = batch.jobs[0];
  EXPECT_EQ(leased.id, id);
  EXPECT_EQ(leased.run, 1);
  EXPECT_EQ(leased.attempt, 1);
  EXPECT_EQ(leased.max_attempts, 3);
  EXPECT_EQ(leased.queue, "email");
  EXPECT_EQ(leased.handler, "send");
  EXPECT_EQ(leased.payload, job.payload);
  EXPECT_EQ(leased.lease_ms, 30'000);
  EXPECT_EQ(leased.timeout_ms, 1234);
  EXPECT_EQ(leased.enqueued_at_ms, bench.wall_now);
  EXPECT_EQ(leased.meta, job.meta);
}

TEST_F(StorageActorClaims, give_the_first_jobs_by_priority_then_time_ready) {
  NewJob urgent = new_job();
  urgent.priority = 0;
  const JobId first = bench.enqueue();
  const JobId second = bench.enqueue(urgent);
  EXPECT_EQ(ids(bench.claim(1, 1)), (Ids{second, first}));
}

TEST_F(StorageActorClaims, leave_jobs_whose_handler_the_session_does_not_serve) {
  bench.enqueue(new_job("other"));
  const JobId served = bench.enqueue(new_job("send"));
  EXPECT_EQ(ids(bench.claim(1, 1)), Ids{served});
  EXPECT_EQ(bench.told_ready("email", "other"), 1);
}

TEST_F(StorageActorClaims, write_one_receipt_a_batch) {
  bench.enqueue({new_job(), new_job(), new_job()});
  bench.claim(1, 1);
  ASSERT_EQ(bench.disk.receipts.size(), 1u);
  EXPECT_EQ(bench.disk.receipts.begin()->second.runs, (std::vector<JobRun>{{1, 1}, {2, 1}, {3, 1}}));
}

TEST_F(StorageActorClaims, say_how_many_were_taken_after_the_counts_that_include_it) {
  bench.enqueue({new_job(), new_job()});
  bench.claim(1, 1, {{"email", 1}});
  const auto claimed = bench.all_to_limiter<Claimed>();
  ASSERT_EQ(claimed.size(), 1u);
  EXPECT_EQ(claimed[0].taken, 1);
  EXPECT_EQ(claimed[0].sequence, bench.all_to_limiter<LimiterDelta>().back().sequence);
  EXPECT_EQ(bench.told_ready("email", "send"), 1);
}

TEST_F(StorageActorClaims, take_nothing_where_nothing_is_and_give_the_ask_back) {
  EXPECT_EQ(ids(bench.claim(1, 1)), Ids{});
  EXPECT_EQ(bench.all_to_limiter<Claimed>().at(0).taken, 0);
  EXPECT_TRUE(bench.disk.receipts.empty());
}

TEST_F(StorageActorClaims, of_a_session_that_is_gone_take_nothing_and_say_so) {
  bench.enqueue();
  bench.ask<Farewell>(Goodbye{session_id(1)});
  bench.to_limiter.clear();
  EXPECT_EQ(ids(bench.claim(1, 1)), Ids{});
  EXPECT_EQ(bench.all_to_limiter<Claimed>().at(0).taken, 0);
  EXPECT_EQ(bench.all_to_limiter<SessionEnded>().at(0).session, session_id(1));
}

TEST_F(StorageActorClaims, end_a_batch_at_8_MiB_of_payload_and_keep_the_rest_in_order) {
  NewJob big = new_job();
  big.payload.bytes.assign(3 << 20, 'x');
  const Ids all = bench.enqueue({big, big, big});
  EXPECT_EQ(ids(bench.claim(1, 1)), (Ids{all[0], all[1]}));
  EXPECT_EQ(bench.told_ready("email", "send"), 1);
  EXPECT_EQ(ids(bench.claim(1, 2)), Ids{all[2]});
}

TEST_F(StorageActorClaims, give_at_least_one_job_however_big) {
  NewJob big = new_job();
  big.payload.bytes.assign(9 << 20, 'x');
  EXPECT_EQ(ids(bench.claim(1, 1)), Ids{});
  const JobId id = bench.enqueue(big);
  EXPECT_EQ(ids(bench.claim(1, 2)), Ids{id});
}

TEST_F(StorageActorClaims, end_a_batch_before_its_values_are_too_many_for_a_message) {
  NewJob wide = new_job();
  for (int key = 0; key < 1300; ++key) wide.meta[std::to_string(key)];
  bench.enqueue(std::vector<NewJob>(100, wide));
  const Batch batch = bench.claim(1, 1);
  EXPECT_LT(std::ssize(batch.jobs) * 2 * 1300, Bounds::message_values);
  EXPECT_GT(batch.jobs.size(), 20u);
}

struct StorageActorClaimsWithCaps : StorageActorClaims {
  StorageActorClaimsWithCaps() : StorageActorClaims(caps()) {}
  static StorageOptions caps() {
    StorageOptions options;
    options.batch_max["email"] = 2;
    return options;
  }
};

TEST_F(StorageActorClaimsWithCaps, take_no_more_of_a_queue_than_its_batch_max) {
  bench.enqueue(std::vector<NewJob>(5, new_job()));
  EXPECT_EQ(bench.claim(1, 1, {{"email", 50}}).jobs.size(), 2u);
}

TEST_F(StorageActorClaims, repeated_ask_gets_the_same_batch_rule_D3) {
  bench.enqueue({new_job(), new_job()});
  const Batch first = bench.claim(1, 1);
  const Batch again = repeat(1);
  EXPECT_EQ(ids(again), ids(first));
  EXPECT_EQ(again.jobs[0].run, first.jobs[0].run);
  EXPECT_EQ(again.jobs[0].attempt, 1);
  EXPECT_EQ(again.jobs[0].payload.bytes, "payload");
}

TEST_F(StorageActorClaims, repeated_ask_gets_the_same_batch_after_a_restart_rule_D3) {
  bench.enqueue({new_job(), new_job()});
  const Batch first = bench.claim(1, 1);
  bench.restart();
  EXPECT_EQ(ids(repeat(1)), ids(first));
}

TEST_F(StorageActorClaims,
       repeated_ask_of_a_batch_that_has_arrived_is_answered_empty_and_starts_nothing_rule_D3) {
  bench.enqueue({new_job(), new_job()});
  const Batch first = bench.claim(1, 1);
  bench.finish(1, first.jobs[0]);  // who reports on it has it
  EXPECT_TRUE(repeat(1).jobs.empty());
  EXPECT_EQ(bench.stats().running, 1);
}

TEST_F(StorageActorClaims, a_batch_that_an_earlier_life_has_sent_is_kept_though_a_copy_cannot_leave) {
  const JobId id = bench.enqueue();
  bench.claim(1, 1);
  bench.restart();
  const Batch copy = repeat(1);
  bench.drop(copy);
  EXPECT_EQ(bench.state(id), JobState::running);
  EXPECT_EQ(ids(repeat(1)), ids(copy));
}

TEST_F(StorageActorClaims, repeated_ask_of_which_all_has_ended_is_answered_empty_and_takes_nothing_new) {
  bench.enqueue();
  const Batch first = bench.claim(1, 1);
  bench.finish(1, first.jobs[0]);
  bench.enqueue();
  const Batch again = repeat(1);
  EXPECT_TRUE(again.jobs.empty());
  EXPECT_EQ(again.reason, EmptyReason::none);
}

TEST_F(StorageActorClaims,
       nothing_starts_for_an_ask_whose_answer_has_arrived_and_who_waits_is_answered_rule_D3) {
  Heartbeat beat = StorageBench::heartbeat(1, {});
  beat.got = 3;
  bench.ask<HeartbeatOk>(beat);  // the limiter does not hear of it
  bench.enqueue();
  bench.ask_for(Claim{99, session_id(1), 2, {{"email", 1}}, 1, {{Place::door, 500}}});
  bench.turn();
  EXPECT_TRUE(bench.answer<Batch>(500).jobs.empty());
  EXPECT_EQ(bench.stats().running, 0);
}

TEST_F(StorageActorClaims, a_claim_for_an_ask_whose_batch_has_arrived_starts_nothing_again_rule_L7) {
  bench.enqueue({new_job(), new_job()});
  const Batch first = bench.claim(1, 1);
  bench.beat(1, {{first.jobs[0].id, 1}});
  EXPECT_TRUE(bench.claim(1, 1).jobs.empty());
  EXPECT_EQ(bench.stats().running, 2);
}

TEST_F(StorageActorClaims, an_ask_whose_answer_arrived_is_not_new_even_after_a_restart) {
  bench.restart();
  const Batch again = repeat(3, 3);
  EXPECT_TRUE(again.jobs.empty());
  EXPECT_EQ(again.reason, EmptyReason::none);
}

TEST_F(StorageActorClaims, a_new_ask_is_the_limiters_with_its_session) {
  bench.restart();
  RequestBatch ask;
  ask.session = session_id(1);
  ask.ask = 5;
  bench.to_limiter.clear();
  bench.ask_for(CheckAsk{ask, {Place::door, 99}});
  bench.turn();
  EXPECT_EQ(bench.all_to_limiter<SessionOpened>().at(0).session, session_id(1));
  EXPECT_FALSE(bench.answered(99));
}

TEST_F(StorageActorClaims, an_ask_of_an_unknown_session_is_told_so) {
  RequestBatch ask;
  ask.session = session_id(9);
  ask.ask = 1;
  bench.ask_for(CheckAsk{ask, {Place::door, 99}});
  bench.turn();
  EXPECT_EQ(bench.answer<Error>(99).code, ErrorCode::unknown_session);
}

TEST_F(StorageActorClaims, a_batch_claimed_twice_for_one_ask_is_handed_out_once) {
  bench.enqueue({new_job(), new_job()});
  const Batch first = bench.claim(1, 1, {{"email", 1}});
  const Batch again = bench.claim(1, 1, {{"email", 1}});
  EXPECT_EQ(ids(again), ids(first));
  EXPECT_EQ(bench.stats().running, 1);
}

TEST_F(StorageActorClaims, put_back_a_batch_that_could_not_leave_however_often_rule_D3) {
  const JobId id = bench.enqueue();
  for (int number = 1; number <= 20; ++number) {
    const Batch batch = bench.claim(1, number);
    ASSERT_EQ(ids(batch), Ids{id}) << "after " << number - 1 << " batches that could not leave";
    bench.drop(batch);
  }
  EXPECT_EQ(bench.ask<JobDetails>(GetJob{id}).job.attempts, 0);
}

TEST_F(StorageActorClaims, keep_a_batch_of_which_another_copy_has_left) {
  bench.enqueue();
  const Batch batch = bench.claim(1, 1);
  ASSERT_EQ(repeat(1).jobs.size(), 1u);
  bench.drop(batch);
  EXPECT_TRUE(bench.finish(1, batch.jobs[0]));
}

TEST_F(StorageActorClaims, keep_a_batch_that_was_acknowledged_whatever_is_said_of_a_copy) {
  const LeasedJob job = bench.running();
  bench.drop(Batch{1, {job}, {}, {}});
  EXPECT_TRUE(bench.finish(1, job));
}

}  // namespace
}  // namespace stint
