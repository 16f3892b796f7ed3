// Rule D2 at the store: a disk that fails at any one moment costs no commit that succeeded, leaves nothing
// half done, and the store goes on through the same connection when the disk does.
#include <filesystem>
#include <gtest/gtest.h>
#include <tuple>

#include "storage/sqlite_store.hpp"
#include "tests/storage/fault_vfs.hpp"
#include "tests/storage/sample_rows.hpp"
#include "tests/storage/script.hpp"
#include "tests/storage/temporary_folder.hpp"

namespace stint::test {

namespace {

constexpr int steps = 9;

// A checkpoint every few commits: those fail, too.
SqliteOptions on(const FaultVfs& disk) { return {.vfs = disk.name(), .checkpoint_pages = 40}; }

std::unique_ptr<Store> opened(const std::string& file, const SqliteOptions& options) {
  auto store = open_sqlite_store(file, options);
  EXPECT_TRUE(store) << store.error().message;
  return store ? std::move(*store) : nullptr;
}

// What another process would find, if this one ended now.
Contents contents_of_copy(const TemporaryFolder& folder, const FaultVfs& disk) {
  std::filesystem::remove(folder.file("copy.db"));
  std::filesystem::remove(folder.file("copy.db-wal"));
  std::filesystem::copy_file(folder.file(), folder.file("copy.db"));
  std::filesystem::copy_file(folder.file() + "-wal", folder.file("copy.db-wal"));
  return contents_of(*opened(folder.file("copy.db"), on(disk)));
}

}  // namespace

class DiskFaults : public testing::TestWithParam<std::tuple<DiskFault, bool>> {
 protected:
  FaultVfs disk_{"failing"};
  FaultVfs healthy_disk_{"healthy"};
  const std::vector<Contents> expected_ = contents_after_each_step(steps);

  // Runs the script with the nth operation failing; whether there was an nth.
  bool run_with_fault_at(int nth) {
    SCOPED_TRACE("operation " + std::to_string(nth));
    const TemporaryFolder folder;
    auto store = opened(folder.file(), on(disk_));
    disk_.arm(std::get<DiskFault>(GetParam()), nth, std::get<bool>(GetParam()));
    for (int step = 1; step <= steps; ++step) {
      change(*store, step);
      if (const auto committed = commit(*store, step); !committed) {
        check_failed_commit(*store, folder, step, committed.error());
        disk_.lift();
        change(*store, step);
        const auto again = commit(*store, step);
        EXPECT_TRUE(again) << again.error().message;
      }
    }
    disk_.lift();
    EXPECT_EQ(contents_of(*store), expected_[steps]);
    store.reset();
    EXPECT_EQ(contents_of(*opened(folder.file(), on(healthy_disk_))), expected_[steps]);
    return disk_.has_struck();
  }

  void check_failed_commit(Store& store, const TemporaryFolder& folder, int step, const Error& error) {
    SCOPED_TRACE("step " + std::to_string(step));
    EXPECT_EQ(error.code, ErrorCode::storage_unavailable);
    EXPECT_TRUE(error.retry_in_ms);
    EXPECT_FALSE(store.has_changes());
    EXPECT_EQ(contents_of(store), expected_[static_cast<std::size_t>(step - 1)]);
    const auto on_disk = contents_of_copy(folder, healthy_disk_);
    EXPECT_TRUE(on_disk == expected_[static_cast<std::size_t>(step - 1)] ||
                on_disk == expected_[static_cast<std::size_t>(step)]);
  }
};

TEST_P(DiskFaults, at_any_operation_cost_no_commit_and_leave_none_half_done) {
  int nth = 1;
  while (run_with_fault_at(nth) && !HasFailure()) ++nth;
  EXPECT_GT(nth, steps);  // the script reached the disk
}

TEST_P(DiskFaults, at_any_operation_while_a_file_is_made_are_told_and_leave_it_usable) {
  bool struck = true;
  for (int nth = 1; struck && !HasFailure(); ++nth) {
    SCOPED_TRACE("operation " + std::to_string(nth));
    const TemporaryFolder folder;
    disk_.arm(std::get<DiskFault>(GetParam()), nth, std::get<bool>(GetParam()));
    {
      const auto store = open_sqlite_store(folder.file(), on(disk_));
      struck = disk_.has_struck();
      if (!store) {
        EXPECT_EQ(store.error().code, ErrorCode::storage_unavailable) << store.error().message;
      }
    }
    disk_.lift();
    auto store = opened(folder.file(), on(disk_));
    change(*store, 1);
    EXPECT_TRUE(commit(*store, 1));
    EXPECT_EQ(contents_of(*store), expected_[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, DiskFaults,
                         testing::Combine(testing::Values(DiskFault::write_fails, DiskFault::disk_is_full,
                                                          DiskFault::write_is_cut_short,
                                                          DiskFault::sync_fails),
                                          testing::Bool()));

TEST(ReadFault, at_any_operation_is_told_and_costs_nothing) {
  FaultVfs disk("failing");
  const TemporaryFolder folder;
  const auto expected = contents_after_each_step(steps);
  {
    auto store = opened(folder.file(), on(disk));
    for (int step = 1; step <= steps; ++step) {
      change(*store, step);
      ASSERT_TRUE(commit(*store, step));
    }
  }
  bool struck = true;
  for (int nth = 1; struck; ++nth) {
    disk.arm(DiskFault::read_fails, nth, false);
    auto store = open_sqlite_store(folder.file(), on(disk));
    struck = disk.has_struck();
    if (!store) {
      EXPECT_EQ(store.error().code, ErrorCode::storage_unavailable) << store.error().message;
      continue;
    }
    int jobs = 0;
    const auto loaded = (*store)->each_job([&](const JobRow&) { ++jobs; });
    const auto payload = (*store)->payload(3 * steps);
    struck = disk.has_struck();
    if (struck && loaded && payload) continue;  // it struck while the file was opened, to no effect
    EXPECT_NE(struck, loaded.ok() && payload.ok());
    disk.lift();
    EXPECT_EQ(contents_of(**store), expected[steps]);
  }
}

TEST(ReadFault, within_a_transaction_makes_its_commit_fail) {
  FaultVfs disk("failing");
  const TemporaryFolder folder;
  {
    auto store = opened(folder.file(), on(disk));
    for (JobId id = 1; id <= 100; ++id) store->insert_job(plain_job(id), bytes_of(50'000));
    ASSERT_TRUE(store->commit(at_us(1), 1));
  }
  auto store = opened(folder.file(), on(disk));
  store->insert_job(plain_job(101), Payload{});
  disk.arm(DiskFault::read_fails, 1, false);
  EXPECT_FALSE(store->payload(50));
  EXPECT_FALSE(store->payload(50)) << "the fault has to stick";
  store->insert_job(plain_job(102), Payload{});
  EXPECT_FALSE(store->commit(at_us(2), 2));
  EXPECT_EQ(store->job(101).value(), std::nullopt);
  EXPECT_EQ(store->job(102).value(), std::nullopt);
  EXPECT_EQ(store->payload(50).value(), bytes_of(50'000));
}

}  // namespace stint::test
