// MemoryStore: a Store for tests and for the simulator. Its rows live on a MemoryDisk, which outlives it:
// destroying a MemoryStore is a crash of its process, and what was not committed is gone from the disk.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "storage/store.hpp"

namespace stint::test {

struct MemoryDisk {
  struct Chunk {
    EventChunk chunk;
    WallMs at_ms = 0;
  };
  StoreHeader header;
  std::map<JobId, JobRow> jobs;
  std::map<JobId, Payload> payloads;
  std::map<ReceiptId, ReceiptRow> receipts;
  std::map<JobRun, LogRow> logs;
  std::map<SessionNumber, SessionRow> sessions;
  std::map<std::string, BatchKeyRow> batch_keys;
  std::map<std::tuple<LimitScope, std::string, LimitSource>, LimitRow> limits;
  std::map<std::pair<LimitScope, std::string>, GateRow> gates;
  std::map<std::pair<std::string, Instant>, WindowRow> windows;
  std::map<std::string, TopicRow> topics;
  std::map<std::int64_t, Chunk> events;  // by first_seq
  std::int64_t commits = 0;
};

class MemoryStore : public Store {
 public:
  explicit MemoryStore(MemoryDisk& disk) : disk_(disk) {}
  ~MemoryStore() override { rollback(); }
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  // The next `count` commits fail, as those of a full disk do.
  void fail_commits(std::int64_t count) { commits_to_fail_ = count; }
  // The next `count` calls that load or read fail.
  void fail_reads(std::int64_t count) { reads_to_fail_ = count; }

  Result<StoreHeader> header() override;
  Status each_job(const std::function<void(const JobRow&)>& visit) override;
  Status each_receipt(const std::function<void(const ReceiptRow&)>& visit) override;
  Status each_session(const std::function<void(const SessionRow&)>& visit) override;
  Status each_limit(const std::function<void(const LimitRow&)>& visit) override;
  Status each_gate(const std::function<void(const GateRow&)>& visit) override;
  Status each_window(const std::function<void(const WindowRow&)>& visit) override;
  Status each_topic(const std::function<void(const TopicRow&)>& visit) override;

  Result<std::optional<JobRow>> job(JobId id) override;
  Result<std::optional<Payload>> payload(JobId id) override;
  Status whole_jobs(const std::vector<JobId>& ids, const std::function<bool(WholeJob&&)>& visit) override;
  Result<std::optional<LogRow>> log(JobRun run) override;
  Result<std::vector<LogRow>> logs_of(JobId id, std::int64_t most) override;
  Result<std::vector<JobRow>> jobs_after(JobId after, std::int64_t most) override;
  Result<std::vector<LogRow>> logs_after(JobRun after, std::int64_t most) override;
  Result<std::optional<BatchKeyRow>> batch_key(const std::string& key) override;
  Result<std::vector<EventChunk>> events_from(std::int64_t from_seq, std::int64_t most) override;
  Result<std::int64_t> oldest_event() override;
  StoreSizes sizes() override;

  void insert_job(const JobRow& row, const Payload& payload) override;
  void change_job(const JobChange& change) override;
  void delete_job(JobId id) override;
  void delete_logs_of(JobId id) override;
  void insert_receipt(const ReceiptRow& row) override;
  void acknowledge_receipt(ReceiptId id) override;
  void delete_receipt(ReceiptId id) override;
  void insert_log(const LogRow& row) override;
  void put_session(const SessionRow& row) override;
  void delete_session(SessionNumber number) override;
  void put_batch_key(const BatchKeyRow& row) override;
  void put_limit(const LimitRow& row) override;
  void delete_limit(LimitScope scope, const std::string& name, LimitSource source) override;
  void put_gate(const GateRow& row) override;
  void delete_gate(LimitScope scope, const std::string& name) override;
  void put_window(const WindowRow& row) override;
  void delete_window(const std::string& handler, Instant at) override;
  void delete_windows_before(const std::string& handler, Instant at) override;
  void put_topic(const TopicRow& row) override;
  void append_events(const EventChunk& chunk) override;
  void put_header(const StoreHeader& header) override;
  bool prune(const PruneLimits& limits) override;

  bool has_changes() const override { return !undo_.empty() || fault_.has_value(); }
  Status commit(Instant stamp, WallMs stamp_ms) override;
  void rollback() override;

 private:
  // What undoes the change of one row that is about to be made.
  template <class Map>
  void remember(Map& map, const typename Map::key_type& key);
  template <class Map>
  void put(Map& map, const typename Map::key_type& key, const typename Map::mapped_type& row);
  template <class Map>
  void erase(Map& map, const typename Map::key_type& key);
  void remember_header();
  // A change that cannot be made: the first one sticks until the commit fails with it.
  void refuse(const std::string& why);
  std::optional<Error> read_fault();

  bool prune_logs(WallMs before, std::int64_t& rows);
  bool prune_dead(WallMs before, std::int64_t& rows);
  bool prune_events(const PruneLimits& limits, std::int64_t& rows);
  bool prune_topics(std::int64_t& rows);
  bool prune_sessions(Instant before, std::int64_t& rows);
  bool prune_batch_keys(const PruneLimits& limits, std::int64_t& rows);

  MemoryDisk& disk_;
  std::vector<std::function<void()>> undo_;
  std::optional<Error> fault_;
  std::int64_t commits_to_fail_ = 0;
  std::int64_t reads_to_fail_ = 0;
};

}  // namespace stint::test
