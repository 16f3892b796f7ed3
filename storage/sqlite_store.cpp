#include "storage/sqlite_store.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "storage/database_file.hpp"
#include "storage/pruner.hpp"
#include "storage/tables/batch_key_table.hpp"
#include "storage/tables/event_table.hpp"
#include "storage/tables/gate_table.hpp"
#include "storage/tables/header_table.hpp"
#include "storage/tables/job_table.hpp"
#include "storage/tables/limit_table.hpp"
#include "storage/tables/log_table.hpp"
#include "storage/tables/receipt_table.hpp"
#include "storage/tables/session_table.hpp"
#include "storage/tables/topic_table.hpp"
#include "storage/tables/window_table.hpp"

namespace stint {

namespace {

constexpr std::int64_t retry_in_ms = 1'000;

Error unavailable(const std::string& what, const DatabaseFault& fault) {
  return Error{.code = ErrorCode::storage_unavailable,
               .message = what + ": " + fault.message,
               .retry_in_ms = retry_in_ms};
}

class SqliteStore final : public Store {
 public:
  SqliteStore(std::unique_ptr<Database> database, std::string file, SqliteOptions options)
      : file_(std::move(file)), options_(std::move(options)), owned_database_(std::move(database)) {}

  // Once, before anything else: finds out where the file stands, and whether its tables are what they should
  // be.
  std::optional<DatabaseFault> load_mark() {
    mark_ = kept_mark_ = mark_of(read_header());
    return database_.take_fault();
  }

  Result<StoreHeader> header() override { return checked(read_header()); }
  Status each_job(const std::function<void(const JobRow&)>& visit) override {
    jobs_.each(visit);
    return checked(Done{});
  }
  Status each_receipt(const std::function<void(const ReceiptRow&)>& visit) override {
    receipts_.each(visit);
    return checked(Done{});
  }
  Status each_session(const std::function<void(const SessionRow&)>& visit) override {
    sessions_.each(visit);
    return checked(Done{});
  }

  Status each_limit(const std::function<void(const LimitRow&)>& visit) override {
    limits_.each(visit);
    return checked(Done{});
  }
  Status each_gate(const std::function<void(const GateRow&)>& visit) override {
    gates_.each(visit);
    return checked(Done{});
  }
  Status each_window(const std::function<void(const WindowRow&)>& visit) override {
    windows_.each(visit);
    return checked(Done{});
  }
  Status each_topic(const std::function<void(const TopicRow&)>& visit) override {
    topics_.each(visit);
    return checked(Done{});
  }

  Result<std::optional<JobRow>> job(JobId id) override { return checked(jobs_.find(id)); }
  Result<std::optional<Payload>> payload(JobId id) override { return checked(jobs_.payload(id)); }
  Status whole_jobs(const std::vector<JobId>& ids, const std::function<bool(WholeJob&&)>& visit) override {
    jobs_.find_whole(ids, visit);
    return checked(Done{});
  }
  Result<std::optional<LogRow>> log(JobRun run) override { return checked(logs_.find(run)); }
  Result<std::vector<LogRow>> logs_of(JobId id, std::int64_t most) override {
    return checked(logs_.newest_of(id, most));
  }
  Result<std::vector<JobRow>> jobs_after(JobId after, std::int64_t most) override {
    return checked(jobs_.after(after, most));
  }
  Result<std::vector<LogRow>> logs_after(JobRun after, std::int64_t most) override {
    return checked(logs_.after(after, most));
  }
  Result<std::optional<BatchKeyRow>> batch_key(const std::string& key) override {
    return checked(batch_keys_.find(key));
  }
  Result<std::vector<EventChunk>> events_from(std::int64_t from_seq, std::int64_t most) override {
    return checked(events_.from(from_seq, most));
  }
  Result<std::int64_t> oldest_event() override { return checked(events_.oldest()); }
  StoreSizes sizes() override;

  void insert_job(const JobRow& row, const Payload& payload) override {
    begin();
    jobs_.insert(row, payload);
    mark_.last_job = std::max(mark_.last_job, row.id);
  }
  void change_job(const JobChange& change) override {
    begin();
    jobs_.change(change);
  }
  void delete_job(JobId id) override {
    begin();
    jobs_.erase(id);
  }
  void delete_logs_of(JobId id) override {
    begin();
    logs_.erase_of(id);
  }
  void insert_receipt(const ReceiptRow& row) override {
    begin();
    receipts_.insert(row);
    mark_.last_receipt = std::max(mark_.last_receipt, row.id);
  }
  void acknowledge_receipt(ReceiptId id) override {
    begin();
    receipts_.acknowledge(id);
  }
  void delete_receipt(ReceiptId id) override {
    begin();
    receipts_.erase(id);
  }
  void insert_log(const LogRow& row) override {
    begin();
    logs_.insert(row);
  }
  void put_session(const SessionRow& row) override {
    begin();
    sessions_.put(row);
    mark_.last_session = std::max(mark_.last_session, row.number);
  }
  void delete_session(SessionNumber number) override {
    begin();
    sessions_.erase(number);
  }
  void put_batch_key(const BatchKeyRow& row) override {
    begin();
    batch_keys_.put(row);
  }
  void put_limit(const LimitRow& row) override {
    begin();
    limits_.put(row);
  }
  void delete_limit(LimitScope scope, const std::string& name, LimitSource source) override {
    begin();
    limits_.erase(scope, name, source);
  }
  void put_gate(const GateRow& row) override {
    begin();
    gates_.put(row);
  }
  void delete_gate(LimitScope scope, const std::string& name) override {
    begin();
    gates_.erase(scope, name);
  }
  void put_window(const WindowRow& row) override {
    begin();
    windows_.put(row);
  }
  void delete_window(const std::string& handler, Instant at) override {
    begin();
    windows_.erase(handler, at);
  }
  void delete_windows_before(const std::string& handler, Instant at) override {
    begin();
    windows_.erase_before(handler, at);
  }
  void put_topic(const TopicRow& row) override {
    begin();
    topics_.put(row);
  }
  void append_events(const EventChunk& chunk) override {
    begin();
    events_.append(chunk);
  }
  void put_header(const StoreHeader& header) override {
    begin();
    header_.write(header);
    mark_.last_job = std::max(mark_.last_job, header.last_job);
    mark_.last_session = std::max(mark_.last_session, header.last_session);
    mark_.last_receipt = std::max(mark_.last_receipt, header.last_receipt);
  }
  bool prune(const PruneLimits& limits) override;

