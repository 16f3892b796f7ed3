// The contract of jobs and their payloads.
#pragma once

#include <numeric>

#include "tests/storage/contract/fixture.hpp"

namespace stint::test {

TEST_P(StoreContract, gives_back_a_job_with_every_field_as_it_was_inserted) {
  JobRow row = full_job(7);
  row.payload_bytes = 3;
  store().insert_job(row, bytes_of(3));
  store().insert_job(plain_job(8), Payload{});
  commit();
  EXPECT_EQ(store().job(7).value(), row);
  EXPECT_EQ(store().job(8).value(), plain_job(8));
  reopen();
  EXPECT_EQ(all_jobs(), (std::vector{row, plain_job(8)}));
}

TEST_P(StoreContract, gives_jobs_and_their_payloads_at_once_in_the_order_asked_for) {
  for (const JobId id : {3, 600, 4, 5}) {
    JobRow row = full_job(id);
    row.payload_bytes = id;
    store().insert_job(row, bytes_of(static_cast<std::size_t>(id), true));
  }
  std::vector<JobId> seen;
  ASSERT_TRUE(store().whole_jobs({4, 5, 600, 3}, [&](WholeJob&& job) {
    const JobId id = seen.emplace_back(job.row.id);
    EXPECT_EQ(job.row.payload_bytes, id);
    EXPECT_TRUE(job.payload == bytes_of(static_cast<std::size_t>(id), true)) << id;
    return true;
  }));
  EXPECT_EQ(seen, (std::vector<JobId>{4, 5, 600, 3}));
}

TEST_P(StoreContract, gives_no_more_jobs_at_once_than_are_wanted_or_there) {
  for (const JobId id : {1, 2, 3, 5}) store().insert_job(plain_job(id), Payload{});
  std::vector<JobId> seen;
  const auto two = [&](WholeJob&& job) { return seen.emplace_back(job.row.id) < 2; };
  ASSERT_TRUE(store().whole_jobs({1, 2, 3}, two));
  EXPECT_EQ(seen, (std::vector<JobId>{1, 2}));
  seen.clear();
  const auto all = [&](WholeJob&& job) { return seen.emplace_back(job.row.id) > 0; };
  ASSERT_TRUE(store().whole_jobs({3, 4, 5}, all));
  EXPECT_EQ(seen, (std::vector<JobId>{3}));
}

TEST_P(StoreContract, deletes_jobs_that_follow_one_another_with_payloads_of_any_size) {
  for (JobId id = 1; id <= 6; ++id) {
    store().insert_job(plain_job(id), bytes_of(id % 2 == 0 ? 600U : 3U));
  }
  commit();
  for (const JobId id : {2, 3, 4, 6}) store().delete_job(id);
  EXPECT_EQ(store().job(3).value(), std::nullopt) << "what was deleted is gone at once";
  commit();
  reopen();
  EXPECT_EQ(job_ids(), (std::vector<JobId>{1, 5}));
  for (const JobId id : {2, 4, 6}) {
    store().insert_job(plain_job(id), Payload{});
    EXPECT_EQ(store().payload(id).value(), Payload{}) << "nothing of an old payload is left";
  }
}

TEST_P(StoreContract, has_of_any_number_of_jobs_each_at_once_and_none_after_a_rollback) {
  for (JobId id = 1; id <= 25; ++id)
    store().insert_job(plain_job(id), bytes_of(static_cast<std::size_t>(id)));
  EXPECT_TRUE(store().job(25).value().has_value());
  EXPECT_EQ(store().payload(11).value(), bytes_of(11));
  commit();
  for (JobId id = 26; id <= 50; ++id) store().insert_job(plain_job(id), Payload{});
  store().delete_job(13);
  store().delete_job(50);
  store().rollback();
  store().insert_job(plain_job(60), Payload{});
  store().delete_job(60);
  commit();
  std::vector<JobId> all(25);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(job_ids(), all);
}

TEST_P(StoreContract, has_of_any_number_of_logs_each_at_once_and_none_after_a_rollback) {
  for (JobId id = 1; id <= 25; ++id) store().insert_log(plain_log({id, 1}));
  store().insert_log(full_log({26, 1}));
  EXPECT_EQ(store().log({11, 1}).value(), plain_log({11, 1}));
  EXPECT_EQ(store().log({25, 1}).value(), plain_log({25, 1}));
  commit();
  for (JobId id = 27; id <= 30; ++id) store().insert_log(plain_log({id, 1}));
  store().rollback();
  store().insert_log(plain_log({31, 1}));
  commit();
  EXPECT_EQ(store().logs_after({25, 1}, 10).value(), (std::vector{full_log({26, 1}), plain_log({31, 1})}));
}

TEST_P(StoreContract, keeps_jobs_whose_deletion_was_rolled_back) {
  for (JobId id = 1; id <= 3; ++id) store().insert_job(plain_job(id), Payload{});
  commit();
  for (JobId id = 1; id <= 3; ++id) store().delete_job(id);
  store().rollback();
  EXPECT_EQ(job_ids(), (std::vector<JobId>{1, 2, 3}));
}

TEST_P(StoreContract, knows_no_job_that_was_not_inserted) {
  EXPECT_EQ(store().job(1).value(), std::nullopt);
  EXPECT_EQ(store().payload(1).value(), std::nullopt);
}

TEST_P(StoreContract, visits_jobs_in_the_order_of_their_ids) {
  for (const JobId id : {5, 1, 300, 2}) store().insert_job(plain_job(id), Payload{});
  commit();
  EXPECT_EQ(job_ids(), (std::vector<JobId>{1, 2, 5, 300}));
}

TEST_P(StoreContract, gives_jobs_after_an_id_as_many_as_asked) {
  for (JobId id = 1; id <= 5; ++id) store().insert_job(plain_job(id), Payload{});
  commit();
  const auto rows = store().jobs_after(2, 2).value();
  EXPECT_EQ(rows, (std::vector{plain_job(3), plain_job(4)}));
  EXPECT_TRUE(store().jobs_after(5, 2).value().empty());
}

TEST_P(StoreContract, keeps_payloads_of_every_size_and_their_kind_byte_for_byte) {
  const std::vector<std::size_t> sizes = {0,     1,      511,    512,    513,    8'191,  8'192,
                                          8'193, 65'535, 65'536, 65'537, 70'000, 1 << 20};
  JobId id = 0;
  for (const auto size : sizes) {
    store().insert_job(plain_job(++id), bytes_of(size, false));
    store().insert_job(plain_job(++id), bytes_of(size, true));
  }
  commit();
  reopen();
  id = 0;
  for (const auto size : sizes) {
    EXPECT_TRUE(store().payload(++id).value() == bytes_of(size, false)) << size;
    EXPECT_TRUE(store().payload(++id).value() == bytes_of(size, true)) << size;
  }
}

TEST_P(StoreContract, changes_every_field_that_can_change_and_no_other) {
  JobRow row = full_job(7);
  store().insert_job(row, bytes_of(600));
  commit();
  const JobChange change{.id = 7,
                         .dead = false,
                         .runs = 15,
                         .attempts = 14,
                         .lost = 13,
                         .undelivered = 12,
                         .ready_at = at_us(99),
                         .run_at_ms = {},
                         .ended_at_ms = 98,
                         .cancel_requested = false,
                         .reason = "another"};
  store().change_job(change);
  commit();
  row.dead = false;
  row.runs = 15;
  row.attempts = 14;
  row.lost = 13;
  row.undelivered = 12;
  row.ready_at = at_us(99);
  row.run_at_ms.reset();
  row.ended_at_ms = 98;
  row.cancel_requested = false;
  row.reason = "another";
  auto found = store().job(7).value();
  ASSERT_TRUE(found);
  found->payload_bytes = row.payload_bytes;
  EXPECT_EQ(*found, row);
  EXPECT_EQ(store().payload(7).value(), bytes_of(600));
}

TEST_P(StoreContract, deletes_a_job_with_its_payload_whatever_its_size) {
  for (const std::size_t size : {0u, 100u, 512u, 513u, 20'000u}) {
    store().insert_job(plain_job(1), bytes_of(size));
    commit();
    store().delete_job(1);
    commit();
    EXPECT_EQ(store().job(1).value(), std::nullopt) << size;
    EXPECT_EQ(store().payload(1).value(), std::nullopt) << size;
  }
}

TEST_P(StoreContract, deletes_what_is_not_there_without_complaint) {
  store().delete_job(1);
  store().delete_logs_of(1);
  store().delete_receipt(1);
  commit();
}

TEST_P(StoreContract, refuses_to_insert_a_job_twice) {
  store().insert_job(plain_job(1), bytes_of(1));
  commit();
  store().insert_job(plain_job(1), bytes_of(2));
  const auto committed = store().commit(at_us(2), 2);
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::storage_unavailable);
  EXPECT_EQ(store().payload(1).value(), bytes_of(1));
}

TEST_P(StoreContract, refuses_to_change_a_job_that_is_not_there) {
  store().change_job(JobChange{.id = 1});
  EXPECT_FALSE(store().commit(at_us(1), 1));
}

}  // namespace stint::test
