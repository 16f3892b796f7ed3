#include "storage/tables/job_table.hpp"

#include <iterator>
#include <utility>

#include "storage/encodings.hpp"

namespace stint {

namespace {

const std::string columns =
    "id, dead, ended_at_ms, priority, runs, attempts, lost, undelivered, cancel_requested, ready_at, "
    "run_at_ms,"
    " enqueued_at_ms, max_attempts, timeout_ms, payload_bytes, queue, handler, backoff, meta, reason";

}  // namespace

JobTable::JobTable(Database& database)
    : database_(database),
      each_(database, "SELECT " + columns + " FROM jobs ORDER BY id"),
      find_(database, "SELECT " + columns + " FROM jobs WHERE id = ?"),
      after_(database, "SELECT " + columns + " FROM jobs WHERE id > ? ORDER BY id LIMIT ?"),
      payload_(database, "SELECT payload_is_text, payload FROM jobs WHERE id = ?"),
      whole_from_(database,
                  "SELECT " + columns + ", payload_is_text, payload FROM jobs WHERE id >= ? ORDER BY id"),
      large_payload_(database, "SELECT bytes FROM payloads WHERE job = ?"),
      insert_(database, "INSERT INTO jobs(" + columns +
                            ", payload_is_text, payload)"
                            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      insert_plain_(database,
                    "jobs(id, priority, ready_at, enqueued_at_ms, payload_bytes, queue, handler,"
                    " payload_is_text, payload)"),
      insert_large_payload_(database, "INSERT INTO payloads VALUES(?, ?)"),
      change_(database,
              "UPDATE jobs SET dead = ?, ended_at_ms = ?, runs = ?, attempts = ?, lost = ?, undelivered = ?,"
              " cancel_requested = ?, ready_at = ?, run_at_ms = ?, reason = ? WHERE id = ?"),
      erase_small_(database, "DELETE FROM jobs WHERE id = ? AND payload IS NOT NULL"),
      erase_(database, "DELETE FROM jobs WHERE id = ?"),
      erase_large_payload_(database, "DELETE FROM payloads WHERE job = ?"),
      erase_range_(database, "DELETE FROM jobs WHERE id BETWEEN ? AND ?"),
      erase_large_payloads_(database, "DELETE FROM payloads WHERE job BETWEEN ? AND ?") {}

void JobTable::read(Rows& rows, JobRow& row) {
  row.id = rows.integer();
  row.dead = rows.boolean();
  row.ended_at_ms = rows.integer();
  row.priority = static_cast<int>(rows.integer());
  row.runs = rows.integer();
  row.attempts = rows.integer();
  row.lost = rows.integer();
  row.undelivered = rows.integer();
  row.cancel_requested = rows.boolean();
  row.ready_at = rows.instant();
  row.run_at_ms = rows.optional_integer();
  row.enqueued_at_ms = rows.integer();
  row.max_attempts = rows.optional_integer();
  row.timeout_ms = rows.optional_integer();
  row.payload_bytes = rows.integer();
  row.queue = rows.bytes();
  row.handler = rows.bytes();
  row.backoff.reset();
  row.meta.clear();
  if (const auto backoff = rows.optional_bytes()) {
    row.backoff = decode_backoff(*backoff);
    if (!row.backoff) database_.report_damage("the backoff of job " + std::to_string(row.id));
  }
  if (const auto encoded = rows.optional_bytes()) {
    auto meta = decode_meta(*encoded);
    if (!meta) database_.report_damage("the meta of job " + std::to_string(row.id));
    row.meta = std::move(meta).value_or(Meta{});
  }
  row.reason = rows.bytes();
}

void JobTable::each(const std::function<void(const JobRow&)>& visit) {
  settle();
  JobRow row;
  for (auto rows = each_.query(); rows.next();) {
    read(rows, row);
    if (!database_.faulty()) visit(row);
  }
}

std::optional<JobRow> JobTable::find(JobId id) {
  settle();
  auto rows = find_.query(id);
  if (!rows.next()) return std::nullopt;
  JobRow row;
  read(rows, row);
  return row;
}

std::optional<Payload> JobTable::payload(JobId id) {
  settle();
  auto rows = payload_.query(id);
  if (!rows.next()) return std::nullopt;
  Payload payload;
  read_payload(rows, id, payload);
  return payload;
}

void JobTable::find_whole(const std::vector<JobId>& ids, const std::function<bool(WholeJob&&)>& visit) {
  settle();
  for (auto id = ids.begin(); id != ids.end();) {
    auto rows = whole_from_.query(*id);
    do {
      WholeJob job;
      if (!rows.next()) return;
      read(rows, job.row);
      if (job.row.id != *id) return;
      read_payload(rows, *id, job.payload);
      if (database_.faulty() || !visit(std::move(job))) return;
      ++id;
    } while (id != ids.end() && *id == *std::prev(id) + 1);
  }
}

void JobTable::read_payload(Rows& rows, JobId id, Payload& payload) {
  payload.is_text = rows.boolean();
  if (const auto bytes = rows.optional_bytes()) {
    payload.bytes = *bytes;
    return;
  }
  auto large = large_payload_.query(id);
  if (large.next()) {
    payload.bytes = large.bytes();
  } else {
    database_.report_damage("the payload of job " + std::to_string(id) + " is missing");
  }
}

std::vector<JobRow> JobTable::after(JobId id, std::int64_t most) {
  settle();
  std::vector<JobRow> found;
  for (auto rows = after_.query(id, most); rows.next();) read(rows, found.emplace_back());
  return found;
}

bool JobTable::is_plain(const JobRow& row, const Payload& payload) {
  return payload.bytes.size() <= inline_bytes && !row.dead && row.runs == 0 && row.attempts == 0 &&
         row.lost == 0 && row.undelivered == 0 && row.ended_at_ms == 0 && !row.cancel_requested &&
         !row.run_at_ms && !row.max_attempts && !row.timeout_ms && !row.backoff && row.meta.empty() &&
         row.reason.empty();
}

void JobTable::insert(const JobRow& row, const Payload& payload) {
  if (is_plain(row, payload)) {
    return insert_plain_.add([&](PlainJob& job) {
      job.id = row.id;
      job.priority = row.priority;
      job.ready_at = row.ready_at;
      job.enqueued_at_ms = row.enqueued_at_ms;
      job.queue = row.queue;
      job.handler = row.handler;
      job.payload = payload;
    });
  }
  const auto bytes = static_cast<std::int64_t>(payload.bytes.size());
  const bool large = payload.bytes.size() > inline_bytes;
  const auto in_row = large ? std::nullopt : std::optional(Blob{payload.bytes});
  const auto backoff = row.backoff ? encode_backoff(*row.backoff) : std::string();
  const auto meta = encode_meta(row.meta);
  insert_.run(row.id, row.dead, row.ended_at_ms, row.priority, row.runs, row.attempts, row.lost,
              row.undelivered, row.cancel_requested, row.ready_at, row.run_at_ms, row.enqueued_at_ms,
              row.max_attempts, row.timeout_ms, bytes, row.queue, row.handler, blob_or_null(backoff),
              blob_or_null(meta), text_or_null(row.reason), payload.is_text, in_row);
  if (large) insert_large_payload_.run(row.id, Blob{payload.bytes});
}

void JobTable::change(const JobChange& change) {
  settle();
  const auto changes = database_.changes();
  change_.run(change.dead, change.ended_at_ms, change.runs, change.attempts, change.lost, change.undelivered,
              change.cancel_requested, change.ready_at, change.run_at_ms, text_or_null(change.reason),
              change.id);
  if (database_.changes() == changes)
    database_.refuse("job " + std::to_string(change.id) + " to change is not there");
}

void JobTable::erase(JobId id) {
  if (last_erased_ != 0 && id == last_erased_ + 1) {
    last_erased_ = id;
    return;
  }
  settle_erased();
  first_erased_ = last_erased_ = id;
}

void JobTable::settle() {
  insert_plain_.settle();
  settle_erased();
}

void JobTable::forget() {
  insert_plain_.forget();
  first_erased_ = last_erased_ = 0;
}

// Most jobs are small: for one of those no second table is searched.
void JobTable::settle_erased() {
  if (last_erased_ == 0) return;
  // One of them may have come with the same commit.
  insert_plain_.settle();
  const JobId first = std::exchange(first_erased_, 0);
  const JobId last = std::exchange(last_erased_, 0);
  if (first != last) {
    erase_range_.run(first, last);
    erase_large_payloads_.run(first, last);
    return;
  }
  const auto changes = database_.changes();
  erase_small_.run(first);
  if (database_.changes() != changes) return;
  erase_.run(first);
  erase_large_payload_.run(first);
}

}  // namespace stint
