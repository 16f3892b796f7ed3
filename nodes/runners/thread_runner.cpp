#include "nodes/runners/thread_runner.hpp"

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "actors/worker/results.hpp"
#include "nodes/runners/descriptors.hpp"

namespace stint {

// What the node's thread and the pool's threads share.
class ThreadRunner::Pool {
 public:
  Pool(std::map<std::string, HandlerFunction> handlers, std::size_t threads)
      : handlers_(std::move(handlers)), threads_(threads), ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  int fd() const { return ready_.get(); }

  void start(StartRun&& start);
  void stop(const JobRun& key);
  std::vector<Message> take();

  // What a thread of the pool does. Returns when the runner goes.
  void work();
  // Asks everyone to stop; returns whether all threads have ended in time.
  bool leave(std::chrono::milliseconds bound);

 private:
  struct Run {
    LeasedJob job;
    std::atomic<bool> stop_requested = false;
  };
  class Context;

  std::shared_ptr<Run> next();
  RunResult call(Run& run);
  void end(const Run& run, RunResult&& result);
  void report(const JobRun& key, std::int64_t percent);
  void put_right(HandlerResult& said, const JobRun& key);
  void raise_flag();

  const std::map<std::string, HandlerFunction> handlers_;
  const std::size_t threads_;
  const Descriptor ready_;

  std::mutex mutex_;  // guards all that follows
  std::condition_variable work_;
  std::condition_variable left_;
  std::deque<std::shared_ptr<Run>> waiting_;
  std::map<JobRun, std::shared_ptr<Run>> runs_;  // waiting and running
  std::vector<Message> said_;
  std::map<JobRun, std::int64_t> progress_;  // the newest alone: a function may report without end
  bool flag_is_up_ = false;
  bool leaves_ = false;
  std::size_t ended_threads_ = 0;
};

class ThreadRunner::Pool::Context final : public RunContext {
 public:
  Context(Pool& pool, Run& run) : pool_(pool), run_(run) {}
  bool stop_requested() const override { return run_.stop_requested.load(); }
  void report_progress(std::int64_t percent) override { pool_.report({run_.job.id, run_.job.run}, percent); }

 private:
  Pool& pool_;
  Run& run_;
};

void ThreadRunner::Pool::start(StartRun&& start) {
  const std::scoped_lock lock(mutex_);
  const JobRun key{start.job.id, start.job.run};
  if (runs_.size() >= 2 * threads_) {
    said_.push_back(RunEnded{failed(key, "overloaded", "the worker has no thread for it")});
    return raise_flag();
  }
  auto run = std::make_shared<Run>();
  run->job = std::move(start.job);
  runs_.emplace(key, run);
  waiting_.push_back(std::move(run));
  work_.notify_one();
}

void ThreadRunner::Pool::stop(const JobRun& key) {
  const std::scoped_lock lock(mutex_);
  const auto run = runs_.find(key);
  // One that waits is started and ends at once: its function may have something to put right.
  if (run != runs_.end()) run->second->stop_requested = true;
}

std::vector<Message> ThreadRunner::Pool::take() {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(flag_is_up_, false)) {
    std::uint64_t count = 0;
    const ssize_t got = read(ready_.get(), &count, sizeof count);
    assert(got == sizeof count);
    static_cast<void>(got);
  }
  std::vector<Message> said;
  for (const auto& [key, percent] : std::exchange(progress_, {})) said.push_back(RunProgress{key, percent});
  for (Message& message : std::exchange(said_, {})) said.push_back(std::move(message));
  return said;
}

void ThreadRunner::Pool::work() {
  while (const auto run = next()) end(*run, call(*run));
  const std::scoped_lock lock(mutex_);
  ++ended_threads_;
  left_.notify_all();
}

std::shared_ptr<ThreadRunner::Pool::Run> ThreadRunner::Pool::next() {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [&] { return leaves_ || !waiting_.empty(); });
  if (leaves_) return nullptr;
  auto run = std::move(waiting_.front());
  waiting_.pop_front();
  return run;
}

RunResult ThreadRunner::Pool::call(Run& run) {
  const JobRun key{run.job.id, run.job.run};
  const auto handler = handlers_.find(run.job.handler);
  if (handler == handlers_.end())
    return failed(key, "no_handler", "no function for handler " + run.job.handler);
  Context context(*this, run);
  try {
    HandlerResult said = handler->second(run.job, context);
    put_right(said, key);
    RunResult result = result_of(key, said.outcome);
    result.result = std::move(said.result);
    result.error = std::move(said.error);
    result.retry_in_ms = said.retry_in_ms;
    result.pause = said.pause;
    return result;
  } catch (const std::exception& exception) {
    return failed(key, "exception", exception.what());
  } catch (...) {
    return failed(key, "exception", "an exception that is not a std::exception");
  }
}

void ThreadRunner::Pool::end(const Run& run, RunResult&& result) {
  const std::scoped_lock lock(mutex_);
  const JobRun key{run.job.id, run.job.run};
  runs_.erase(key);
  progress_.erase(key);
  said_.push_back(RunEnded{std::move(result)});
  raise_flag();
}

// A time that no server takes is left out, so that the result itself counts.
void ThreadRunner::Pool::put_right(HandlerResult& said, const JobRun& key) {
  std::string fault;
  if (said.retry_in_ms && (*said.retry_in_ms < 0 || *said.retry_in_ms > Runner::longest_report_ms)) {
    fault = "retry_in_ms is " + std::to_string(*said.retry_in_ms) + ", expected 0 to ten years";
    said.retry_in_ms.reset();
  }
  if (said.pause && (said.pause->for_ms < 1 || said.pause->for_ms > Runner::longest_report_ms)) {
    fault = "pause.for_ms is " + std::to_string(said.pause->for_ms) + ", expected 1 to ten years";
    said.pause.reset();
  }
  if (fault.empty()) return;
  const std::scoped_lock lock(mutex_);
  said_.push_back(bad_report(key, fault));
  raise_flag();
}

void ThreadRunner::Pool::report(const JobRun& key, std::int64_t percent) {
  const std::scoped_lock lock(mutex_);
  progress_[key] = percent;
  raise_flag();
}

void ThreadRunner::Pool::raise_flag() {
  if (std::exchange(flag_is_up_, true)) return;
  const std::uint64_t one = 1;
  const ssize_t done = write(ready_.get(), &one, sizeof one);
  assert(done == sizeof one);
  static_cast<void>(done);
}

bool ThreadRunner::Pool::leave(std::chrono::milliseconds bound) {
  std::unique_lock lock(mutex_);
  leaves_ = true;
  for (auto& [key, run] : runs_) run->stop_requested = true;
  work_.notify_all();
  return left_.wait_for(lock, bound, [&] { return ended_threads_ == threads_; });
}

ThreadRunner::ThreadRunner(std::map<std::string, HandlerFunction> handlers, std::size_t threads)
    : pool_(std::make_shared<Pool>(std::move(handlers), threads)) {
  for (std::size_t count = 0; count < threads; ++count) {
    std::thread([pool = pool_] { pool->work(); }).detach();
  }
}

ThreadRunner::~ThreadRunner() { pool_->leave(leave_bound); }

void ThreadRunner::start(StartRun&& start) { pool_->start(std::move(start)); }
void ThreadRunner::stop(const JobRun& run) { pool_->stop(run); }
int ThreadRunner::fd() const { return pool_->fd(); }
std::vector<Message> ThreadRunner::take() { return pool_->take(); }

}  // namespace stint
