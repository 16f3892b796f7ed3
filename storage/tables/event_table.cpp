#include "storage/tables/event_table.hpp"

#include <algorithm>

namespace stint {

void EventTable::read_newest(StoreHeader& header) {
  if (auto rows = newest_.query(); rows.next()) {
    header.event_seq = rows.integer();
    CommitMark mark;
    mark.stamp = rows.instant();
    mark.stamp_ms = rows.integer();
    mark.last_job = rows.integer();
    mark.last_session = rows.integer();
    mark.last_receipt = rows.integer();
    put_mark(header, later(mark, mark_of(header)));
  }
  for (const auto& chunk : waiting_) header.event_seq = chunk.first_seq + chunk.messages - 1;
}

std::vector<EventChunk> EventTable::from(std::int64_t seq, std::int64_t most) {
  std::vector<EventChunk> found;
  for (auto rows = from_.query(seq, most); rows.next();) {
    EventChunk& chunk = found.emplace_back();
    chunk.first_seq = rows.integer();
    chunk.messages = rows.integer();
    chunk.bytes = rows.bytes();
  }
  for (const auto& chunk : waiting_) {
    if (static_cast<std::int64_t>(found.size()) >= most) break;
    if (chunk.first_seq + chunk.messages > seq) found.push_back(chunk);
  }
  return found;
}

std::int64_t EventTable::oldest() {
  if (auto rows = oldest_.query(); rows.next()) {
    if (const auto seq = rows.optional_integer()) return *seq;
  }
  return waiting_.empty() ? 0 : waiting_.front().first_seq;
}

void EventTable::write_waiting(const CommitMark& mark) {
  std::int64_t next_seq = 1;
  std::int64_t total = 0;
  if (auto rows = end_.query(); rows.next()) {
    next_seq = rows.integer();
    total = rows.integer();
  }
  for (const auto& chunk : waiting_) {
    if (chunk.first_seq != next_seq) database_.refuse("the events do not follow one another");
    next_seq += chunk.messages;
    total += static_cast<std::int64_t>(chunk.bytes.size());
    insert_.run(chunk.first_seq, chunk.messages, mark.stamp, mark.stamp_ms, mark.last_job, mark.last_session,
                mark.last_receipt, total, Blob{chunk.bytes});
  }
  waiting_.clear();
}

}  // namespace stint
