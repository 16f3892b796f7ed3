// LimitsWorld: a LimitsNode with workers that ask, run and report, and with a record of every start as they
// saw it. Everything that happens comes of its seed.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/actors/limits_node.hpp"
#include "tests/actors/spans.hpp"

namespace stint {

class LimitsWorld {
 public:
  static constexpr int most_turns = 50'000;  // of one pass()

  struct Start {
    Instant at{};
    Instant decided{};  // the turn that handed it out began
    std::string queue;
    std::string handler;
    JobRun run;
  };
  struct End {
    Instant at{};
    JobRun run;
    bool completed = false;
  };
  struct WorkerPlan {
    std::map<std::string, std::int64_t> queues;
    std::vector<std::string> handlers;
    Duration run_takes{};  // a run, on average
    int fails_of_10 = 0;
    int loses_of_100 = 0;  // batches on their way
  };

  explicit LimitsWorld(std::uint64_t seed) : random(seed) {}

  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  }

  void add_worker(WorkerPlan plan) {
    Worker& worker = workers_.emplace_back();
    worker.session = SessionId{{static_cast<unsigned char>(workers_.size())}};
    worker.plan = std::move(plan);
    Hello hello;
    hello.worker = "w" + std::to_string(workers_.size());
    hello.session = worker.session;
    for (const std::string& handler : worker.plan.handlers) hello.handlers[handler] = {};
    for (const auto& [queue, permits] : worker.plan.queues) hello.queues.push_back(queue);
    node.ask<Welcome>(std::move(hello));
    take_answers();
  }
  void enqueue(const std::string& queue, const std::string& handler, std::int64_t count) {
    NewJob job;
    job.queue = queue;
    job.handler = handler;
    node.ask<Enqueued>(Enqueue{std::vector<NewJob>(static_cast<std::size_t>(count), job), {}});
    take_answers();
  }
  template <class Wanted>
  Wanted ask(Message message) {
    Wanted answer = node.ask<Wanted>(std::move(message));
    take_answers();
    return answer;
  }
  void restart(Duration down) {
    node.restart(down);
    for (Worker& worker : workers_) {
      worker.request = 0;
      worker.reports.clear();
    }
    take_answers();
  }
  // Lets time pass, with all that workers and the node do meanwhile.
  void pass(Duration duration) {
    const Instant end = node.now + duration;
    int turns = 0;
    do {
      // A node that always has something to do at once never comes to rest.
      if (++turns > most_turns) FAIL() << "it does not come to rest";
      node.turn();
      take_answers();
      for (Worker& worker : workers_) step(worker);
      node.now = std::max(node.now, std::min(next(), end));
    } while (node.now < end);
  }
  // The machine is stopped: what was just sent may leave only when it goes on.
  void stand_still(Duration duration) {
    const Instant stopped = node.now;
    node.now += duration;
    for (auto start = starts.rbegin(); start != starts.rend() && start->at == stopped; ++start)
      start->at = node.now;
    node.turn();
    take_answers();
  }

  std::vector<test::Starts> starts_of(const std::function<bool(const Start&)>& fits) const {
    std::vector<test::Starts> all;
    for (const Start& start : starts) {
      if (fits(start)) all.push_back({start.at, 1});
    }
    return all;
  }
  std::vector<test::Starts> starts_of_queue(const std::string& queue) const {
    return starts_of([&](const Start& start) { return start.queue == queue; });
  }
  std::vector<test::Starts> starts_of_handler(const std::string& handler) const {
    return starts_of([&](const Start& start) { return start.handler == handler; });
  }

  LimitsNode node;
  std::mt19937_64 random;
  std::vector<Start> starts;
  std::vector<End> ends;
  std::map<std::string, std::int64_t> starts_of_worker;

 private:
  struct Running {
    Instant until{};
    LeasedJob job;
  };
  struct Worker {
    SessionId session;
    WorkerPlan plan;
    std::int64_t asked = 0;                    // its newest ask
    std::int64_t got = 0;                      // that was answered
    std::map<std::string, std::int64_t> open;  // what that offers
    std::uint64_t request = 0;                 // at the door; 0: to be asked (again)
    std::set<JobRun> unseen;                   // of a batch that got lost
    std::map<JobId, Running> running;
    std::map<std::uint64_t, std::vector<RunResult>> reports;
    std::map<JobId, RunResult> unreported;
  };

