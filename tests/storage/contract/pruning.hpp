// The contract of pruning: what is past its time goes, whatever else stays.
#pragma once

#include "tests/storage/contract/fixture.hpp"

namespace stint::test {

class StorePruning : public StoreContract {
 protected:
  // One whole pass; how many calls it took.
  int prune(const PruneLimits& limits) {
    for (int calls = 1; calls < 1'000; ++calls) {
      const bool more = store().prune(limits);
      if (store().has_changes()) commit(9'000'000, 9'000'000);
      if (!more) return calls;
    }
    ADD_FAILURE() << "pruning comes to no end";
    return 0;
  }
  std::vector<JobRun> log_runs() {
    std::vector<JobRun> runs;
    const auto rows = store().logs_after({0, 0}, 10'000);
    for (const auto& row : rows.value()) runs.push_back(row.run);
    return runs;
  }
  void insert_dead(JobId id, WallMs ended_at_ms) {
    JobRow row = plain_job(id);
    row.dead = true;
    row.runs = 1;
    row.ended_at_ms = ended_at_ms;
    store().insert_job(row, bytes_of(id % 2 == 0 ? 10 : 10'000));
    LogRow log = plain_log({id, 1});
    log.ended_at_ms = ended_at_ms;
    store().insert_log(log);
  }
  void insert_log_ended(JobRun run, WallMs ended_at_ms) {
    LogRow row = plain_log(run);
    row.ended_at_ms = ended_at_ms;
    store().insert_log(row);
  }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StorePruning);

TEST_P(StorePruning, deletes_nothing_that_is_within_its_time) {
  insert_dead(1, 1'000);
  insert_log_ended({2, 1}, 1'000);
  store().put_session(session(1));
  store().put_batch_key(batch_key("k"));
  store().append_events(events(1, 1));
  commit();
  prune(keep_all());
  EXPECT_EQ(job_ids(), std::vector<JobId>{1});
  EXPECT_EQ(log_runs().size(), 2u);
  EXPECT_EQ(all_sessions().size(), 1u);
  EXPECT_TRUE(store().batch_key("k").value());
  EXPECT_EQ(store().events_from(1, 9).value().size(), 1u);
}

TEST_P(StorePruning, has_no_changes_when_there_is_nothing_to_delete) {
  store().insert_job(plain_job(1), Payload{});
  commit();
  EXPECT_FALSE(store().prune(keep_all()));
  EXPECT_FALSE(store().has_changes());
}

TEST_P(StorePruning, deletes_logs_of_ended_jobs_that_are_past_their_time) {
  for (JobId id = 1; id <= 10; ++id) insert_log_ended({id, 1}, id % 2 == 0 ? 1'000 : 3'000);
  commit();
  PruneLimits limits = keep_all();
  limits.logs_before_ms = 2'000;
  prune(limits);
  EXPECT_EQ(log_runs(), (std::vector<JobRun>{{1, 1}, {3, 1}, {5, 1}, {7, 1}, {9, 1}}));
}

TEST_P(StorePruning, keeps_the_logs_of_a_job_that_has_not_ended) {
  JobRow waiting = plain_job(1);
  waiting.runs = 2;
  store().insert_job(waiting, Payload{});
  insert_log_ended({1, 1}, 1'000);
  insert_log_ended({1, 2}, 1'000);
  insert_dead(2, 1'000);
  commit();
  PruneLimits limits = keep_all();
  limits.logs_before_ms = 2'000;
  prune(limits);
  EXPECT_EQ(log_runs(), (std::vector<JobRun>{{1, 1}, {1, 2}, {2, 1}}));
}

TEST_P(StorePruning, deletes_dead_jobs_with_payload_and_logs_and_no_living_ones) {
  for (JobId id = 1; id <= 4; ++id) insert_dead(id, id <= 2 ? 1'000 : 3'000);
  store().insert_job(plain_job(5), Payload{});
  commit();
  PruneLimits limits = keep_all();
  limits.dead_before_ms = 2'000;
  prune(limits);
  EXPECT_EQ(job_ids(), (std::vector<JobId>{3, 4, 5}));
  EXPECT_EQ(log_runs(), (std::vector<JobRun>{{3, 1}, {4, 1}}));
  EXPECT_EQ(store().payload(1).value(), std::nullopt);
  EXPECT_TRUE(store().payload(3).value());
}

TEST_P(StorePruning, deletes_old_events_and_keeps_what_came_later) {
  const std::vector<WallMs> stamps = {1'000, 2'000, 3'000, 100'000, 101'000, 102'000, 103'000};
  std::int64_t seq = 0;
  for (const auto stamp_ms : stamps) {
    store().append_events(events(++seq, 1));
    commit(stamp_ms, stamp_ms);
  }
  PruneLimits limits = keep_all();
  limits.events_before_ms = 50'000;
  prune(limits);
  const auto left = store().events_from(1, 100).value();
  ASSERT_FALSE(left.empty());
  EXPECT_GT(left.front().first_seq, 2);
  EXPECT_LE(left.front().first_seq, 6);
  EXPECT_EQ(left.back().first_seq, 7);
  EXPECT_EQ(header().event_seq, 7);
}

TEST_P(StorePruning, keeps_the_newest_events_within_their_bytes) {
  for (std::int64_t seq = 1; seq <= 20; ++seq) {
    store().append_events(events(seq, 1, 100));
    commit();
  }
  PruneLimits limits = keep_all();
  limits.events_bytes = 550;
  prune(limits);
  const auto left = store().events_from(1, 100).value();
  ASSERT_EQ(left.size(), 5u);
  EXPECT_EQ(left.front().first_seq, 16);
  store().append_events(events(21, 1, 100));
  commit();
  prune(limits);
  EXPECT_EQ(store().events_from(1, 100).value().front().first_seq, 17);
}

TEST_P(StorePruning, tells_the_oldest_event_that_is_left) {
  for (std::int64_t seq = 1; seq <= 9; seq += 2) {
    store().append_events(events(seq, 2, 100));
    commit();
  }
  PruneLimits limits = keep_all();
  limits.events_bytes = 250;
  prune(limits);
  EXPECT_EQ(store().oldest_event().value(), 7);
}

TEST_P(StorePruning, drops_topics_whose_newest_event_is_no_longer_kept) {
  for (std::int64_t seq = 1; seq <= 20; ++seq) {
    store().append_events(events(seq, 1, 100));
    store().put_topic({"job/q" + std::to_string(seq % 7) + "/enqueued", seq});
    commit();
  }
  PruneLimits limits = keep_all();
  limits.events_bytes = 550;
  limits.rows = 2;
  prune(limits);
  ASSERT_EQ(store().oldest_event().value(), 16);
  EXPECT_EQ(all_topics(), (std::vector<TopicRow>{{"job/q2/enqueued", 16},
                                                 {"job/q3/enqueued", 17},
                                                 {"job/q4/enqueued", 18},
                                                 {"job/q5/enqueued", 19},
                                                 {"job/q6/enqueued", 20}}));
}

TEST_P(StorePruning, deletes_sessions_whose_last_message_is_too_old) {
  for (SessionNumber number = 1; number <= 4; ++number) {
    auto row = session(number);
    row.last_message = at_us(number % 2 == 0 ? 1'000 : 3'000);
    store().put_session(row);
  }
  commit();
  PruneLimits limits = keep_all();
  limits.sessions_before = at_us(2'000);
  prune(limits);
  std::vector<SessionNumber> left;
  for (const auto& row : all_sessions()) left.push_back(row.number);
  EXPECT_EQ(left, (std::vector<SessionNumber>{1, 3}));
}

TEST_P(StorePruning, deletes_batch_keys_that_are_too_old) {
  for (int i = 1; i <= 6; ++i) store().put_batch_key(batch_key("k" + std::to_string(i), at_us(i * 1'000)));
  commit();
  PruneLimits limits = keep_all();
  limits.batch_keys_before = at_us(4'000);
  prune(limits);
  EXPECT_FALSE(store().batch_key("k3").value());
  EXPECT_TRUE(store().batch_key("k4").value());
}

TEST_P(StorePruning, keeps_the_newest_batch_keys_up_to_their_number) {
  for (int i = 1; i <= 6; ++i) store().put_batch_key(batch_key("k" + std::to_string(i), at_us(i * 1'000)));
  commit();
  PruneLimits limits = keep_all();
  limits.batch_keys = 2;
  prune(limits);
  EXPECT_FALSE(store().batch_key("k4").value());
  EXPECT_TRUE(store().batch_key("k5").value());
  EXPECT_TRUE(store().batch_key("k6").value());
}

TEST_P(StorePruning, looks_at_a_bounded_number_of_rows_a_call_and_comes_through_all_of_them) {
  for (JobId id = 1; id <= 50; ++id) insert_log_ended({id, 1}, 1'000);
  for (JobId id = 51; id <= 80; ++id) insert_dead(id, 1'000);
  for (std::int64_t seq = 1; seq <= 40; ++seq) {
    store().append_events(events(seq, 1));
    commit(seq, seq);
  }
  for (int i = 1; i <= 30; ++i) store().put_batch_key(batch_key("k" + std::to_string(i)));
  for (SessionNumber number = 1; number <= 20; ++number) store().put_session(session(number));
  commit();
  PruneLimits limits;
  limits.logs_before_ms = limits.dead_before_ms = 2'000;
  limits.events_bytes = 1;
  limits.sessions_before = limits.batch_keys_before = at_us(1'000'000);
  limits.rows = 7;
  EXPECT_GE(prune(limits), 10);
  EXPECT_TRUE(log_runs().empty());
  EXPECT_TRUE(job_ids().empty());
  EXPECT_LE(store().events_from(1, 100).value().size(), 1u);
  EXPECT_FALSE(store().batch_key("k30").value());
  EXPECT_TRUE(all_sessions().empty());
}

TEST_P(StorePruning, comes_to_an_end_one_row_at_a_time_however_large_the_rows) {
  for (std::int64_t seq = 1; seq <= 4; ++seq) {
    store().append_events(events(seq, 1, 100'000));
    commit(seq, seq);
  }
  insert_dead(1, 1'000);
  insert_dead(3, 1'000);
  auto log = plain_log({5, 1});
  log.ended_at_ms = 1'000;
  log.result = bytes_of(100'000);
  store().insert_log(log);
  commit();
  PruneLimits limits = keep_all();
  limits.logs_before_ms = limits.dead_before_ms = 2'000;
  limits.events_bytes = 100'000;
  limits.rows = 1;
  prune(limits);
  EXPECT_TRUE(log_runs().empty());
  EXPECT_TRUE(job_ids().empty());
  EXPECT_EQ(store().events_from(1, 100).value().size(), 1u);
}

TEST_P(StorePruning, finds_what_was_rolled_back_in_a_later_pass) {
  insert_log_ended({1, 1}, 1'000);
  commit();
  PruneLimits limits = keep_all();
  limits.logs_before_ms = 2'000;
  store().prune(limits);
  store().rollback();
  EXPECT_EQ(log_runs().size(), 1u);
  prune(limits);
  prune(limits);
  EXPECT_TRUE(log_runs().empty());
}

TEST_P(StorePruning, does_not_disturb_the_changes_it_runs_among) {
  store().insert_job(plain_job(1), Payload{});
  store().prune(keep_all());
  EXPECT_TRUE(store().has_changes());
  commit();
  EXPECT_EQ(job_ids(), std::vector<JobId>{1});
}

}  // namespace stint::test
