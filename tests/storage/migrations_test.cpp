// Files of every older version come forward by themselves; those of newer ones are left alone (CASES 39).
#include "storage/migrations.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "storage/database_file.hpp"
#include "storage/sqlite_store.hpp"
#include "tests/storage/raw_sqlite.hpp"
#include "tests/storage/sample_rows.hpp"
#include "tests/storage/temporary_folder.hpp"
#include "tests/storage/version_1_file.hpp"

namespace stint::test {

namespace {

std::string read_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Tables and columns, without the text of the statements that made them.
std::string shape_of(const std::string& file) {
  return RawSqlite(file).query(
      "SELECT t.name, t.wr, t.strict, c.name, c.type, c.\"notnull\", c.pk FROM pragma_table_list AS t,"
      " pragma_table_xinfo(t.name) AS c WHERE t.schema = 'main' ORDER BY t.name, c.name");
}

std::vector<Migration> steps_and(std::vector<Migration> more) {
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  for (auto& step : more) {
    step.version += newest_version(migrations());
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

TEST(Migrations, are_numbered_from_one_without_gaps) {
  int expected = 0;
  for (const auto& step : migrations()) EXPECT_EQ(step.version, ++expected);
  EXPECT_EQ(newest_version(migrations()), expected);
}

TEST(Migrations, bring_a_file_of_version_1_to_the_shape_of_a_new_one) {
  const TemporaryFolder folder;
  make_version_1_file(folder.file("old.db"));
  ASSERT_TRUE(open_sqlite_store(folder.file("old.db")));
  ASSERT_TRUE(open_sqlite_store(folder.file("new.db")));
  EXPECT_EQ(shape_of(folder.file("old.db")), shape_of(folder.file("new.db")));
  EXPECT_EQ(RawSqlite(folder.file("old.db")).query("PRAGMA user_version"),
            std::to_string(newest_version(migrations())) + "|");
  EXPECT_EQ(RawSqlite(folder.file("old.db")).query("PRAGMA integrity_check"), "ok|");
}

TEST(Migrations, keep_every_row_of_a_file_of_version_1) {
  const TemporaryFolder folder;
  make_version_1_file(folder.file());
  auto store = std::move(*open_sqlite_store(folder.file()));

  const auto header = store->header().value();
  EXPECT_EQ(header.boot_id, "boot");
  EXPECT_EQ(header.starts, 4);
  EXPECT_EQ(header.log, "log");
  EXPECT_EQ(header.clock_offset, Duration(-5));
  EXPECT_EQ(header.last_commit, at_us(70));
  EXPECT_EQ(header.last_commit_ms, 71);
  EXPECT_EQ(header.last_job, 13);
  EXPECT_EQ(header.last_session, 2);
  EXPECT_EQ(header.last_receipt, 5);
  EXPECT_EQ(header.event_seq, 3);

  EXPECT_EQ(store->payload(11).value(), (Payload{"hello", true}));
  EXPECT_EQ(store->payload(12).value(), (Payload{std::string(600, '\0'), false}));
  EXPECT_EQ(store->payload(13).value(), (Payload{"", false}));

  auto dead = store->job(12).value().value();
  EXPECT_EQ(dead.backoff, (Backoff{.first_ms = 1'000, .factor = 1.5, .cap_ms = 5'000, .jitter = 0.25}));
  EXPECT_EQ(dead.meta, (Meta{{"tenant", "7"}}));
  EXPECT_EQ(dead.reason, "lost");
  EXPECT_EQ(dead.run_at_ms, 1'234);
  EXPECT_TRUE(dead.dead && dead.cancel_requested);

  std::vector<ReceiptRow> receipts;
  ASSERT_TRUE(store->each_receipt([&](const ReceiptRow& row) { receipts.push_back(row); }));
  ASSERT_EQ(receipts.size(), 1u);
  EXPECT_EQ(receipts[0].runs, (std::vector<JobRun>{{13, 1}}));
  EXPECT_EQ(receipts[0].started_at, at_us(2'000));
  EXPECT_TRUE(receipts[0].acknowledged);

  const auto log = store->log({11, 1}).value().value();
  EXPECT_EQ(log.end, RunEnd::failed);
  EXPECT_EQ(log.state, JobState::retrying);
  EXPECT_EQ(log.error, (RunError{"E", "no", ""}));
  EXPECT_EQ(log.result, (Payload{"ok", true}));

  std::vector<SessionRow> sessions;
  ASSERT_TRUE(store->each_session([&](const SessionRow& row) { sessions.push_back(row); }));
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(to_string(sessions[0].id), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(sessions[0].handlers, std::vector<std::string>{"hello"});
  EXPECT_EQ(sessions[0].queues, std::vector<std::string>{"default"});

  const auto key = store->batch_key("key").value().value();
  EXPECT_EQ(key.content_hash, 0xffff'ffff'ffff'fffe);
  EXPECT_EQ(key.ids, (std::vector<JobId>{11, 12}));
  EXPECT_EQ(store->events_from(1, 9).value(), std::vector{(EventChunk{1, 3, std::string("\1\2\3\4")})});
}

TEST(Migrations, give_a_file_of_version_1_room_for_limits_and_topics) {
  const TemporaryFolder folder;
  make_version_1_file(folder.file());
  for (int life = 0; life < 2; ++life) {
    auto store = std::move(*open_sqlite_store(folder.file()));
    int rows = 0;
    ASSERT_TRUE(store->each_limit([&](const LimitRow&) { ++rows; }));
    ASSERT_TRUE(store->each_gate([&](const GateRow&) { ++rows; }));
    ASSERT_TRUE(store->each_window([&](const WindowRow&) { ++rows; }));
    ASSERT_TRUE(store->each_topic([&](const TopicRow&) { ++rows; }));
    EXPECT_EQ(rows, 4 * life);
    EXPECT_EQ(store->oldest_event().value(), 1);
    store->put_limit(limit_row(LimitScope::queue, "email", LimitSource::operated, bucket_limit()));
    store->put_gate({LimitScope::queue, "email", 1, 5, at_us(1), {}});
    store->put_window({"hello", at_us(3), 2});
    store->put_topic({"job/email/enqueued", 3});
    ASSERT_TRUE(store->commit(at_us(100), 100));
  }
}

TEST(Migrations, take_only_the_steps_a_file_has_not_taken) {
  const TemporaryFolder folder;
  make_version_1_file(folder.file());
  const auto steps =
      steps_and({{1, "ALTER TABLE jobs ADD COLUMN colour TEXT"},
                 {2, "UPDATE jobs SET colour = 'red'; CREATE TABLE later(id INTEGER) STRICT"}});
  for (int i = 0; i < 2; ++i) {
    const auto database = open_database_file(folder.file(), "", steps);
    ASSERT_TRUE(database) << database.error().message;
    EXPECT_EQ((*database)->integer_of("PRAGMA user_version"), newest_version(steps));
    EXPECT_EQ((*database)->integer_of("SELECT count(*) FROM jobs WHERE colour = 'red'"), 3);
  }
}

TEST(Migrations, that_fail_leave_the_file_as_it_was) {
  const TemporaryFolder folder;
  make_version_1_file(folder.file());
  const auto before = read_file(folder.file());
  const auto steps =
      steps_and({{1, "CREATE TABLE later(id INTEGER) STRICT"}, {2, "UPDATE missing SET id = 1"}});
  const auto database = open_database_file(folder.file(), "", steps);
  ASSERT_FALSE(database);
  EXPECT_EQ(database.error().code, ErrorCode::internal);
  EXPECT_EQ(read_file(folder.file()), before);
  EXPECT_TRUE(open_sqlite_store(folder.file()));
}

TEST(Migrations, refuse_a_file_of_a_newer_version_and_leave_it_as_it_is) {
  const TemporaryFolder folder;
  make_version_1_file(folder.file());
  const auto newer = newest_version(migrations()) + 1;
  RawSqlite(folder.file()).execute("PRAGMA user_version = " + std::to_string(newer));
  const auto before = read_file(folder.file());
  const auto store = open_sqlite_store(folder.file());
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::unsupported_version);
  EXPECT_NE(store.error().message.find("version " + std::to_string(newer)), std::string::npos);
  EXPECT_EQ(read_file(folder.file()), before);
}

}  // namespace stint::test
