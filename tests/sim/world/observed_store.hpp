// ObservedStore: the store of a simulated server. Tells what each commit has put on disk.
#pragma once

#include <functional>
#include <variant>
#include <vector>

#include "tests/support/memory_store.hpp"

namespace stint::sim {

struct JobInserted {
  JobRow row;
  Payload payload;
};
struct JobDeleted {
  JobId id = 0;
};
struct ReceiptDeleted {
  ReceiptId id = 0;
};
struct ReceiptAcknowledged {
  ReceiptId id = 0;
};
struct SessionDeleted {
  SessionNumber number = 0;
};
struct LimitDeleted {
  LimitScope scope = LimitScope::queue;
  std::string name;
  LimitSource source = LimitSource::operated;
};

// In the order they were made.
using StoreChange =
    std::variant<JobInserted, JobChange, JobDeleted, ReceiptRow, ReceiptDeleted, ReceiptAcknowledged, LogRow,
                 SessionRow, SessionDeleted, LimitRow, LimitDeleted, GateRow>;

class ObservedStore : public test::MemoryStore {
 public:
  using Observer = std::function<void(const std::vector<StoreChange>&)>;

  ObservedStore(test::MemoryDisk& disk, Observer observer)
      : MemoryStore(disk), observer_(std::move(observer)) {}

  void insert_job(const JobRow& row, const Payload& payload) override {
    changes_.push_back(JobInserted{row, payload});
    MemoryStore::insert_job(row, payload);
  }
  void change_job(const JobChange& change) override {
    changes_.push_back(change);
    MemoryStore::change_job(change);
  }
  void delete_job(JobId id) override {
    changes_.push_back(JobDeleted{id});
    MemoryStore::delete_job(id);
  }
  void insert_receipt(const ReceiptRow& row) override {
    changes_.push_back(row);
    MemoryStore::insert_receipt(row);
  }
  void acknowledge_receipt(ReceiptId id) override {
    changes_.push_back(ReceiptAcknowledged{id});
    MemoryStore::acknowledge_receipt(id);
  }
  void delete_receipt(ReceiptId id) override {
    changes_.push_back(ReceiptDeleted{id});
    MemoryStore::delete_receipt(id);
  }
  void insert_log(const LogRow& row) override {
    changes_.push_back(row);
    MemoryStore::insert_log(row);
  }
  void put_session(const SessionRow& row) override {
    changes_.push_back(row);
    MemoryStore::put_session(row);
  }
  void delete_session(SessionNumber number) override {
    changes_.push_back(SessionDeleted{number});
    MemoryStore::delete_session(number);
  }
  void put_limit(const LimitRow& row) override {
    changes_.push_back(row);
    MemoryStore::put_limit(row);
  }
  void delete_limit(LimitScope scope, const std::string& name, LimitSource source) override {
    changes_.push_back(LimitDeleted{scope, name, source});
    MemoryStore::delete_limit(scope, name, source);
  }
  void put_gate(const GateRow& row) override {
    changes_.push_back(row);
    MemoryStore::put_gate(row);
  }
  // While this says so, nothing can be written.
  void full_while(std::function<bool()> is_full) { is_full_ = std::move(is_full); }

  Status commit(Instant stamp, WallMs stamp_ms) override {
    if (is_full_ && is_full_()) fail_commits(1);
    Status committed = MemoryStore::commit(stamp, stamp_ms);
    if (committed) observer_(changes_);
    changes_.clear();
    return committed;
  }
  void rollback() override {
    changes_.clear();
    MemoryStore::rollback();
  }

 private:
  Observer observer_;
  std::function<bool()> is_full_;
  std::vector<StoreChange> changes_;
};

}  // namespace stint::sim
