#include "tests/support/memory_store.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stint::test {

namespace {

Error unavailable(const std::string& why) { return {ErrorCode::storage_unavailable, why}; }

template <class Map>
std::optional<typename Map::mapped_type> find(const Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  return found->second;
}

template <class Map>
std::vector<typename Map::mapped_type> rows_after(const Map& map, const typename Map::key_type& after,
                                                  std::int64_t most) {
  std::vector<typename Map::mapped_type> rows;
  for (auto row = map.upper_bound(after); row != map.end() && std::ssize(rows) < most; ++row) {
    rows.push_back(row->second);
  }
  return rows;
}

template <class Map, class Visit>
void each(const Map& map, const Visit& visit) {
  for (const auto& [key, row] : map) visit(row);
}

}  // namespace

// --- Loading and reading ---

Result<StoreHeader> MemoryStore::header() {
  if (auto fault = read_fault()) return *fault;
  return disk_.header;
}

Status MemoryStore::each_job(const std::function<void(const JobRow&)>& visit) {
  if (auto fault = read_fault()) return *fault;
  each(disk_.jobs, visit);
  return Done{};
}

Status MemoryStore::each_receipt(const std::function<void(const ReceiptRow&)>& visit) {
  if (auto fault = read_fault()) return *fault;
  each(disk_.receipts, visit);
  return Done{};
}

Status MemoryStore::each_session(const std::function<void(const SessionRow&)>& visit) {
  if (auto fault = read_fault()) return *fault;
  each(disk_.sessions, visit);
  return Done{};
}

Status MemoryStore::each_limit(const std::function<void(const LimitRow&)>& visit) {
  if (auto fault = read_fault()) return *fault;
  each(disk_.limits, visit);
  return Done{};
}

Status MemoryStore::each_gate(const std::function<void(const GateRow&)>& visit) {
  if (auto fault = read_fault()) return *fault;
  each(disk_.gates, visit);
  return Done{};
}

Status MemoryStore::each_window(const std::function<void(const WindowRow&)>& visit) {
  if (auto fault = read_fault()) return *fault;
  each(disk_.windows, visit);
  return Done{};
}

Status MemoryStore::each_topic(const std::function<void(const TopicRow&)>& visit) {
  if (auto fault = read_fault()) return *fault;
  each(disk_.topics, visit);
  return Done{};
}

Result<std::optional<JobRow>> MemoryStore::job(JobId id) {
  if (auto fault = read_fault()) return *fault;
  return find(disk_.jobs, id);
}

Result<std::optional<Payload>> MemoryStore::payload(JobId id) {
  if (auto fault = read_fault()) return *fault;
  return find(disk_.payloads, id);
}

Status MemoryStore::whole_jobs(const std::vector<JobId>& ids, const std::function<bool(WholeJob&&)>& visit) {
  for (const JobId id : ids) {
    if (auto fault = read_fault()) return *fault;
    const auto row = find(disk_.jobs, id);
    if (!row || !visit(WholeJob{*row, disk_.payloads.at(id)})) break;
  }
  return Done{};
}

Result<std::optional<LogRow>> MemoryStore::log(JobRun run) {
  if (auto fault = read_fault()) return *fault;
  return find(disk_.logs, run);
}

Result<std::vector<LogRow>> MemoryStore::logs_of(JobId id, std::int64_t most) {
  if (auto fault = read_fault()) return *fault;
  std::vector<LogRow> rows;
  const auto first = disk_.logs.lower_bound({id, 0});
  auto row = disk_.logs.lower_bound({id + 1, 0});
  while (row != first && std::ssize(rows) < most) rows.push_back((--row)->second);
  std::reverse(rows.begin(), rows.end());
  return rows;
}

Result<std::vector<JobRow>> MemoryStore::jobs_after(JobId after, std::int64_t most) {
  if (auto fault = read_fault()) return *fault;
  return rows_after(disk_.jobs, after, most);
}