  Instant next() const {
    Instant next = node.next().value_or(Instant::max());
    for (const Worker& worker : workers_) {
      for (const auto& [job, run] : worker.running) next = std::min(next, run.until);
    }
    return next;
  }

  void step(Worker& worker) {
    for (auto run = worker.running.begin(); run != worker.running.end();) {
      if (run->second.until > node.now) {
        ++run;
        continue;
      }
      const bool fails = below(10) < worker.plan.fails_of_10;
      RunResult result;
      result.id = run->second.job.id;
      result.run = run->second.job.run;
      result.outcome = fails ? (below(2) ? Outcome::failed : Outcome::snoozed) : Outcome::completed;
      if (fails) result.retry_in_ms = 1 + below(500);
      worker.unreported.emplace(result.id, std::move(result));
      run = worker.running.erase(run);
    }
    if (!worker.unreported.empty() && worker.reports.empty()) {
      Finish finish;
      finish.session = worker.session;
      finish.got = worker.got;
      for (const auto& [job, result] : worker.unreported) {
        finish.positions.push_back(std::ssize(finish.positions));
        finish.results.push_back(result);
      }
      const std::vector<RunResult> results = finish.results;
      worker.reports.emplace(node.request(std::move(finish)), results);
    }
    if (worker.request == 0) ask_for_work(worker);
  }

  void ask_for_work(Worker& worker) {
    if (worker.asked == worker.got) {
      worker.open.clear();
      for (const auto& [queue, permits] : worker.plan.queues) {
        const std::int64_t held =
            std::count_if(worker.running.begin(), worker.running.end(),
                          [&](const auto& run) { return run.second.job.queue == queue; });
        if (permits > held) worker.open.emplace(queue, permits - held);
      }
      if (worker.open.empty()) return;
      ++worker.asked;
    }
    RequestBatch ask;
    ask.session = worker.session;
    ask.ask = worker.asked;
    ask.got = worker.got;
    ask.queues = worker.open;
    ask.wait_ms = 30'000;
    worker.request = node.request(std::move(ask));
  }

  void take_answers() {
    for (Worker& worker : workers_) {
      if (const auto batch = node.answers.find(worker.request); batch != node.answers.end())
        take_batch(worker, batch->second);
      for (auto report = worker.reports.begin(); report != worker.reports.end();) {
        const auto answer = node.answers.find(report->first);
        if (answer == node.answers.end()) {
          ++report;
          continue;
        }
        take_finished(worker, answer->second, report->second);
        report = worker.reports.erase(report);
      }
    }
    node.answers.clear();
  }

  void take_batch(Worker& worker, const Message& answer) {
    worker.request = 0;
    const Batch* batch = std::get_if<Batch>(&answer);
    if (batch == nullptr) return;
    for (const LeasedJob& job : batch->jobs) {
      starts.push_back({node.now, node.turn_began, job.queue, job.handler, {job.id, job.run}});
      ++starts_of_worker[to_string(worker.session)];
      worker.unseen.erase({job.id, job.run});
    }
    // What was in it before and is not any more was taken back.
    for (const JobRun& run : std::exchange(worker.unseen, {})) ends.push_back({node.turn_began, run, false});
    if (below(100) < worker.plan.loses_of_100) {  // it asks again
      for (const LeasedJob& job : batch->jobs) worker.unseen.insert({job.id, job.run});
      return;
    }
    worker.got = worker.asked;
    for (const LeasedJob& job : batch->jobs) {
      const Duration takes(1 + below(2 * worker.plan.run_takes.count()));
      worker.running[job.id] = {node.now + takes, job};
    }
  }

  void take_finished(Worker& worker, const Message& answer, const std::vector<RunResult>& results) {
    const Finished* finished = std::get_if<Finished>(&answer);
    if (finished == nullptr) return;  // it reports again
    for (const std::int64_t at : finished->accepted) {
      const RunResult& result = results.at(static_cast<std::size_t>(at));
      ends.push_back({node.turn_began, {result.id, result.run}, result.outcome == Outcome::completed});
      worker.unreported.erase(result.id);
    }
    for (const auto& stale : finished->stale)
      worker.unreported.erase(results.at(static_cast<std::size_t>(stale.at)).id);
  }

  std::vector<Worker> workers_;
};

}  // namespace stint
