// The contract of transactions.
#pragma once

#include "tests/storage/contract/fixture.hpp"

namespace stint::test {

TEST_P(StoreContract, has_changes_from_the_first_change_to_the_commit) {
  EXPECT_FALSE(store().has_changes());
  store().insert_job(plain_job(1), Payload{});
  EXPECT_TRUE(store().has_changes());
  commit();
  EXPECT_FALSE(store().has_changes());
}

TEST_P(StoreContract, has_no_changes_after_reading) {
  ASSERT_TRUE(store().job(1));
  ASSERT_TRUE(store().header());
  all_jobs();
  EXPECT_FALSE(store().has_changes());
}

TEST_P(StoreContract, commits_nothing_without_complaint) {
  commit(5, 5);
  EXPECT_FALSE(store().has_changes());
}

TEST_P(StoreContract, reads_its_own_changes_before_their_commit) {
  store().insert_job(plain_job(1), bytes_of(600));
  store().insert_log(plain_log({1, 1}));
  store().put_batch_key(batch_key("k"));
  EXPECT_EQ(store().payload(1).value(), bytes_of(600));
  EXPECT_TRUE(store().job(1).value());
  EXPECT_TRUE(store().log({1, 1}).value());
  EXPECT_TRUE(store().batch_key("k").value());
  EXPECT_EQ(store().jobs_after(0, 9).value().size(), 1u);
  store().delete_job(1);
  EXPECT_FALSE(store().job(1).value());
}

TEST_P(StoreContract, keeps_nothing_of_what_is_rolled_back) {
  store().insert_job(plain_job(1), bytes_of(600));
  store().insert_log(plain_log({1, 1}));
  store().insert_receipt(receipt(1, {{1, 1}}));
  store().put_session(session(1));
  store().append_events(events(1, 1));
  commit(10, 10);
  const auto before = header();

  store().insert_job(plain_job(2), bytes_of(600));
  store().change_job(JobChange{.id = 1, .runs = 5});
  store().delete_job(1);
  store().delete_logs_of(1);
  store().acknowledge_receipt(1);
  store().insert_receipt(receipt(2, {{2, 1}}));
  store().put_session(session(2));
  store().put_batch_key(batch_key("k"));
  store().append_events(events(2, 5));
  StoreHeader put;
  put.starts = 99;
  store().put_header(put);
  store().rollback();

  EXPECT_FALSE(store().has_changes());
  EXPECT_EQ(job_ids(), std::vector<JobId>{1});
  EXPECT_EQ(store().payload(1).value(), bytes_of(600));
  EXPECT_EQ(store().payload(2).value(), std::nullopt);
  EXPECT_EQ(store().logs_of(1, 9).value().size(), 1u);
  EXPECT_EQ(all_receipts(), std::vector{receipt(1, {{1, 1}})});
  EXPECT_EQ(all_sessions(), std::vector{session(1)});
  EXPECT_EQ(store().batch_key("k").value(), std::nullopt);
  EXPECT_EQ(store().events_from(1, 9).value(), std::vector{events(1, 1)});
  EXPECT_EQ(header(), before);
}

TEST_P(StoreContract, keeps_nothing_that_was_not_committed_when_it_is_closed) {
  store().insert_job(plain_job(1), Payload{});
  commit();
  store().insert_job(plain_job(2), Payload{});
  reopen();
  EXPECT_EQ(job_ids(), std::vector<JobId>{1});
}

TEST_P(StoreContract, goes_on_after_a_rollback) {
  store().insert_job(plain_job(1), Payload{});
  store().rollback();
  store().insert_job(plain_job(1), bytes_of(3));
  commit();
  EXPECT_EQ(store().payload(1).value(), bytes_of(3));
}

// Rule D2.
TEST_P(StoreContract, keeps_nothing_of_a_commit_that_fails_and_goes_on) {
  store().insert_job(plain_job(1), Payload{});
  commit();
  store().insert_job(plain_job(2), Payload{});
  store().insert_job(plain_job(1), Payload{});  // the fault
  store().insert_job(plain_job(3), Payload{});
  store().append_events(events(1, 1));
  ASSERT_FALSE(store().commit(at_us(2), 2));
  EXPECT_FALSE(store().has_changes());
  EXPECT_EQ(job_ids(), std::vector<JobId>{1});
  EXPECT_EQ(header().event_seq, 0);
  store().insert_job(plain_job(2), Payload{});
  store().append_events(events(1, 1));
  commit();
  EXPECT_EQ(job_ids(), (std::vector<JobId>{1, 2}));
}

TEST_P(StoreContract, knows_its_size) {
  store().insert_job(plain_job(1), bytes_of(1 << 20));
  commit();
  EXPECT_GE(store().sizes().database_bytes, 1 << 20);
}

}  // namespace stint::test
