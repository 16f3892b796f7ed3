// What the tests of the contract start from: an empty Store of whatever kind, that can be closed and opened
// again.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "tests/storage/sample_rows.hpp"

namespace stint::test {

// Opens the store of one place: the first time empty, later with what was committed there. One at a time.
using StoreOpener = std::function<std::unique_ptr<Store>()>;

struct StoreKind {
  std::string name;
  std::function<StoreOpener()> new_place;
};

inline std::string name_of(const testing::TestParamInfo<StoreKind>& kind) { return kind.param.name; }

class StoreContract : public testing::TestWithParam<StoreKind> {
 protected:
  Store& store() { return *store_; }

  void commit(std::int64_t stamp = 1, WallMs stamp_ms = 1) {
    const auto committed = store_->commit(at_us(stamp), stamp_ms);
    ASSERT_TRUE(committed) << committed.error().message;
  }
  void reopen() {
    store_.reset();
    store_ = open_();
  }

  std::vector<JobRow> all_jobs() { return all(&Store::each_job); }
  std::vector<ReceiptRow> all_receipts() { return all(&Store::each_receipt); }
  std::vector<SessionRow> all_sessions() { return all(&Store::each_session); }
  std::vector<LimitRow> all_limits() { return all(&Store::each_limit); }
  std::vector<GateRow> all_gates() { return all(&Store::each_gate); }
  std::vector<WindowRow> all_windows() { return all(&Store::each_window); }
  std::vector<TopicRow> all_topics() { return all(&Store::each_topic); }
  std::vector<JobId> job_ids() {
    std::vector<JobId> ids;
    for (const auto& row : all_jobs()) ids.push_back(row.id);
    return ids;
  }
  StoreHeader header() { return store_->header().value(); }

 private:
  template <class Row>
  std::vector<Row> all(Status (Store::*each)(const std::function<void(const Row&)>&)) {
    std::vector<Row> rows;
    EXPECT_TRUE((*store_.*each)([&](const Row& row) { rows.push_back(row); }));
    return rows;
  }

  StoreOpener open_ = GetParam().new_place();
  std::unique_ptr<Store> store_ = open_();
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreContract);

}  // namespace stint::test
