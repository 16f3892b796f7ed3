#include "nodes/runners/command_runner.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <csignal>
#include <ctime>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

#include "actors/worker/results.hpp"

namespace stint {

namespace {

constexpr std::uint64_t flag_data = 0;
constexpr std::uint64_t timer_data = 1;
constexpr unsigned stream_bits = 3;

Instant boot_now() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return Instant{std::chrono::duration_cast<Duration>(std::chrono::seconds(now.tv_sec) +
                                                      std::chrono::nanoseconds(now.tv_nsec))};
}

WallMs wall_now() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
}

std::uint64_t data_of(std::uint64_t slot, CommandRun::Stream stream) {
  return slot << stream_bits | static_cast<std::uint64_t>(stream);
}

}  // namespace

CommandRunner::CommandRunner(CommandRunnerOptions options)
    : options_(std::move(options)),
      ready_(epoll_create1(EPOLL_CLOEXEC)),
      flag_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      timer_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  watch(flag_, EPOLLIN, flag_data);
  watch(timer_, EPOLLIN, timer_data);
}

CommandRunner::~CommandRunner() {
  for (auto& [slot, run] : runs_) run.signal_group(SIGKILL);
  for (auto& [slot, run] : runs_) {
    guard_.forget(run.group());
    run.finish();
  }
}

void CommandRunner::start(StartRun&& start) {
  const std::int64_t timeout_ms = start.job.timeout_ms.value_or(Defaults{}.timeout_ms);
  waiting_.push_back({std::move(start.job), wall_now() + timeout_ms});
  set_flag(true);
}

void CommandRunner::stop(const JobRun& key) {
  const auto waiting = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
    return JobRun{one.job.id, one.job.run} == key;
  });
  if (waiting != waiting_.end()) {
    waiting_.erase(waiting);
    return say(RunEnded{failed(key, "stopped", "stopped before it was started")});
  }
  const auto slot = slots_.find(key);
  if (slot == slots_.end()) return;
  CommandRun& run = runs_.at(slot->second);
  if (run.kill_at) return;
  run.signal_group(SIGTERM);
  run.kill_at = boot_now() + options_.kill_after;
  set_timer();
}

std::vector<Message> CommandRunner::take() {
  start_waiting();
  attend_ready();
  set_flag(!waiting_.empty());
  return std::exchange(said_, {});
}

void CommandRunner::start_waiting() {
  for (std::size_t started = 0; started < starts_at_once && !waiting_.empty(); ++started) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    start_one(std::move(next));
  }
}

void CommandRunner::start_one(Waiting&& waiting) {
  const JobRun key{waiting.job.id, waiting.job.run};
  const auto handler = options_.handlers.find(waiting.job.handler);
  if (handler == options_.handlers.end()) {
    return say(RunEnded{failed(key, "no_handler", "no command for handler " + waiting.job.handler)});
  }
  auto run = CommandRun::start(std::move(waiting.job), handler->second.command, waiting.deadline_ms,
                               options_.result_bytes);
  if (!run) return say(RunEnded{failed(key, "not_started", run.error().message)});

  guard_.watch(run->group());
  const Slot slot = ++last_slot_;
  slots_[key] = slot;
  const CommandRun& kept = runs_.emplace(slot, std::move(*run)).first->second;
  for (const CommandRun::Stream stream : CommandRun::streams) {
    if (!kept.descriptor(stream).is_open()) continue;
    watch(kept.descriptor(stream), stream == CommandRun::Stream::input ? EPOLLOUT : EPOLLIN,
          data_of(slot, stream));
  }
}

void CommandRunner::attend_ready() {
  std::array<epoll_event, 256> events;
  const int count = epoll_wait(ready_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int at = 0; at < count; ++at) {
    const std::uint64_t data = events[static_cast<std::size_t>(at)].data.u64;
    if (data == timer_data) {
      kill_overdue();
    } else if (data != flag_data) {
      attend(data >> stream_bits, static_cast<CommandRun::Stream>(data & ((1 << stream_bits) - 1)));
    }
  }
}

void CommandRunner::attend(Slot slot, CommandRun::Stream stream) {
  const auto found = runs_.find(slot);
  if (found == runs_.end()) return;
  if (stream == CommandRun::Stream::end) return end(slot);
  CommandRun& run = found->second;
  run.attend(stream);
  if (const auto progress = run.take_progress()) say(RunProgress{run.key(), *progress});
  if (const auto fault = run.take_fault(); !fault.empty()) say(bad_report(run.key(), fault));
}

void CommandRunner::end(Slot slot) {
  CommandRun& run = runs_.at(slot);
  guard_.forget(run.group());
  RunResult result = run.finish();
  if (const auto fault = run.take_fault(); !fault.empty()) say(bad_report(run.key(), fault));
  say(RunEnded{std::move(result)});
  slots_.erase(run.key());
  runs_.erase(slot);
}

void CommandRunner::kill_overdue() {
  const Instant now = boot_now();
  for (auto& [slot, run] : runs_) {
    if (!run.kill_at || *run.kill_at > now) continue;
    run.signal_group(SIGKILL);
    run.kill_at = Instant::max();
  }
  set_timer();
}

void CommandRunner::set_timer() {
  Instant next = Instant::max();
  for (const auto& [slot, run] : runs_) next = std::min(next, run.kill_at.value_or(next));
  itimerspec at{};
  if (next != Instant::max()) {
    const auto micros = next.time_since_epoch().count();
    at.it_value.tv_sec = micros / 1'000'000;
    at.it_value.tv_nsec = micros % 1'000'000 * 1000;
  }
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

void CommandRunner::watch(const Descriptor& descriptor, std::uint32_t events, std::uint64_t data) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = data;
  const int added = epoll_ctl(ready_.get(), EPOLL_CTL_ADD, descriptor.get(), &event);
  assert(added == 0);
  static_cast<void>(added);
}

void CommandRunner::say(Message message) {
  said_.push_back(std::move(message));
  set_flag(true);
}

void CommandRunner::set_flag(bool up) {
  if (std::exchange(flag_is_up_, up) == up) return;
  std::uint64_t count = 1;
  const ssize_t done =
      up ? write(flag_.get(), &count, sizeof count) : read(flag_.get(), &count, sizeof count);
  assert(done == sizeof count);
  static_cast<void>(done);
}

}  // namespace stint
