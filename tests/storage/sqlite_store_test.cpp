// What the Store on SQLite promises beyond the contract.
#include "storage/sqlite_store.hpp"

#include <gtest/gtest.h>

#include "tests/storage/fault_vfs.hpp"
#include "tests/storage/raw_sqlite.hpp"
#include "tests/storage/sample_rows.hpp"
#include "tests/storage/temporary_folder.hpp"

namespace stint::test {

namespace {

constexpr std::int64_t wal_frame_bytes = 8192 + 24;

class SqliteStoreTest : public testing::Test {
 protected:
  std::unique_ptr<Store> open(const SqliteOptions& options = {}) {
    auto store = open_sqlite_store(folder_.file(), options);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }
  static void commit(Store& store) {
    const auto committed = store.commit(at_us(1), 1);
    ASSERT_TRUE(committed) << committed.error().message;
  }
  // A commit of about twenty pages.
  static Status insert_large_job(Store& store, JobId id) {
    store.insert_job(plain_job(id), bytes_of(150'000));
    return store.commit(at_us(id), id);
  }
  static void prune_all(Store& store, const PruneLimits& limits) {
    for (bool more = true; more;) {
      more = store.prune(limits);
      commit(store);
    }
  }

  TemporaryFolder folder_;
};

}  // namespace

// CASES 37.
TEST_F(SqliteStoreTest, keeps_its_write_ahead_log_bounded_under_load) {
  auto store = open({.vfs = "", .checkpoint_pages = 100});
  std::int64_t largest = 0;
  for (JobId id = 1; id <= 60; ++id) {
    ASSERT_TRUE(insert_large_job(*store, id));
    largest = std::max(largest, store->sizes().wal_bytes);
  }
  EXPECT_GT(largest, 0);
  EXPECT_LE(largest, (100 + 40) * wal_frame_bytes);
  EXPECT_EQ(store->sizes().wal_bytes, largest) << "overwriting is quicker than growing again";
}

TEST_F(SqliteStoreTest, refuses_changes_rather_than_let_its_log_grow_when_it_cannot_be_copied) {
  FaultVfs disk("no_checkpoints");
  disk.spare_logs();
  auto store = open({.vfs = disk.name(), .checkpoint_pages = 50, .most_wal_pages = 200});
  disk.arm(DiskFault::write_fails, 1, true);
  JobId id = 0;
  while (id < 100 && insert_large_job(*store, id + 1)) ++id;
  EXPECT_GE(id, 5) << "a checkpoint that fails costs no commit";
  EXPECT_LT(id, 50);
  EXPECT_LE(store->sizes().wal_bytes, (200 + 40) * wal_frame_bytes);
  EXPECT_EQ(store->jobs_after(0, 1'000).value().size(), static_cast<std::size_t>(id));
  disk.lift();
  EXPECT_TRUE(insert_large_job(*store, id + 1));
  EXPECT_EQ(store->jobs_after(0, 1'000).value().size(), static_cast<std::size_t>(id + 1));
}

TEST_F(SqliteStoreTest, writes_one_row_a_claim_and_none_of_its_jobs) {
  auto store = open();
  std::vector<JobRun> runs;
  for (JobId id = 1; id <= 100; ++id) {
    store->insert_job(plain_job(id), Payload{});
    runs.push_back({id, 1});
  }
  store->insert_receipt(receipt(1, runs));
  commit(*store);
  store.reset();
  EXPECT_EQ(RawSqlite(folder_.file()).query("SELECT count(*) FROM receipts"), "1|");
}

TEST_F(SqliteStoreTest, keeps_small_payloads_in_the_job_and_large_ones_apart) {
  auto store = open();
  store->insert_job(plain_job(1), bytes_of(512));
  store->insert_job(plain_job(2), bytes_of(513));
  store->insert_job(plain_job(3), bytes_of(513));
  commit(*store);
  store->delete_job(3);
  commit(*store);
  store.reset();
  EXPECT_EQ(RawSqlite(folder_.file()).query("SELECT job FROM payloads"), "2|");
}

TEST_F(SqliteStoreTest, tells_of_a_payload_that_is_missing) {
  auto store = open();
  store->insert_job(plain_job(1), bytes_of(5'000));
  commit(*store);
  store.reset();
  RawSqlite(folder_.file()).execute("DELETE FROM payloads");
  EXPECT_FALSE(open()->payload(1));
}

TEST_F(SqliteStoreTest, prunes_the_oldest_logs_of_a_job_that_snoozes_for_ever) {
  auto store = open();
  JobRow row = plain_job(1);
  row.runs = 250;
  store->insert_job(row, Payload{});
  for (std::int64_t run = 1; run <= 250; ++run) store->insert_log(plain_log({1, run}));
  commit(*store);
  PruneLimits limits = keep_all();
  limits.rows = 60;
  limits.logs_before_ms = plain_log({1, 1}).ended_at_ms + 1;
  prune_all(*store, limits);
  const auto logs = store->logs_of(1, 1'000);
  ASSERT_EQ(logs->size(), 100u);
  EXPECT_EQ(logs->front().run.run, 151);
}

TEST_F(SqliteStoreTest, does_not_prune_a_session_that_still_has_a_receipt) {
  auto store = open();
  store->put_session(session(2));
  store->put_session(session(3));
  store->insert_receipt(receipt(1, {{1, 1}}));  // of session 3
  commit(*store);
  PruneLimits limits = keep_all();
  limits.sessions_before = at_us(1'000'000);
  prune_all(*store, limits);
  std::vector<SessionNumber> left;
  ASSERT_TRUE(store->each_session([&](const SessionRow& row) { left.push_back(row.number); }));
  EXPECT_EQ(left, std::vector<SessionNumber>{3});
}

// Its row has the stamp of the commit before it, which may be long ago.
TEST_F(SqliteStoreTest, does_not_prune_fresh_events_that_came_after_a_long_rest) {
  auto store = open();
  store->append_events(events(1, 1));
  ASSERT_TRUE(store->commit(at_us(1), 1'000));
  store->append_events(events(2, 1));
  ASSERT_TRUE(store->commit(at_us(2), 2'000));  // written at 900'000
  store->append_events(events(3, 1));
  ASSERT_TRUE(store->commit(at_us(3), 900'000));
  PruneLimits limits = keep_all();
  limits.events_before_ms = 500'000;
  prune_all(*store, limits);
  EXPECT_EQ(store->events_from(1, 9).value(), (std::vector{events(2, 1), events(3, 1)}));
}

TEST_F(SqliteStoreTest, gives_pages_back_to_the_disk_in_steps_when_most_are_free) {
  auto store = open();
  for (JobId id = 1; id <= 160; ++id) store->insert_job(plain_job(id), bytes_of(100'000));
  commit(*store);
  const auto full = store->sizes().database_bytes;
  for (JobId id = 1; id <= 160; ++id) store->delete_job(id);
  commit(*store);
  EXPECT_EQ(store->sizes().database_bytes, full);
  store->prune(keep_all());
  commit(*store);
  const auto after_one_step = store->sizes().database_bytes;
  EXPECT_LT(after_one_step, full);
  EXPECT_GT(after_one_step, full - (2 << 20));
  prune_all(*store, keep_all());
  EXPECT_LT(store->sizes().database_bytes, full * 6 / 10);
}

// CASES 36: more than the cache holds, so that the disk is written to, and fails, long before the commit.
TEST_F(SqliteStoreTest, keeps_nothing_of_a_large_transaction_amid_which_the_disk_is_full) {
  FaultVfs disk("filling");
  auto store = open({.vfs = disk.name()});
  store->insert_job(plain_job(1), Payload{});
  commit(*store);
  disk.arm(DiskFault::disk_is_full, 100, true);
  for (JobId id = 2; id <= 45; ++id) store->insert_job(plain_job(id), bytes_of(1 << 20));
  EXPECT_TRUE(disk.has_struck());
  disk.lift();
  store->insert_job(plain_job(46), Payload{});
  EXPECT_FALSE(store->commit(at_us(2), 2)) << "there is room again, but a part is lost";
  EXPECT_EQ(store->jobs_after(0, 100).value(), std::vector{plain_job(1)});
  store->insert_job(plain_job(2), Payload{});
  commit(*store);
  EXPECT_EQ(store->jobs_after(0, 100).value(), (std::vector{plain_job(1), plain_job(2)}));
}

TEST_F(SqliteStoreTest, reports_why_a_commit_failed_and_when_to_try_again) {
  FaultVfs disk("full");
  auto store = open({.vfs = disk.name()});
  disk.arm(DiskFault::disk_is_full, 1, true);
  store->insert_job(plain_job(1), Payload{});
  const auto committed = store->commit(at_us(1), 1);
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, ErrorCode::storage_unavailable);
  EXPECT_NE(committed.error().message.find("full"), std::string::npos) << committed.error().message;
  EXPECT_GT(committed.error().retry_in_ms, 0);
}

}  // namespace stint::test
