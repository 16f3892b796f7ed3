// Commands as handlers: what they are given, what their end means, and that nothing of them is left.
#include "nodes/runners/command_runner.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/nodes/runner_bench.hpp"

using namespace stint;
using namespace std::chrono_literals;

namespace {

CommandRunnerOptions shell(const std::string& script) {
  CommandRunnerOptions options;
  options.handlers["task"].command = {"/bin/sh", "-c", script};
  return options;
}

RunResult run(CommandRunnerOptions options, StartRun start = job_for("task")) {
  CommandRunner runner(std::move(options));
  RunnerBench bench(runner);
  runner.start(std::move(start));
  return bench.result();
}

RunResult run(const std::string& script, std::string payload = "") {
  return run(shell(script), job_for("task", std::move(payload)));
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "stint-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// The number that a script writes into a file, once the line is whole.
pid_t read_pid(const std::string& file) {
  for (int tries = 0; tries < 6000; ++tries) {
    std::ifstream stream(file);
    std::string line;
    if (std::getline(stream, line) && !stream.eof()) return std::stoi(line);
    std::this_thread::sleep_for(10ms);
  }
  ADD_FAILURE() << "nothing in " << file;
  return 0;
}

// Gone, or dead and not yet waited for by whoever adopted it.
bool comes_to_an_end(pid_t pid) {
  for (int tries = 0; tries < 6000; ++tries) {
    if (kill(pid, 0) != 0 && errno == ESRCH) return true;
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(stat, text);
    const auto state = text.rfind(") ");
    if (state != std::string::npos && text[state + 2] == 'Z') return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

}  // namespace

TEST(CommandRunner, gives_the_payload_as_input_and_takes_the_output_as_result) {
  const auto result = run("tr a-z A-Z", "make me big");

  EXPECT_EQ(result.outcome, Outcome::completed);
  EXPECT_EQ(result.id, 1);
  EXPECT_EQ(result.run, 1);
  EXPECT_EQ(result.result->bytes, "MAKE ME BIG");
  EXPECT_TRUE(result.result->is_text);
}

TEST(CommandRunner, tells_output_that_is_not_text_as_bytes) {
  const auto result = run("printf '\\377\\000x'");

  EXPECT_EQ(result.result->bytes, std::string("\xff\0x", 3));
  EXPECT_FALSE(result.result->is_text);
}

TEST(CommandRunner, passes_payloads_of_a_megabyte_through_byte_for_byte) {
  std::string payload(1 << 20, '\0');
  for (std::size_t at = 0; at < payload.size(); ++at) payload[at] = static_cast<char>(at * 7 + at / 251);

  EXPECT_EQ(run("cat", payload).result->bytes, payload);
}

TEST(CommandRunner, is_not_held_up_by_a_command_that_does_not_read) {
  EXPECT_EQ(run("exec 0<&-; echo done", std::string(1 << 20, 'x')).result->bytes, "done\n");
  EXPECT_EQ(run("echo done", std::string(1 << 20, 'x')).result->bytes, "done\n");
}

TEST(CommandRunner, tells_the_command_which_run_it_is) {
  auto start = job_for("task");
  start.job.id = 42;
  start.job.run = 3;
  start.job.attempt = 2;
  start.job.meta = {{"colour", "red \"x\""}};
  setenv("STINT_JOB_ID", "of somebody else", 1);

  const auto result =
      run(shell("env | grep ^STINT_ | grep -v DEADLINE; [ $STINT_DEADLINE_MS -gt 1600000000000 ]"), start);
  unsetenv("STINT_JOB_ID");

  EXPECT_EQ(result.outcome, Outcome::completed);
  std::map<std::string, std::string> told;
  std::istringstream lines(result.result->bytes);
  for (std::string line; std::getline(lines, line);)
    told[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  EXPECT_EQ(told["STINT_JOB_ID"], "42");
  EXPECT_EQ(told["STINT_RUN"], "3");
  EXPECT_EQ(told["STINT_ATTEMPT"], "2");
  EXPECT_EQ(told["STINT_MAX_ATTEMPTS"], "25");
  EXPECT_EQ(told["STINT_QUEUE"], "default");
  EXPECT_EQ(told["STINT_HANDLER"], "task");
  EXPECT_EQ(told["STINT_META"], R"({"colour":"red \"x\""})");
  EXPECT_EQ(told["STINT_REPORT_FD"], "3");
}

TEST(CommandRunner, gives_the_command_no_other_descriptor) {
  EXPECT_EQ(run("ls /proc/$$/fd; true").result->bytes, "0\n1\n2\n3\n");
}

TEST(CommandRunner, leaves_no_signal_blocked_or_ignored_in_the_command) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto old = signal(SIGTERM, SIG_IGN);

  const auto result = run("kill -TERM $$; echo still here");
  signal(SIGTERM, old);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);

  EXPECT_EQ(result.error->type, "signal 15 (Terminated)");
}

TEST(CommandRunner, takes_any_other_status_as_failed_and_the_end_of_stderr_as_the_error) {
  const auto result = run("echo the disk is purple >&2; exit 3");

  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.error->message, "the disk is purple");
  EXPECT_EQ(result.error->type, "exit status 3");
  EXPECT_FALSE(result.result);
}

