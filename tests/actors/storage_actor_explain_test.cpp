// The one thing that keeps a job from running, and when that is over.
#include <gtest/gtest.h>

#include "tests/actors/limit_bench.hpp"

namespace stint {
namespace {

using std::chrono::seconds;

struct StorageActorExplain : ::testing::Test {
  LimitBench bench;
  Explanation explain(JobId job) { return bench.ask<Explanation>(ExplainJob{job}); }

  void expect_held_by(JobId job, JobHold hold, LimitScope scope, const std::string& name,
                      std::optional<std::int64_t> in_ms) {
    const Explanation explanation = explain(job);
    EXPECT_EQ(explanation.hold, hold) << explanation.message;
    EXPECT_EQ(explanation.scope, scope);
    EXPECT_EQ(explanation.name, name);
    EXPECT_EQ(explanation.in_ms, in_ms);
    EXPECT_EQ(explanation.state, JobState::waiting);
  }
};

TEST_F(StorageActorExplain, says_that_nothing_holds_a_job_that_a_worker_is_free_for) {
  const JobId job = bench.enqueue();
  EXPECT_EQ(explain(job).hold, JobHold::none);
  EXPECT_FALSE(explain(job).message.empty());
}

TEST_F(StorageActorExplain, says_at_which_worker_it_runs) {
  const LeasedJob job = bench.running();
  EXPECT_EQ(explain(job.id).hold, JobHold::running);
  EXPECT_NE(explain(job.id).message.find("worker w"), std::string::npos);
}

TEST_F(StorageActorExplain, says_how_it_ended) {
  const LeasedJob completed = bench.running();
  bench.finish(1, completed);
  EXPECT_EQ(explain(completed.id).hold, JobHold::ended);
  EXPECT_EQ(explain(completed.id).state, JobState::completed);
  const LeasedJob dead = bench.running();
  bench.finish(1, dead, Outcome::dead);
  EXPECT_EQ(explain(dead.id).hold, JobHold::ended);
  EXPECT_NE(explain(dead.id).message.find("gave it up"), std::string::npos);
}

TEST_F(StorageActorExplain, says_when_a_delayed_job_is_due) {
  NewJob later = new_job();
  later.delay_ms = 5'000;
  const JobId delayed = bench.enqueue(later);
  NewJob by_wall = new_job();
  by_wall.run_at_ms = bench.wall_now + 9'000;
  const JobId scheduled = bench.enqueue(by_wall);
  bench.pass_ms(1'000);
  EXPECT_EQ(explain(delayed).hold, JobHold::not_due);
  EXPECT_EQ(explain(delayed).in_ms, 4'000);
  EXPECT_EQ(explain(scheduled).in_ms, 8'000);
  const LeasedJob failed = bench.running();
  bench.finish(1, failed, Outcome::failed, 7'000);
  EXPECT_EQ(explain(failed.id).hold, JobHold::not_due);
  EXPECT_EQ(explain(failed.id).in_ms, 7'000);
}

TEST_F(StorageActorExplain, says_that_no_worker_serves_its_handler_or_asks_its_queue) {
  EXPECT_EQ(explain(bench.enqueue(new_job("unserved"))).hold, JobHold::no_worker);
  EXPECT_EQ(explain(bench.enqueue(new_job("send", "unasked"))).hold, JobHold::no_worker);
}

TEST_F(StorageActorExplain, names_the_pause_and_its_end) {
  const JobId job = bench.enqueue();
  bench.ask<LimitState>(Pause{LimitScope::handler, "send", 9'000});
  expect_held_by(job, JobHold::paused, LimitScope::handler, "send", 9'000);
  bench.ask<LimitState>(Pause{LimitScope::queue, "email", {}});
  expect_held_by(job, JobHold::paused, LimitScope::queue, "email", std::nullopt);
}

TEST_F(StorageActorExplain, names_the_rate_and_when_there_is_a_token) {
  bench.limit_queue(rate_limit(0.1, 1));
  bench.enqueue_many(2);
  const JobId waiting = bench.take().jobs.at(0).id + 1;
  expect_held_by(waiting, JobHold::rate, LimitScope::queue, "email", 10'000);
}

TEST_F(StorageActorExplain, names_the_window_and_when_it_has_a_slot) {
  bench.limit_handler(started_limit(1, 6'000));
  bench.enqueue_many(2);
  const Batch first = bench.take();
  bench.pass_ms(1'000);
  expect_held_by(first.jobs.at(0).id + 1, JobHold::window, LimitScope::handler, "send", 5'000);
  bench.limit_handler(window_limit(1, 6'000));
  expect_held_by(first.jobs.at(0).id + 1, JobHold::window, LimitScope::handler, "send", std::nullopt);
}

TEST_F(StorageActorExplain, names_of_two_that_hold_it_the_one_that_opens_last) {
  bench.limit_queue(rate_limit(0.1, 1));
  bench.limit_handler(started_limit(1, 60'000));
  bench.enqueue_many(2);
  const JobId waiting = bench.take().jobs.at(0).id + 1;
  expect_held_by(waiting, JobHold::window, LimitScope::handler, "send", 60'000);
  bench.limit_handler(started_limit(1, 5'000));
  expect_held_by(waiting, JobHold::rate, LimitScope::queue, "email", 10'000);
}

TEST_F(StorageActorExplain, names_the_running_limit_whose_end_nobody_knows) {
  bench.limit_queue(running_limit(1));
  bench.enqueue_many(2);
  const JobId waiting = bench.take().jobs.at(0).id + 1;
  expect_held_by(waiting, JobHold::running_limit, LimitScope::queue, "email", std::nullopt);
}

TEST_F(StorageActorExplain, says_that_others_come_first_or_that_all_workers_are_busy) {
  bench.enqueue_many(3);
  const JobId first = bench.take(1).jobs.at(0).id;
  EXPECT_EQ(explain(first + 1).hold, JobHold::busy_workers);
  EXPECT_EQ(explain(first + 2).hold, JobHold::behind);
}

TEST_F(StorageActorExplain, does_not_count_jobs_that_may_not_start_as_coming_first) {
  bench.hello(2, "w2", {"send", "free"});
  bench.limit_handler(started_limit(1, 60'000));
  bench.enqueue_many(3);
  bench.enqueue(new_job("unserved"));
  const JobId free = bench.enqueue(new_job("free"));
  bench.finish_all(bench.take(1));
  EXPECT_EQ(explain(free).hold, JobHold::none) << explain(free).message;
}

TEST_F(StorageActorExplain, does_not_promise_the_next_room_to_a_job_that_others_of_its_handler_precede) {
  bench.limit_handler(started_limit(1, 60'000));
  bench.enqueue_many(3);
  const JobId last = bench.take(1).jobs.at(0).id + 2;
  expect_held_by(last, JobHold::window, LimitScope::handler, "send", std::nullopt);
  EXPECT_NE(explain(last).message.find("other jobs of its handler come first"), std::string::npos);
}

TEST_F(StorageActorExplain, says_that_the_node_that_limits_its_queue_is_away) {
  StorageOptions options;
  options.self = 1;
  options.homes = Homes({{"limits", 2}});
  LimitBench cluster(options);
  const JobId job = cluster.enqueue();
  const auto hold = [&] { return cluster.ask<Explanation>(ExplainJob{job}).hold; };
  EXPECT_EQ(hold(), JobHold::no_limiter);
  cluster.link(2, true);
  EXPECT_EQ(hold(), JobHold::none);
  cluster.link(2, false);
  EXPECT_EQ(hold(), JobHold::no_limiter);
}

TEST_F(StorageActorExplain, misses_no_link_to_a_limiter_on_its_own_node) {
  StorageOptions options;
  options.self = 1;
  options.homes = Homes({{"all", 1}});
  LimitBench cluster(options);
  EXPECT_EQ(cluster.ask<Explanation>(ExplainJob{cluster.enqueue()}).hold, JobHold::none);
}

TEST_F(StorageActorExplain, is_not_found_of_a_job_that_never_was) {
  EXPECT_EQ(bench.refused(ExplainJob{4711}), ErrorCode::not_found);
}

}  // namespace
}  // namespace stint
