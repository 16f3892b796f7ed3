// Opening a file: how it is laid out, and what is said when it cannot be had.
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/sqlite_store.hpp"
#include "tests/storage/raw_sqlite.hpp"
#include "tests/storage/sample_rows.hpp"
#include "tests/storage/temporary_folder.hpp"

namespace stint::test {

namespace {

std::string read_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const std::string& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

void make_store(const std::string& file) {
  auto store = open_sqlite_store(file);
  ASSERT_TRUE(store) << store.error().message;
  for (JobId id = 1; id <= 100; ++id) (*store)->insert_job(plain_job(id), bytes_of(300));
  ASSERT_TRUE((*store)->commit(at_us(1), 1));
}

Error refused(const std::string& file) {
  auto store = open_sqlite_store(file);
  EXPECT_FALSE(store);
  if (store) return {};
  EXPECT_NE(store.error().message.find(file), std::string::npos) << store.error().message;
  EXPECT_EQ(store.error().message.find('\n'), std::string::npos) << store.error().message;
  return store.error();
}

bool says(const Error& error, const std::string& text) {
  return error.message.find(text) != std::string::npos;
}

}  // namespace

TEST(OpeningAFile, lays_it_out_for_good) {
  const TemporaryFolder folder;
  make_store(folder.file());
  const auto bytes = read_file(folder.file());
  EXPECT_EQ(bytes.size() % 8192, 0u);
  EXPECT_EQ(bytes[20], 8) << "bytes a page are reserved";
  EXPECT_EQ(bytes[18], 2) << "written through a log";
  RawSqlite raw(folder.file());
  EXPECT_EQ(raw.query("PRAGMA page_size"), "8192|");
  EXPECT_EQ(raw.query("PRAGMA auto_vacuum"), "2|");
  EXPECT_EQ(raw.query("PRAGMA application_id"), "1398032718|");
  EXPECT_EQ(raw.query("PRAGMA integrity_check"), "ok|");
}

TEST(OpeningAFile, makes_every_table_strict) {
  const TemporaryFolder folder;
  make_store(folder.file());
  RawSqlite raw(folder.file());
  EXPECT_EQ(raw.query("SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict"
                      " AND name NOT LIKE 'sqlite_%'"),
            "");
}

TEST(OpeningAFile, leaves_nothing_beside_it_when_it_is_closed) {
  const TemporaryFolder folder;
  make_store(folder.file());
  EXPECT_FALSE(std::filesystem::exists(folder.file() + "-wal"));
  EXPECT_FALSE(std::filesystem::exists(folder.file() + "-shm"));
  EXPECT_FALSE(std::filesystem::exists(folder.file() + "-journal"));
}

TEST(OpeningAFile, takes_an_empty_one_for_a_new_one) {
  const TemporaryFolder folder;
  write_file(folder.file(), "");
  make_store(folder.file());
}

TEST(OpeningAFile, takes_its_name_for_a_path_whatever_it_looks_like) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(folder.file()).parent_path());
  for (const std::string name : {":memory:", "file:stint.db?mode=memory", "stint.db"}) {
    EXPECT_TRUE(open_sqlite_store(name)) << name;
    EXPECT_TRUE(std::filesystem::exists(name)) << name;
  }
  std::filesystem::current_path(before);
}

TEST(OpeningAFile, is_refused_where_there_is_no_folder) {
  const TemporaryFolder folder;
  const auto error = refused(folder.file("missing/stint.db"));
  EXPECT_EQ(error.code, ErrorCode::storage_unavailable);
  EXPECT_TRUE(says(error, "No such file or directory")) << error.message;
}

TEST(OpeningAFile, is_refused_where_it_is_a_folder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file());
  EXPECT_EQ(refused(folder.file()).code, ErrorCode::storage_unavailable);
}

TEST(OpeningAFile, is_refused_when_it_is_no_database_and_leaves_it_as_it_is) {
  const TemporaryFolder folder;
  const std::string text = "These are the notes of somebody else.\n" + std::string(20'000, '.');
  write_file(folder.file(), text);
  const auto error = refused(folder.file());
  EXPECT_EQ(error.code, ErrorCode::bad_message);
  EXPECT_TRUE(says(error, "is not a file of stint")) << error.message;
  EXPECT_EQ(read_file(folder.file()), text);
}

TEST(OpeningAFile, is_refused_when_it_is_of_another_program_and_leaves_it_as_it_is) {
  for (const std::string preparation :
       {"PRAGMA page_size = 4096", "PRAGMA journal_mode = WAL", "PRAGMA auto_vacuum = FULL",
        "PRAGMA application_id = 7", "PRAGMA user_version = 1"}) {
    const TemporaryFolder folder;
    RawSqlite(folder.file()).execute(preparation + "; CREATE TABLE jobs(id INTEGER PRIMARY KEY)");
    const auto before = read_file(folder.file());
    EXPECT_EQ(refused(folder.file()).code, ErrorCode::bad_message) << preparation;
    EXPECT_EQ(read_file(folder.file()), before) << preparation;
  }
}

TEST(OpeningAFile, is_refused_when_it_is_open_already) {
  const TemporaryFolder folder;
  const auto first = open_sqlite_store(folder.file());
  ASSERT_TRUE(first);
  const auto error = refused(folder.file());
  EXPECT_EQ(error.code, ErrorCode::conflict);
  EXPECT_TRUE(says(error, "in use")) << error.message;
}

// Rule D11.
TEST(OpeningAFile, is_refused_while_another_process_has_it_and_not_after_that_was_killed) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t other = fork();
  if (other == 0) {
    const auto store = open_sqlite_store(folder.file());
    const char opened = store ? 'y' : 'n';
    if (write(ready[1], &opened, 1) == 1) pause();
    _exit(0);
  }
  char opened = 0;
  ASSERT_EQ(read(ready[0], &opened, 1), 1);
  ASSERT_EQ(opened, 'y');
  EXPECT_EQ(refused(folder.file()).code, ErrorCode::conflict);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  EXPECT_TRUE(open_sqlite_store(folder.file()));
}

TEST(OpeningAFile, is_refused_when_its_tables_are_damaged) {
  const TemporaryFolder folder;
  make_store(folder.file());
  auto bytes = read_file(folder.file());
  std::fill(bytes.begin() + 100, bytes.begin() + 8'000, '\x5a');
  write_file(folder.file(), bytes);
  const auto error = refused(folder.file());
  EXPECT_EQ(error.code, ErrorCode::internal);
  EXPECT_TRUE(says(error, "damaged")) << error.message;
}

TEST(OpeningAFile, is_refused_when_a_table_is_missing) {
  const TemporaryFolder folder;
  make_store(folder.file());
  RawSqlite(folder.file()).execute("DROP TABLE receipts");
  EXPECT_EQ(refused(folder.file()).code, ErrorCode::internal);
}

TEST(Loading, tells_of_a_row_that_cannot_be) {
  const TemporaryFolder folder;
  make_store(folder.file());
  RawSqlite(folder.file()).execute("UPDATE jobs SET meta = x'7f' WHERE id = 50");
  auto store = std::move(*open_sqlite_store(folder.file()));
  const auto loaded = store->each_job([](const JobRow&) {});
  ASSERT_FALSE(loaded);
  EXPECT_TRUE(says(loaded.error(), "job 50")) << loaded.error().message;
  EXPECT_TRUE(store->job(51));
}

}  // namespace stint::test
