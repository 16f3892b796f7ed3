// What people ask to see, and what is forgotten in time.
#include <gtest/gtest.h>

#include "actors/storage/job_cursor.hpp"
#include "tests/actors/storage_bench.hpp"

namespace stint {
namespace {

using std::chrono::hours;
using Ids = std::vector<JobId>;

struct StorageActorInspection : ::testing::Test {
  explicit StorageActorInspection(StorageOptions options = {}) : bench(std::move(options)) {
    bench.hello(1, "w1");
  }
  StorageBench bench;

  // All pages of a list, one after the other.
  Ids list(ListJobs request) {
    Ids ids;
    for (int pages = 0; pages < 100; ++pages) {
      const Jobs page = bench.ask<Jobs>(request);
      EXPECT_LE(std::ssize(page.jobs), request.limit);
      for (const JobView& job : page.jobs) ids.push_back(job.id);
      if (page.cursor.empty()) return ids;
      request.cursor = page.cursor;
    }
    return ADD_FAILURE() << "the list has no end", ids;
  }
  Ids in_state(JobState state) {
    ListJobs request;
    request.state = state;
    return list(request);
  }
};

TEST_F(StorageActorInspection, lists_jobs_of_every_state_page_by_page) {
  const Ids waiting = bench.enqueue(std::vector<NewJob>(5, new_job("unserved")));
  const LeasedJob completed = bench.running();
  bench.finish(1, completed);
  ListJobs request;
  request.limit = 2;
  Ids all = waiting;
  all.push_back(completed.id);
  EXPECT_EQ(list(request), all);
}

TEST_F(StorageActorInspection, lists_jobs_by_queue_handler_and_state) {
  const JobId other_queue = bench.enqueue(new_job("send", "other"));
  const JobId other_handler = bench.enqueue(new_job("other"));
  const LeasedJob completed = bench.running();
  bench.finish(1, completed);
  const LeasedJob dead = bench.running();
  bench.finish(1, dead, Outcome::dead);
  const LeasedJob retrying = bench.running();
  bench.finish(1, retrying, Outcome::failed);
  const LeasedJob running = bench.running();
  const JobId cancelled = bench.enqueue();
  bench.ask<JobDetails>(CancelJob{cancelled});

  ListJobs by_queue;
  by_queue.queue = "other";
  EXPECT_EQ(list(by_queue), Ids{other_queue});
  ListJobs by_handler;
  by_handler.handler = "other";
  EXPECT_EQ(list(by_handler), Ids{other_handler});
  EXPECT_EQ(in_state(JobState::completed), Ids{completed.id});
  EXPECT_EQ(in_state(JobState::dead), Ids{dead.id});
  EXPECT_EQ(in_state(JobState::retrying), Ids{retrying.id});
  EXPECT_EQ(in_state(JobState::running), Ids{running.id});
  EXPECT_EQ(in_state(JobState::cancelled), Ids{cancelled});
  EXPECT_EQ(in_state(JobState::waiting), (Ids{other_queue, other_handler}));
}

TEST_F(StorageActorInspection, finds_the_few_that_fit_among_many_in_several_pages) {
  bench.enqueue(std::vector<NewJob>(4500, new_job("many")));
  const JobId rare = bench.enqueue(new_job("rare"));
  ListJobs request;
  request.handler = "rare";
  EXPECT_EQ(list(request), Ids{rare});
}

TEST_F(StorageActorInspection, refuses_a_cursor_that_it_did_not_give) {
  for (const char* cursor :
       {"x", "j", "l1", "j1.2", "l.2", "j99999999999999999999", "l1.2x", "j-1", "l1.-2", "j01", "q1", "w1"}) {
    ListJobs request;
    request.cursor = cursor;
    const Error error = bench.ask<Error>(request);
    EXPECT_EQ(error.code, ErrorCode::bad_message) << cursor;
    EXPECT_EQ(error.field, "cursor");
  }
}

TEST_F(StorageActorInspection, refuses_a_cursor_of_queues_that_it_did_not_give) {
  for (const char* cursor : {"x", "-1", "email", "q", "q/", "j1", "w1"}) {
    ListQueues request;
    request.cursor = cursor;
    const Error error = bench.ask<Error>(request);
    EXPECT_EQ(error.code, ErrorCode::bad_message) << cursor;
    EXPECT_EQ(error.field, "cursor");
  }
}

TEST_F(StorageActorInspection, refuses_a_cursor_of_workers_that_it_did_not_give) {
  for (const char* cursor : {"x", "-1", "1", "w", "w-1", "w1x", "w01", "q1"}) {
    ListWorkers request;
    request.cursor = cursor;
    const Error error = bench.ask<Error>(request);
    EXPECT_EQ(error.code, ErrorCode::bad_message) << cursor;
    EXPECT_EQ(error.field, "cursor");
  }
}

TEST_F(StorageActorInspection, says_how_many_handlers_a_queue_has_no_room_to_name) {
  for (int part = 0; part < 51; ++part) {
    std::vector<NewJob> jobs;
    for (int i = 0; i < 1000; ++i) jobs.push_back(new_job("h" + std::to_string(1000 * part + i), "wide"));
    bench.enqueue(std::move(jobs));
  }
  ListQueues request;
  request.name = "wide";
  const QueueView wide = bench.ask<Queues>(request).queues.at(0);
  EXPECT_EQ(wide.waiting, 51'000);
  EXPECT_EQ(wide.waiting_by_handler.size(), 50'000u);
  EXPECT_EQ(wide.handlers_left_out, 1000);
}

TEST_F(StorageActorInspection, gives_cursors_that_it_reads_again) {
  for (const JobCursor& cursor : {JobCursor{false, {7, 0}}, JobCursor{true, {7, 3}}}) {
    EXPECT_EQ(job_cursor_from(to_string(cursor)), cursor);
  }
}

TEST_F(StorageActorInspection, lists_queues_with_what_is_where) {
  bench.enqueue({new_job("a", "q1"), new_job("a", "q1"), new_job("b", "q1"), new_job("a", "q2")});
  bench.running();
  const Queues all = bench.ask<Queues>(ListQueues{});
  ASSERT_EQ(all.queues.size(), 3u);
  EXPECT_EQ(all.queues[0].name, "email");
  EXPECT_EQ(all.queues[0].running, 1);
  EXPECT_EQ(all.queues[0].workers, 1);
  EXPECT_EQ(all.queues[1].waiting, 3);
  EXPECT_EQ(all.queues[1].waiting_by_handler, (std::map<std::string, std::int64_t>{{"a", 2}, {"b", 1}}));

  ListQueues one;
  one.name = "q2";
  EXPECT_EQ(bench.ask<Queues>(one).queues.at(0).waiting, 1);
  ListQueues first;
  first.limit = 2;
  const Queues page = bench.ask<Queues>(first);
  EXPECT_EQ(page.queues.size(), 2u);
  first.cursor = page.cursor;
  EXPECT_EQ(bench.ask<Queues>(first).queues.at(0).name, "q2");
}

TEST_F(StorageActorInspection, lists_a_queue_without_jobs_that_a_worker_or_a_setting_names) {
  // "email" is named by the bench's worker; of these none ever had a job.
  SetLimit five;
  five.name = "limited";
  five.limit.max_running = 5;
  bench.ask<LimitState>(std::move(five));
  bench.ask<LimitState>(Pause{.scope = LimitScope::queue, .name = "paused", .for_ms = {}});
  ListQueues page;
  page.limit = 1;
  std::vector<std::string> names;
  do {
    const Queues queues = bench.ask<Queues>(page);
    names.push_back(queues.queues.at(0).name);
    EXPECT_EQ(queues.queues[0].waiting, 0);
    page.cursor = queues.cursor;
  } while (!page.cursor.empty());
  EXPECT_EQ(names, (std::vector<std::string>{"email", "limited", "paused"}));

  ListQueues one;
  one.name = "email";
  EXPECT_EQ(bench.ask<Queues>(one).queues.at(0).workers, 1);
}

TEST_F(StorageActorInspection, does_not_list_a_queue_that_nothing_names) {
  bench.ask<LimitState>(Pause{.scope = LimitScope::queue, .name = "was-paused", .for_ms = {}});
  bench.ask<LimitState>(Resume{.scope = LimitScope::queue, .name = "was-paused"});
  for (const char* name : {"nobody", "was-paused"}) {
    ListQueues one;
    one.name = name;
    EXPECT_TRUE(bench.ask<Queues>(one).queues.empty()) << name;
  }
}

TEST_F(StorageActorInspection, lists_living_workers) {
  bench.hello(2, "w2");
  bench.hello(3, "w3");
  bench.ask<Farewell>(Goodbye{session_id(3)});
  bench.running();
  ListWorkers request;
  request.limit = 1;
  const Workers first = bench.ask<Workers>(request);
  ASSERT_EQ(first.workers.size(), 1u);
  EXPECT_EQ(first.workers[0].worker, "w1");
  EXPECT_EQ(first.workers[0].running, 1);
  request.cursor = first.cursor;
  const Workers second = bench.ask<Workers>(request);
  EXPECT_EQ(second.workers.at(0).worker, "w2");
  EXPECT_TRUE(second.cursor.empty());
}

TEST_F(StorageActorInspection, does_not_list_a_worker_that_fell_silent) {
  bench.pass(std::chrono::minutes(3));
  EXPECT_TRUE(bench.ask<Workers>(ListWorkers{}).workers.empty());
}

TEST_F(StorageActorInspection, counts_what_was_done_since_the_start) {
  bench.finish(1, bench.running());
  bench.finish(1, bench.running(), Outcome::failed);
  bench.finish(1, JobRun{99, 1});
  const Stats stats = bench.stats();
  EXPECT_EQ(stats.enqueued, 2);
  EXPECT_EQ(stats.started, 2);
  EXPECT_EQ(stats.completed, 1);
  EXPECT_EQ(stats.failed, 1);
  EXPECT_EQ(stats.stale, 1);
  EXPECT_EQ(stats.sessions, 1);
  EXPECT_EQ(stats.event_seq, bench.disk.header.event_seq);
}

TEST_F(StorageActorInspection, shows_results_only_as_far_as_they_fit_into_an_answer) {
  const JobId id = bench.enqueue();
  for (std::int64_t number = 1; number <= 12; ++number) {
    const LeasedJob job = bench.claim(1, number).jobs.at(0);
    bench.finish(
        1, {RunResult{id, job.run, Outcome::snoozed, Payload{std::string(1 << 20, 'r'), false}, {}, 0, {}}});
  }
  const JobDetails details = bench.details(id);
  EXPECT_EQ(details.runs.size(), 12u);
  EXPECT_TRUE(details.runs.back().result.has_value());
  EXPECT_FALSE(details.runs.back().result_left_out);
  EXPECT_FALSE(details.runs.front().result.has_value());
  EXPECT_TRUE(details.runs.front().result_left_out);
  EXPECT_EQ(details.runs_left_out, 0);
}

TEST_F(StorageActorInspection, says_how_many_runs_are_older_than_those_it_shows) {
  const JobId id = bench.enqueue();
  for (std::int64_t number = 1; number <= 103; ++number) {
    bench.finish(1, bench.claim(1, number).jobs.at(0), Outcome::snoozed, 0);
  }
  const JobDetails waiting = bench.details(id);
  EXPECT_EQ(waiting.runs.size(), 100u);
  EXPECT_EQ(waiting.runs_left_out, 3);
  bench.finish(1, bench.claim(1, 104).jobs.at(0));
  EXPECT_EQ(bench.details(id).runs_left_out, 4);
}

// With times that a test can wait for: an hour instead of a day, two instead of thirty days.
struct StorageActorRetention : StorageActorInspection {
  StorageActorRetention() : StorageActorInspection(short_times()) {}
  static StorageOptions short_times() {
    StorageOptions options;
    options.defaults.keep_logs_ms = options.defaults.keep_events_ms = 3'600'000;
    options.defaults.keep_dead_ms = 2 * 3'600'000;
    return options;
  }
};

TEST_F(StorageActorRetention, forgets_ended_jobs_in_time_and_dead_ones_later) {
  const LeasedJob completed = bench.running();
  bench.finish(1, completed);
  const LeasedJob dead = bench.running();
  bench.finish(1, dead, Outcome::dead);
  bench.pass(hours(1) - std::chrono::seconds(1));
  EXPECT_EQ(bench.state(completed.id), JobState::completed);
  bench.pass(std::chrono::seconds(20));
  EXPECT_EQ(bench.refused(GetJob{completed.id}), ErrorCode::not_found);
  EXPECT_EQ(bench.state(dead.id), JobState::dead);
  bench.pass(hours(1));
  EXPECT_EQ(bench.refused(GetJob{dead.id}), ErrorCode::not_found);
  EXPECT_EQ(bench.stats().dead, 0);
  EXPECT_TRUE(bench.disk.jobs.empty());
  EXPECT_TRUE(bench.disk.logs.empty());
}

TEST_F(StorageActorRetention, forgets_old_events) {
  bench.enqueue();
  bench.pass(hours(1) + std::chrono::seconds(20));
  EXPECT_TRUE(bench.disk.events.empty());
}

TEST_F(StorageActorRetention, forgets_many_in_portions_while_it_serves) {
  for (std::int64_t number = 1; number <= 30; ++number) {
    bench.enqueue(std::vector<NewJob>(100, new_job()));
    for (const LeasedJob& job : bench.claim(1, number).jobs) bench.finish(1, job);
  }
  bench.stall_ms(3'600'000 + 11'000);
  EXPECT_GT(bench.disk.logs.size(), 1000u);
  bench.pass_ms(1000);
  EXPECT_TRUE(bench.disk.logs.empty());
}

}  // namespace
}  // namespace stint