Result<std::vector<LogRow>> MemoryStore::logs_after(JobRun after, std::int64_t most) {
  if (auto fault = read_fault()) return *fault;
  return rows_after(disk_.logs, after, most);
}

Result<std::optional<BatchKeyRow>> MemoryStore::batch_key(const std::string& key) {
  if (auto fault = read_fault()) return *fault;
  return find(disk_.batch_keys, key);
}

Result<std::vector<EventChunk>> MemoryStore::events_from(std::int64_t from_seq, std::int64_t most) {
  if (auto fault = read_fault()) return *fault;
  auto row = disk_.events.upper_bound(from_seq);
  // The chunk before may hold `from_seq` too.
  if (row != disk_.events.begin()) {
    const EventChunk& before = std::prev(row)->second.chunk;
    if (before.first_seq + before.messages > from_seq) --row;
  }
  std::vector<EventChunk> chunks;
  for (; row != disk_.events.end() && std::ssize(chunks) < most; ++row) chunks.push_back(row->second.chunk);
  return chunks;
}

Result<std::int64_t> MemoryStore::oldest_event() {
  if (auto fault = read_fault()) return *fault;
  return disk_.events.empty() ? 0 : disk_.events.begin()->first;
}

StoreSizes MemoryStore::sizes() {
  StoreSizes sizes;
  for (const auto& [id, payload] : disk_.payloads) sizes.database_bytes += std::ssize(payload.bytes);
  for (const auto& [seq, row] : disk_.events) sizes.database_bytes += std::ssize(row.chunk.bytes);
  return sizes;
}

// --- Changing ---

void MemoryStore::insert_job(const JobRow& row, const Payload& payload) {
  if (disk_.jobs.contains(row.id)) return refuse("a job with this id exists");
  remember(disk_.jobs, row.id);
  remember(disk_.payloads, row.id);
  remember_header();
  disk_.jobs[row.id] = row;
  disk_.payloads[row.id] = payload;
  disk_.header.last_job = std::max(disk_.header.last_job, row.id);
}

void MemoryStore::change_job(const JobChange& change) {
  const auto row = disk_.jobs.find(change.id);
  if (row == disk_.jobs.end()) return refuse("a job to change does not exist");
  remember(disk_.jobs, change.id);
  JobRow& job = row->second;
  job.dead = change.dead;
  job.runs = change.runs;
  job.attempts = change.attempts;
  job.lost = change.lost;
  job.undelivered = change.undelivered;
  job.ready_at = change.ready_at;
  job.run_at_ms = change.run_at_ms;
  job.ended_at_ms = change.ended_at_ms;
  job.cancel_requested = change.cancel_requested;
  job.reason = change.reason;
}

void MemoryStore::delete_job(JobId id) {
  remember(disk_.jobs, id);
  remember(disk_.payloads, id);
  disk_.jobs.erase(id);
  disk_.payloads.erase(id);
}

void MemoryStore::delete_logs_of(JobId id) {
  auto row = disk_.logs.lower_bound({id, 0});
  while (row != disk_.logs.end() && row->first.id == id) {
    remember(disk_.logs, row->first);
    row = disk_.logs.erase(row);
  }
}

void MemoryStore::insert_receipt(const ReceiptRow& row) {
  if (disk_.receipts.contains(row.id)) return refuse("a receipt with this id exists");
  remember(disk_.receipts, row.id);
  remember_header();
  disk_.receipts[row.id] = row;
  disk_.header.last_receipt = std::max(disk_.header.last_receipt, row.id);
}

void MemoryStore::acknowledge_receipt(ReceiptId id) {
  const auto row = disk_.receipts.find(id);
  if (row == disk_.receipts.end()) return refuse("a receipt to acknowledge does not exist");
  remember(disk_.receipts, id);
  row->second.acknowledged = true;
}

void MemoryStore::delete_receipt(ReceiptId id) {
  remember(disk_.receipts, id);
  disk_.receipts.erase(id);
}

void MemoryStore::insert_log(const LogRow& row) {
  if (disk_.logs.contains(row.run)) return refuse("a log of this run exists");
  remember(disk_.logs, row.run);
  disk_.logs[row.run] = row;
}