  bool has_changes() const override { return open_; }
  Status commit(Instant stamp, WallMs stamp_ms) override;
  void rollback() override;

 private:
  void begin();
  void bound_write_ahead_log();
  StoreHeader read_header();

  // What was read, unless a fault came up. Within a transaction a fault sticks until its end.
  template <class Value>
  Result<Value> checked(Value value) {
    if (!database_.faulty()) return value;
    const Error error = unavailable("the store cannot be read", *database_.fault());
    if (!open_) database_.take_fault();
    return error;
  }

  const std::string file_;
  const SqliteOptions options_;
  std::unique_ptr<Database> owned_database_;
  Database& database_ = *owned_database_;
  HeaderTable header_{database_};
  JobTable jobs_{database_};
  ReceiptTable receipts_{database_};
  LogTable logs_{database_};
  SessionTable sessions_{database_};
  BatchKeyTable batch_keys_{database_};
  LimitTable limits_{database_};
  GateTable gates_{database_};
  WindowTable windows_{database_};
  TopicTable topics_{database_};
  EventTable events_{database_};
  Pruner pruner_{database_};

  bool open_ = false;     // a transaction has begun
  CommitMark mark_;       // of the next commit; its ids are the highest ever given
  CommitMark kept_mark_;  // of the last one that succeeded
};

// The stamps and the number of the newest message are on disk alone; of ids, this life may have given higher
// ones.
StoreHeader SqliteStore::read_header() {
  auto header = header_.read();
  events_.read_newest(header);
  put_mark(header, later(mark_of(header), mark_));
  return header;
}

StoreSizes SqliteStore::sizes() {
  StoreSizes sizes;
  sizes.database_bytes = database_.integer_of("PRAGMA page_count") * database_.integer_of("PRAGMA page_size");
  if (!open_) database_.take_fault();
  std::error_code problem;
  const auto wal_bytes = std::filesystem::file_size(file_ + "-wal", problem);
  sizes.wal_bytes = problem ? 0 : static_cast<std::int64_t>(wal_bytes);
  return sizes;
}

void SqliteStore::begin() {
  if (open_) return;
  open_ = true;
  bound_write_ahead_log();
  database_.begin();
}

// Before a transaction rather than after one: what the one before has promised is not kept waiting.
void SqliteStore::bound_write_ahead_log() {
  if (database_.wal_pages() < options_.checkpoint_pages) return;
  auto copied = database_.checkpoint();
  if (!copied && database_.wal_pages() >= options_.most_wal_pages) database_.stick(std::move(copied.error()));
}

bool SqliteStore::prune(const PruneLimits& limits) {
  const bool others_changes = open_;
  begin();
  const auto outcome = pruner_.run(limits);
  if (!others_changes && !outcome.changed && !database_.faulty()) rollback();
  return outcome.more && !database_.faulty();
}

Status SqliteStore::commit(Instant stamp, WallMs stamp_ms) {
  if (!open_) return Done{};
  jobs_.settle();
  logs_.settle();
  mark_.stamp = stamp;
  mark_.stamp_ms = stamp_ms;
  if (events_.any_waiting()) {
    events_.write_waiting(mark_);
  } else {
    header_.write_mark(mark_);
  }
  database_.commit();
  if (database_.faulty()) {
    const Error error = unavailable("the changes could not be stored", *database_.fault());
    rollback();
    return error;
  }
  open_ = false;
  kept_mark_ = mark_;
  return Done{};
}

void SqliteStore::rollback() {
  if (!open_) return;
  jobs_.forget();
  logs_.forget();
  database_.rollback();
  events_.drop_waiting();
  mark_ = kept_mark_;
  open_ = false;
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& file, const SqliteOptions& options) {
  auto database = open_database_file(file, options.vfs);
  if (!database) return std::move(database.error());
  auto store = std::make_unique<SqliteStore>(std::move(*database), file, options);
  if (const auto fault = store->load_mark()) return explain_open_fault(file, *fault);
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace stint
