// SharesBench: a weighted worker's shares, a server that knows what is ready, and runs that take their time,
// on a clock of its own.
#pragma once

#include <gtest/gtest.h>
#include <list>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "actors/worker/shares.hpp"

namespace stint {

class SharesBench {
 public:
  static constexpr std::int64_t endless = 1'000'000'000;
  static constexpr Duration step = std::chrono::milliseconds(5);  // an answer takes one

  struct Work {
    std::int64_t ready = 0;
    Duration shortest_run = std::chrono::milliseconds(50);
    Duration longest_run = std::chrono::milliseconds(150);
    Instant limited_until{};  // nothing of it may start before
    Duration spacing{};       // from one start to the next
    // What came of it.
    std::int64_t running = 0;
    std::int64_t started = 0;
    std::int64_t asks = 0;
    double run_seconds = 0;
  };

  SharesBench(std::int64_t workers, std::map<std::string, ShareOfWorkers> shares,
              Permits::HomesOfQueues homes = {}, unsigned seed = 1)
      : shares_(workers, shares), workers_(workers), random_(seed) {
    shares_.set_homes(homes);
    for (const auto& [queue, share] : shares) work_[queue];
  }

  Work& operator[](const std::string& queue) { return work_.at(queue); }
  Instant now() const { return now_; }
  std::int64_t asks() const { return asks_; }
  std::size_t open_asks() const { return open_.size(); }
  std::mt19937& random() { return random_; }

  void pass(Duration duration) {
    for (const Instant end = now_ + duration; now_ < end; now_ += step) {
      end_runs();
      answer_asks();
      for (Offer& offer : shares_.worth_asking({}, now_)) open(std::move(offer));
      check_bounds();
      for (auto& [queue, work] : work_) {
        work.run_seconds += static_cast<double>(work.running) * std::chrono::duration<double>(step).count();
      }
    }
  }
  // Mean runs at once of a queue from now on for so long.
  std::map<std::string, double> measure(Duration duration) {
    for (auto& [queue, work] : work_) work.run_seconds = 0;
    pass(duration);
    std::map<std::string, double> means;
    for (const auto& [queue, work] : work_) {
      means[queue] = work.run_seconds / std::chrono::duration<double>(duration).count();
    }
    return means;
  }

 private:
  struct OpenAsk {
    Offer offer;
    Instant opened_at{};
  };
  struct Run {
    std::string queue;
    Instant ends_at{};
  };

  void open(Offer&& offer) {
    ++asks_;
    EXPECT_FALSE(offer.queues.empty());
    for (const auto& [queue, count] : offer.queues) {
      EXPECT_GT(count, 0);
      ++work_.at(queue).asks;
    }
    shares_.offer(offer);
    open_.push_back({std::move(offer), now_});
  }

  std::int64_t may_start(const Work& work) const {
    if (work.limited_until > now_) return 0;
    return work.spacing > Duration::zero() ? std::min<std::int64_t>(work.ready, 1) : work.ready;
  }

  void answer_asks() {
    std::list<OpenAsk> open = std::exchange(open_, {});
    for (OpenAsk& ask : open) {
      if (!answer(ask)) open_.push_back(std::move(ask));
    }
  }

  bool answer(const OpenAsk& ask) {
    OfferAnswer answer{.brought = {}, .has_waited = ask.offer.longest_wait_ms > 0};
    std::int64_t left = ask.offer.permits();
    for (const auto& [queue, count] : ask.offer.queues) {
      const std::int64_t jobs = std::min({left, count, may_start(work_.at(queue))});
      if (jobs == 0) continue;
      left -= jobs;
      answer.brought[queue] = jobs;
    }
    const bool is_over =
        now_ - ask.opened_at >= from_ms(std::min<std::int64_t>(ask.offer.longest_wait_ms, 30'000));
    if (answer.brought.empty() && !is_over) return false;
    if (answer.brought.empty()) answer.retry_in = retry_in(ask.offer);
    shares_.take_back(ask.offer);
    shares_.learn(ask.offer, answer, now_);
    for (const auto& [queue, jobs] : answer.brought) start(queue, jobs);
    return true;
  }

  std::optional<Duration> retry_in(const Offer& offer) const {
    std::optional<Duration> soonest;
    for (const auto& [queue, count] : offer.queues) {
      const Work& work = work_.at(queue);
      if (work.ready == 0 || work.limited_until <= now_) continue;
      soonest = std::min(soonest.value_or(Duration::max()), Duration(work.limited_until - now_));
    }
    return soonest;
  }

  void start(const std::string& queue, std::int64_t jobs) {
    Work& work = work_.at(queue);
    for (; jobs > 0; --jobs) {
      EXPECT_TRUE(shares_.has_permit(queue));
      shares_.hold(queue);
      --work.ready;
      ++work.started;
      ++work.running;
      work.limited_until = std::max(work.limited_until, now_ + work.spacing);
      std::uniform_int_distribution<std::int64_t> length(work.shortest_run.count(), work.longest_run.count());
      runs_.push_back({queue, now_ + Duration(length(random_))});
    }
  }

  void end_runs() {
    for (auto run = runs_.begin(); run != runs_.end();) {
      if (run->ends_at > now_) {
        ++run;
        continue;
      }
      shares_.give_back(run->queue);
      --work_.at(run->queue).running;
      run = runs_.erase(run);
    }
  }

  void check_bounds() const {
    std::int64_t used = std::ssize(runs_);
    for (const OpenAsk& ask : open_) used += ask.offer.permits();
    ASSERT_LE(used, workers_);
  }

  Shares shares_;
  std::int64_t workers_;
  std::mt19937 random_;
  Instant now_{std::chrono::hours(1)};
  std::map<std::string, Work> work_;
  std::list<OpenAsk> open_;
  std::list<Run> runs_;
  std::int64_t asks_ = 0;
};

}  // namespace stint