void MemoryStore::put_session(const SessionRow& row) {
  remember(disk_.sessions, row.number);
  remember_header();
  disk_.sessions[row.number] = row;
  disk_.header.last_session = std::max(disk_.header.last_session, row.number);
}

void MemoryStore::delete_session(SessionNumber number) { erase(disk_.sessions, number); }

void MemoryStore::put_batch_key(const BatchKeyRow& row) {
  remember(disk_.batch_keys, row.key);
  disk_.batch_keys[row.key] = row;
}

void MemoryStore::put_limit(const LimitRow& row) {
  put(disk_.limits, {row.scope, row.name, row.source}, row);
}

void MemoryStore::delete_limit(LimitScope scope, const std::string& name, LimitSource source) {
  erase(disk_.limits, {scope, name, source});
}

void MemoryStore::put_gate(const GateRow& row) { put(disk_.gates, {row.scope, row.name}, row); }

void MemoryStore::delete_gate(LimitScope scope, const std::string& name) {
  erase(disk_.gates, {scope, name});
}

void MemoryStore::put_window(const WindowRow& row) { put(disk_.windows, {row.handler, row.at}, row); }

void MemoryStore::delete_window(const std::string& handler, Instant at) {
  erase(disk_.windows, {handler, at});
}

void MemoryStore::delete_windows_before(const std::string& handler, Instant at) {
  auto row = disk_.windows.lower_bound({handler, Instant::min()});
  while (row != disk_.windows.end() && row->first.first == handler && row->first.second < at) {
    erase(disk_.windows, (row++)->first);
  }
}

void MemoryStore::put_topic(const TopicRow& row) { put(disk_.topics, row.topic, row); }

void MemoryStore::append_events(const EventChunk& chunk) {
  if (chunk.first_seq != disk_.header.event_seq + 1) return refuse("the events do not follow each other");
  remember(disk_.events, chunk.first_seq);
  remember_header();
  disk_.events[chunk.first_seq] = {chunk, disk_.header.last_commit_ms};
  disk_.header.event_seq += chunk.messages;
}

void MemoryStore::put_header(const StoreHeader& header) {
  remember_header();
  disk_.header.boot_id = header.boot_id;
  disk_.header.starts = header.starts;
  disk_.header.log = header.log;
  disk_.header.clock_offset = header.clock_offset;
  disk_.header.restored_at = header.restored_at;
  disk_.header.last_job = std::max(disk_.header.last_job, header.last_job);
  disk_.header.last_session = std::max(disk_.header.last_session, header.last_session);
  disk_.header.last_receipt = std::max(disk_.header.last_receipt, header.last_receipt);
}

// --- Pruning ---

bool MemoryStore::prune(const PruneLimits& limits) {
  std::int64_t rows = limits.rows;
  bool more = prune_logs(limits.logs_before_ms, rows);
  more |= prune_dead(limits.dead_before_ms, rows);
  more |= prune_events(limits, rows);
  more |= prune_topics(rows);
  more |= prune_sessions(limits.sessions_before, rows);
  more |= prune_batch_keys(limits, rows);
  return more;
}

// The history of a job that has not ended is part of it and stays.
bool MemoryStore::prune_logs(WallMs before, std::int64_t& rows) {
  for (auto log = disk_.logs.begin(); log != disk_.logs.end();) {
    if (log->second.ended_at_ms >= before || disk_.jobs.contains(log->first.id)) {
      ++log;
      continue;
    }
    if (rows-- <= 0) return true;
    remember(disk_.logs, log->first);
    log = disk_.logs.erase(log);
  }
  return false;
}

bool MemoryStore::prune_dead(WallMs before, std::int64_t& rows) {
  for (auto job = disk_.jobs.begin(); job != disk_.jobs.end();) {
    const JobRow& row = (job++)->second;
    if (!row.dead || row.ended_at_ms >= before) continue;
    if (rows-- <= 0) return true;
    const JobId id = row.id;
    delete_job(id);
    delete_logs_of(id);
  }
  return false;
}

