// Rule D1, CASES 38: a process that is killed at any moment loses no commit that it has told of, and leaves
// no half.
#include <gtest/gtest.h>
#include <random>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/sqlite_store.hpp"
#include "tests/storage/script.hpp"
#include "tests/storage/temporary_folder.hpp"

namespace stint::test {

namespace {

constexpr int steps = 400;
constexpr int kills = 12;

// Runs the script from the step after `done` on, and tells of each commit through the pipe.
[[noreturn]] void work_until_killed(const std::string& file, int done, int pipe) {
  auto store = open_sqlite_store(file, {.vfs = "", .checkpoint_pages = 60});
  if (!store) _exit(1);
  for (int step = done + 1; step <= steps; ++step) {
    change(**store, step);
    if (!commit(**store, step)) _exit(2);
    if (write(pipe, &step, sizeof step) != sizeof step) _exit(3);
  }
  pause();
  _exit(4);
}

// Lets a process work on the file for a while and kills it; the last step it told of.
int work_and_kill(const std::string& file, int done, std::mt19937& random) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return done;
  const pid_t worker = fork();
  if (worker == 0) work_until_killed(file, done, pipe_ends[1]);
  close(pipe_ends[1]);
  const int enough = done + std::uniform_int_distribution(1, 20)(random);
  int told = done;
  while (told < enough && read(pipe_ends[0], &told, sizeof told) == sizeof told) continue;
  usleep(std::uniform_int_distribution<useconds_t>(0, 3'000)(random));
  kill(worker, SIGKILL);
  while (read(pipe_ends[0], &told, sizeof told) == sizeof told) continue;
  close(pipe_ends[0]);
  int status = 0;
  waitpid(worker, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  return told;
}

}  // namespace

TEST(AKilledProcess, has_every_commit_it_told_of_on_disk_and_no_half_of_another) {
  const TemporaryFolder folder;
  const auto expected = contents_after_each_step(steps);
  std::mt19937 random(4711);
  int done = 0;
  for (int round = 0; round < kills && done < steps; ++round) {
    const int told = work_and_kill(folder.file(), done, random);
    EXPECT_GT(told, done);
    auto store = open_sqlite_store(folder.file());
    ASSERT_TRUE(store) << store.error().message;
    const auto found = contents_of(**store);
    const bool one_more = told < steps && found == expected[static_cast<std::size_t>(told + 1)];
    ASSERT_TRUE(one_more || found == expected[static_cast<std::size_t>(told)]) << "after step " << told;
    done = told + (one_more ? 1 : 0);
  }
}

}  // namespace stint::test
