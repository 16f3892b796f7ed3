// A copy that is marked as a backup tells whoever starts on it what it is, and is else what it was.
#include <gtest/gtest.h>

#include "storage/copy_database.hpp"
#include "storage/sqlite_store.hpp"
#include "tests/storage/raw_sqlite.hpp"
#include "tests/storage/sample_rows.hpp"
#include "tests/storage/temporary_folder.hpp"

namespace stint::test {

namespace {

void make_file(const std::string& file) {
  auto store = std::move(*open_sqlite_store(file));
  StoreHeader header;
  header.boot_id = "boot";
  header.starts = 3;
  header.log = "log";
  store->put_header(header);
  store->insert_job(plain_job(7), Payload{"hello", true});
  store->append_events(events(1, 2));
  ASSERT_TRUE(store->commit(at_us(5), 6));
}

StoreHeader header_of(const std::string& file) { return (*open_sqlite_store(file))->header().value(); }

}  // namespace

TEST(Backup, is_marked_and_holds_all_that_the_file_held) {
  const TemporaryFolder folder;
  make_file(folder.file("a.db"));
  ASSERT_TRUE(copy_database(folder.file("a.db"), folder.file("b.db")));
  ASSERT_TRUE(mark_as_backup(folder.file("b.db")));

  EXPECT_EQ(RawSqlite(folder.file("b.db")).query("PRAGMA integrity_check"), "ok|");
  const auto store = std::move(*open_sqlite_store(folder.file("b.db")));
  const StoreHeader header = store->header().value();
  EXPECT_EQ(header.boot_id, boot_of_backups);
  EXPECT_EQ(header.starts, 3);
  EXPECT_EQ(header.log, "log");
  EXPECT_EQ(header.last_job, 7);
  EXPECT_EQ(header.event_seq, 2);
  EXPECT_EQ(header.last_commit, at_us(5));
  EXPECT_EQ(store->payload(7).value(), (Payload{"hello", true}));
}

TEST(Backup, leaves_the_file_it_was_copied_from_unmarked) {
  const TemporaryFolder folder;
  make_file(folder.file("a.db"));
  ASSERT_TRUE(copy_database(folder.file("a.db"), folder.file("b.db")));
  ASSERT_TRUE(mark_as_backup(folder.file("b.db")));
  EXPECT_EQ(header_of(folder.file("a.db")).boot_id, "boot");
}

TEST(Backup, cannot_be_made_of_what_is_no_stint_file) {
  const TemporaryFolder folder;
  RawSqlite(folder.file("other.db")).query("CREATE TABLE other(a)");
  for (const char* name : {"other.db", "nowhere.db"}) {
    const Status marked = mark_as_backup(folder.file(name));
    ASSERT_FALSE(marked);
    EXPECT_EQ(marked.error().code, ErrorCode::storage_unavailable);
    EXPECT_NE(marked.error().message.find(name), std::string::npos) << marked.error().message;
  }
}

}  // namespace stint::test