bool MemoryStore::prune_events(const PruneLimits& limits, std::int64_t& rows) {
  std::int64_t bytes = 0;
  for (const auto& [seq, row] : disk_.events) bytes += std::ssize(row.chunk.bytes);
  while (!disk_.events.empty()) {
    const auto& [seq, row] = *disk_.events.begin();
    if (row.at_ms >= limits.events_before_ms && bytes <= limits.events_bytes) return false;
    if (rows-- <= 0) return true;
    bytes -= std::ssize(row.chunk.bytes);
    remember(disk_.events, seq);
    disk_.events.erase(disk_.events.begin());
  }
  return false;
}

bool MemoryStore::prune_topics(std::int64_t& rows) {
  const std::int64_t oldest = disk_.events.empty() ? disk_.header.event_seq + 1 : disk_.events.begin()->first;
  for (auto topic = disk_.topics.begin(); topic != disk_.topics.end();) {
    const TopicRow& row = (topic++)->second;
    if (row.seq >= oldest) continue;
    if (rows-- <= 0) return true;
    erase(disk_.topics, std::string(row.topic));
  }
  return false;
}

bool MemoryStore::prune_sessions(Instant before, std::int64_t& rows) {
  for (auto session = disk_.sessions.begin(); session != disk_.sessions.end();) {
    if (session->second.last_message >= before) {
      ++session;
      continue;
    }
    if (rows-- <= 0) return true;
    remember(disk_.sessions, session->first);
    session = disk_.sessions.erase(session);
  }
  return false;
}

// Without keys of clients yet, all batch keys are of one client.
bool MemoryStore::prune_batch_keys(const PruneLimits& limits, std::int64_t& rows) {
  std::vector<std::pair<Instant, std::string>> oldest_first;
  for (const auto& [key, row] : disk_.batch_keys) oldest_first.emplace_back(row.at, key);
  std::sort(oldest_first.begin(), oldest_first.end());
  for (const auto& [at, key] : oldest_first) {
    if (at >= limits.batch_keys_before && std::ssize(disk_.batch_keys) <= limits.batch_keys) return false;
    if (rows-- <= 0) return true;
    remember(disk_.batch_keys, key);
    disk_.batch_keys.erase(key);
  }
  return false;
}

// --- Transactions ---

Status MemoryStore::commit(Instant stamp, WallMs stamp_ms) {
  if (!fault_ && commits_to_fail_ > 0) {
    --commits_to_fail_;
    fault_ = unavailable("the disk is full");
  }
  if (fault_) {
    const Error error = *fault_;
    rollback();
    return error;
  }
  undo_.clear();
  disk_.header.last_commit = stamp;
  disk_.header.last_commit_ms = stamp_ms;
  ++disk_.commits;
  return Done{};
}

void MemoryStore::rollback() {
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
  undo_.clear();
  fault_.reset();
}

template <class Map>
void MemoryStore::remember(Map& map, const typename Map::key_type& key) {
  undo_.push_back([&map, key, before = find(map, key)] {
    if (before) {
      map.insert_or_assign(key, *before);
    } else {
      map.erase(key);
    }
  });
}

template <class Map>
void MemoryStore::put(Map& map, const typename Map::key_type& key, const typename Map::mapped_type& row) {
  remember(map, key);
  map.insert_or_assign(key, row);
}

template <class Map>
void MemoryStore::erase(Map& map, const typename Map::key_type& key) {
  if (!map.contains(key)) return;
  remember(map, key);
  map.erase(map.find(key));
}

void MemoryStore::remember_header() {
  undo_.push_back([this, before = disk_.header] { disk_.header = before; });
}

void MemoryStore::refuse(const std::string& why) {
  if (!fault_) fault_ = unavailable(why);
}

std::optional<Error> MemoryStore::read_fault() {
  if (reads_to_fail_ <= 0) return std::nullopt;
  --reads_to_fail_;
  return unavailable("the disk cannot be read");
}

}  // namespace stint::test
