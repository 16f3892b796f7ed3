// The contract of receipts and logs.
#pragma once

#include "tests/storage/contract/fixture.hpp"

namespace stint::test {

TEST_P(StoreContract, gives_back_receipts_in_order_with_every_run) {
  const auto first = receipt(1, {{5, 1}, {6, 1}, {3, 17}});
  auto second = receipt(2, {{1'000'000'000'000, 2}});
  second.acknowledged = true;
  store().insert_receipt(second);
  store().insert_receipt(first);
  commit();
  reopen();
  EXPECT_EQ(all_receipts(), (std::vector{first, second}));
}

TEST_P(StoreContract, remembers_that_a_receipt_was_acknowledged) {
  auto row = receipt(1, {{5, 1}});
  store().insert_receipt(row);
  commit();
  store().acknowledge_receipt(1);
  commit();
  row.acknowledged = true;
  EXPECT_EQ(all_receipts(), std::vector{row});
}

TEST_P(StoreContract, forgets_a_receipt_that_was_deleted) {
  store().insert_receipt(receipt(1, {{5, 1}}));
  store().insert_receipt(receipt(2, {{6, 1}}));
  commit();
  store().delete_receipt(1);
  commit();
  EXPECT_EQ(all_receipts(), std::vector{receipt(2, {{6, 1}})});
}

TEST_P(StoreContract, refuses_to_acknowledge_a_receipt_that_is_not_there) {
  store().acknowledge_receipt(1);
  EXPECT_FALSE(store().commit(at_us(1), 1));
}

TEST_P(StoreContract, gives_back_a_log_with_every_field_as_it_was_inserted) {
  store().insert_log(full_log({4, 2}));
  store().insert_log(plain_log({4, 1}));
  commit();
  reopen();
  EXPECT_EQ(store().log({4, 2}).value(), full_log({4, 2}));
  EXPECT_EQ(store().log({4, 1}).value(), plain_log({4, 1}));
  EXPECT_EQ(store().log({4, 3}).value(), std::nullopt);
}

TEST_P(StoreContract, tells_an_empty_result_from_none) {
  auto empty = plain_log({1, 1});
  empty.result = Payload{"", true};
  store().insert_log(empty);
  commit();
  EXPECT_EQ(store().log({1, 1}).value(), empty);
}

TEST_P(StoreContract, keeps_a_result_of_every_size_and_its_kind) {
  for (const std::size_t size : {1u, 2'000u, 8'192u, 70'000u, 1u << 20}) {
    auto row = plain_log({static_cast<JobId>(size), 1});
    row.result = bytes_of(size, size % 2 == 1);
    store().insert_log(row);
    commit();
    EXPECT_TRUE(store().log(row.run).value() == row) << size;
  }
}

TEST_P(StoreContract, gives_the_newest_logs_of_a_job_oldest_first) {
  for (const std::int64_t run : {3, 1, 4, 2}) store().insert_log(plain_log({7, run}));
  store().insert_log(plain_log({6, 9}));
  store().insert_log(plain_log({8, 1}));
  commit();
  EXPECT_EQ(store().logs_of(7, 2).value(), (std::vector{plain_log({7, 3}), plain_log({7, 4})}));
  EXPECT_EQ(store().logs_of(7, 10).value().size(), 4u);
  EXPECT_TRUE(store().logs_of(9, 10).value().empty());
}

TEST_P(StoreContract, gives_logs_after_a_run_in_order_of_job_and_run) {
  for (const JobRun run : {JobRun{2, 0}, {1, 2}, {1, 1}, {3, 1}}) store().insert_log(plain_log(run));
  commit();
  EXPECT_EQ(store().logs_after({1, 1}, 2).value(), (std::vector{plain_log({1, 2}), plain_log({2, 0})}));
  EXPECT_EQ(store().logs_after({0, 0}, 10).value().size(), 4u);
}

TEST_P(StoreContract, deletes_all_logs_of_one_job_and_no_others) {
  for (const JobRun run : {JobRun{1, 1}, {2, 1}, {2, 2}, {3, 1}}) store().insert_log(plain_log(run));
  commit();
  store().delete_logs_of(2);
  commit();
  EXPECT_EQ(store().logs_after({0, 0}, 10).value(), (std::vector{plain_log({1, 1}), plain_log({3, 1})}));
}

}  // namespace stint::test
