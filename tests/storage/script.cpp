#include "tests/storage/script.hpp"

#include <gtest/gtest.h>

#include "tests/storage/sample_rows.hpp"
#include "tests/support/memory_store.hpp"

namespace stint::test {

namespace {

constexpr int jobs_a_step = 6;

std::vector<JobId> jobs_of(int step) {
  std::vector<JobId> ids;
  for (int i = 1; i <= jobs_a_step; ++i) ids.push_back((step - 1) * jobs_a_step + i);
  return ids;
}

void insert(Store& store, int step) {
  for (const auto id : jobs_of(step)) {
    auto payload = bytes_of(id % 3 == 0 ? 3'000 + static_cast<std::size_t>(id) : 50, id % 2 == 0);
    auto row = plain_job(id);
    row.payload_bytes = static_cast<std::int64_t>(payload.bytes.size());
    store.insert_job(row, payload);
  }
}

void hand_out(Store& store, int step) {
  std::vector<JobRun> runs;
  for (const auto id : jobs_of(step)) runs.push_back({id, 1});
  store.insert_receipt(receipt(step, runs));
}

// Of six jobs four complete, one waits again and one is dead.
void end(Store& store, int step) {
  for (const auto id : jobs_of(step)) {
    auto log = id % 2 == 0 ? full_log({id, 1}) : plain_log({id, 1});
    store.insert_log(log);
    if (id % jobs_a_step == 1) {
      store.change_job(JobChange{.id = id, .runs = 1, .attempts = 1, .ready_at = at_us(step)});
    } else if (id % jobs_a_step == 2) {
      store.change_job(JobChange{.id = id, .dead = true, .runs = 1, .ended_at_ms = step, .reason = "no use"});
    } else {
      store.delete_job(id);
    }
  }
  store.delete_receipt(step);
}

}  // namespace

Contents contents_of(Store& store) {
  Contents contents;
  const auto header = store.header();
  EXPECT_TRUE(header) << header.error().message;
  if (header) contents.header = *header;
  EXPECT_TRUE(store.each_job([&](const JobRow& row) { contents.jobs.push_back(row); }));
  EXPECT_TRUE(store.each_receipt([&](const ReceiptRow& row) { contents.receipts.push_back(row); }));
  EXPECT_TRUE(store.each_session([&](const SessionRow& row) { contents.sessions.push_back(row); }));
  for (const auto& row : contents.jobs) {
    const auto payload = store.payload(row.id);
    EXPECT_TRUE(payload && *payload);
    if (payload && *payload) contents.payloads[row.id] = **payload;
  }
  const auto logs = store.logs_after({}, 1'000'000);
  EXPECT_TRUE(logs);
  if (logs) contents.logs = *logs;
  const auto events = store.events_from(1, 1'000'000);
  EXPECT_TRUE(events);
  if (events) contents.events = *events;
  return contents;
}

void change(Store& store, int step) {
  insert(store, step);
  if (step == 1 || step % 5 == 0) store.put_session(session(step));
  if (step > 1) hand_out(store, step - 1);
  if (step > 2) store.acknowledge_receipt(step - 2), end(store, step - 2);
  // Now and then a commit without events, whose mark goes elsewhere.
  if (step % 4 != 0) {
    const auto before = step - 1 - (step - 1) / 4;
    store.append_events(events(1 + 2 * before, 2, step % 3 == 0 ? 20'000 : 60));
  }
}

Status commit(Store& store, int step) { return store.commit(at_us(step * 1'000), step * 10); }

std::vector<Contents> contents_after_each_step(int steps) {
  MemoryDisk disk;
  MemoryStore store(disk);
  std::vector<Contents> after = {contents_of(store)};
  for (int step = 1; step <= steps; ++step) {
    change(store, step);
    EXPECT_TRUE(commit(store, step));
    after.push_back(contents_of(store));
  }
  return after;
}

}  // namespace stint::test