TEST(CommandRunner, keeps_only_the_end_of_a_long_stderr) {
  const auto result =
      run("i=0; while [ $i -lt 20000 ]; do echo line $i is long enough; i=$((i+1)); done >&2; exit 1");

  EXPECT_LE(result.error->message.size(), CommandRun::error_bytes);
  EXPECT_GT(result.error->message.size(), CommandRun::error_bytes / 2);
  EXPECT_TRUE(result.error->message.starts_with("line "));
  EXPECT_TRUE(result.error->message.ends_with("line 19999 is long enough"));
}

TEST(CommandRunner, makes_text_of_a_stderr_that_is_none) {
  EXPECT_EQ(run("printf 'bad \\377 byte' >&2; exit 1").error->message, "bad \xef\xbf\xbd byte");
}

TEST(CommandRunner, takes_the_death_by_a_signal_as_failed) {
  const auto result = run("kill -SEGV $$");

  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.error->type, "signal 11 (Segmentation fault)");
}

TEST(CommandRunner, takes_status_65_as_dead) {
  const auto result = run("echo no such customer >&2; exit 65");

  EXPECT_EQ(result.outcome, Outcome::dead);
  EXPECT_EQ(result.error->message, "no such customer");
}

TEST(CommandRunner, takes_status_75_as_snoozed_for_as_long_as_was_reported) {
  const auto result = run("echo '{\"retry_in\": \"30s\"}' >&$STINT_REPORT_FD; exit 75");

  EXPECT_EQ(result.outcome, Outcome::snoozed);
  EXPECT_EQ(result.retry_in_ms, 30'000);
}

TEST(CommandRunner, passes_on_a_pause_with_any_outcome_and_the_last_of_two) {
  const std::string reports =
      R"(echo '{"pause": {"scope": "queue", "for": "1s"}}' >&$STINT_REPORT_FD; )"
      R"(echo '{"pause": {"scope": "handler", "for": "30s"}}' >&$STINT_REPORT_FD; exit )";
  for (const auto& [status, outcome] : {std::pair{"0", Outcome::completed},
                                        {"1", Outcome::failed},
                                        {"65", Outcome::dead},
                                        {"75", Outcome::snoozed}}) {
    const auto result = run(reports + status);

    EXPECT_EQ(result.outcome, outcome);
    ASSERT_TRUE(result.pause);
    EXPECT_EQ(result.pause->scope, LimitScope::handler);
    EXPECT_EQ(result.pause->for_ms, 30'000);
  }
  EXPECT_FALSE(run("exit 75").pause);
}

TEST(CommandRunner, retries_a_failed_run_when_the_command_said) {
  const auto result = run("echo '{\"retry_in\": \"90s\"}' >&$STINT_REPORT_FD; exit 1");

  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.retry_in_ms, 90'000);
}

TEST(CommandRunner, warns_of_a_pause_it_does_not_understand_and_goes_on) {
  CommandRunner runner(shell(R"(echo '{"pause": {"scope": "handler", "for": "soon"}}' >&3; echo done)"));
  RunnerBench bench(runner);
  runner.start(job_for("task"));

  const auto result = bench.result();
  const auto notice = bench.expect<WorkerNotice>();

  EXPECT_EQ(result.result->bytes, "done\n");
  EXPECT_FALSE(result.pause);
  EXPECT_EQ(notice.level, WorkerNotice::Level::warning);
  EXPECT_EQ(notice.event, "bad_report");
  EXPECT_NE(notice.text.find("job 1 run 1 reported badly: pause.for: 'soon'"), std::string::npos);
}

TEST(CommandRunner, refuses_a_result_that_is_too_large_and_does_not_wait_for_more_of_it) {
  auto options = shell("yes");
  options.result_bytes = 100'000;

  const auto result = run(options);

  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.error->type, "result_too_large");
  EXPECT_FALSE(result.result);
}

TEST(CommandRunner, takes_a_result_of_just_the_bound) {
  auto options = shell("head -c 100000 /dev/zero");
  options.result_bytes = 100'000;
  EXPECT_EQ(run(options).result->bytes.size(), 100'000u);

  options.result_bytes = 99'999;
  EXPECT_EQ(run(options).outcome, Outcome::failed);
}

TEST(CommandRunner, passes_on_progress_while_the_command_runs) {
  CommandRunner runner(shell("echo '{\"progress\": 40}' >&$STINT_REPORT_FD; read line; echo $line"));
  RunnerBench bench(runner);
  runner.start(job_for("task"));

  const auto progress = bench.expect<RunProgress>();

  EXPECT_EQ(progress.run, (JobRun{1, 1}));
  EXPECT_EQ(progress.progress, 40);
}

TEST(CommandRunner, complains_once_of_reports_it_does_not_understand_and_goes_on) {
  CommandRunner runner(shell(
      "printf 'not json\\n{\"progress\": 400}\\n[]\\n{\"pause\": {}}\\n' >&3; head -c 100000 /dev/zero >&3; "
      "printf '\\n{\"progress\": 41}' >&3; echo done"));
  RunnerBench bench(runner);
  runner.start(job_for("task"));

  EXPECT_EQ(bench.result().result->bytes, "done\n");
  EXPECT_NE(bench.expect<WorkerNotice>().text.find("job 1 run 1"), std::string::npos);
  EXPECT_FALSE(bench.take<WorkerNotice>());
}

TEST(CommandRunner, reports_a_command_that_cannot_be_started_as_failed_with_the_reason) {
  CommandRunnerOptions options;
  options.handlers["task"].command = {"/nonexistent/program"};

  const auto result = run(options);

  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.error->message, "cannot start /nonexistent/program: No such file or directory");
}

TEST(CommandRunner, reports_a_handler_it_has_no_command_for_as_failed) {
  EXPECT_EQ(run(shell("true"), job_for("other")).error->type, "no_handler");
}

TEST(CommandRunner, kills_a_run_that_is_stopped_with_all_it_has_started) {
  const TemporaryFolder folder;
  CommandRunner runner(shell("sleep 600 & echo $! > " + (folder / "pid") + "; wait"));
  RunnerBench bench(runner);
  runner.start(job_for("task"));
  runner.take();
  const pid_t child = read_pid(folder / "pid");

  runner.stop({1, 1});

  EXPECT_EQ(bench.result().error->type, "signal 15 (Terminated)");
  EXPECT_TRUE(comes_to_an_end(child));
}

TEST(CommandRunner, kills_a_run_that_does_not_heed_sigterm) {
  const TemporaryFolder folder;
  auto options = shell("trap '' TERM; echo $$ > " + (folder / "pid") + "; while :; do sleep 600; done");
  options.kill_after = 50ms;
  CommandRunner runner(options);
  RunnerBench bench(runner);
  runner.start(job_for("task"));
  runner.take();
  read_pid(folder / "pid");

  runner.stop({1, 1});

  EXPECT_EQ(bench.result().error->type, "signal 9 (Killed)");
}

TEST(CommandRunner, ends_a_run_that_is_stopped_before_its_process_was_started) {
  CommandRunner runner(shell("sleep 600"));
  RunnerBench bench(runner);
  runner.start(job_for("task"));

  runner.stop({1, 1});

  EXPECT_EQ(bench.result().outcome, Outcome::failed);
}

TEST(CommandRunner, ignores_the_stop_of_a_run_it_does_not_know) {
  CommandRunner runner(shell("true"));

  runner.stop({9, 9});

  EXPECT_TRUE(runner.take().empty());
}

TEST(CommandRunner, does_not_wait_for_descendants_that_keep_the_output_open) {
  const TemporaryFolder folder;
  const auto result = run("sleep 600 & echo $! > " + (folder / "pid") + "; echo done");

  EXPECT_EQ(result.result->bytes, "done\n");
  EXPECT_TRUE(comes_to_an_end(read_pid(folder / "pid")));
}

TEST(CommandRunner, runs_many_at_once_and_ends_each_once) {
  CommandRunner runner(shell("cat"));
  RunnerBench bench(runner);
  for (JobId id = 1; id <= 60; ++id) runner.start(job_for("task", std::to_string(id), id));

  std::map<JobId, std::string> results;
  for (int count = 0; count < 60; ++count) {
    const auto result = bench.result();
    results[result.id] = result.result->bytes;
  }

  EXPECT_EQ(results.size(), 60u);
  for (const auto& [id, bytes] : results) EXPECT_EQ(bytes, std::to_string(id));
  EXPECT_FALSE(bench.is_readable());
}

TEST(CommandRunner, kills_what_runs_when_it_goes) {
  const TemporaryFolder folder;
  pid_t child = 0;
  {
    CommandRunner runner(shell("echo $$ > " + (folder / "pid") + "; sleep 600"));
    runner.start(job_for("task"));
    runner.take();
    child = read_pid(folder / "pid");
  }
  EXPECT_TRUE(comes_to_an_end(child));
}

TEST(CommandRunner, leaves_no_handler_behind_when_its_process_is_killed) {
  const TemporaryFolder folder;
  const pid_t worker = fork();
  if (worker == 0) {
    CommandRunner runner(shell("sleep 600 & echo $! > " + (folder / "pid") + "; wait"));
    runner.start(job_for("task"));
    runner.take();
    for (;;) pause();
  }
  const pid_t handler = read_pid(folder / "pid");

  kill(worker, SIGKILL);
  waitpid(worker, nullptr, 0);

  EXPECT_TRUE(comes_to_an_end(handler));
}
