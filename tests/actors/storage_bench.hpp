// StorageBench: one storage actor over a store in memory, a clock that the test turns, and a test that plays
// clients, workers and the limiter. Each request is a turn of its own, with its commit, as a node would make
// it.
#pragma once

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actors/events/event_chunk.hpp"
#include "actors/kernel/actor_system.hpp"
#include "actors/storage/storage_actor.hpp"
#include "protocol/words.hpp"
#include "tests/support/memory_store.hpp"

namespace stint {

inline SessionId session_id(unsigned char number) { return SessionId{{number}}; }

inline NewJob new_job(std::string handler = "send", std::string queue = "email") {
  NewJob job;
  job.handler = std::move(handler);
  job.queue = std::move(queue);
  job.payload.bytes = "payload";
  return job;
}

inline Hello hello_of(unsigned char session, std::string worker,
                      std::vector<std::string> handlers = {"send"}) {
  Hello hello;
  hello.worker = std::move(worker);
  hello.session = session_id(session);
  for (std::string& handler : handlers) hello.handlers[std::move(handler)] = {};
  hello.queues = {"email"};
  return hello;
}

class StorageBench {
 public:
  explicit StorageBench(StorageOptions options = {}) : options_(std::move(options)) { start(); }

  // --- The node's life ---
  void start() {
    store_.emplace(disk);
    store_->fail_commits(std::exchange(commits_to_fail, 0));
    actor_.emplace(*store_, options_);
    system_.emplace(7);
    ASSERT_TRUE(actor_->load({now, wall_now, boot_id, {}, "log"}).ok());
    system_->host(Place::storage, *actor_);
    turn();
  }
  // What the next start reads in its config.
  void configure(StorageOptions options) { options_ = std::move(options); }
  // kill -9 and another start; what was not committed is gone.
  void restart(Duration down = {}) {
    stop();
    pass_clock(down);
    start();
  }
  void stop() {
    system_.reset();
    actor_.reset();
    store_.reset();
    to_limiter.clear();
    answers_.clear();
  }
  void turn() {
    system_->run(now, wall_now);
    if (store_->has_changes() &&
        !store_->commit(actor_->last_commit().stamp, actor_->last_commit().stamp_ms)) {
      system_->rolled_back(now, wall_now);
      return;
    }
    take_outgoing();
    pass_clock(commit_takes);
    system_->committed(now);
  }
  // Lets time pass, with a turn whenever a timer is due.
  void pass(Duration duration) {
    const Instant end = now + duration;
    while (system_->next_deadline() && *system_->next_deadline() <= end) {
      pass_clock(std::max(*system_->next_deadline() - now, Duration::zero()));
      turn();
    }
    pass_clock(std::max(end - now, Duration::zero()));
  }
  void pass_ms(std::int64_t ms) { pass(from_ms(ms)); }
  // Time passes and nothing is done: the machine was stopped, or the disk was slow.
  void stall_ms(std::int64_t ms) {
    pass_clock(from_ms(ms));
    turn();
  }

  // --- Talking to it ---
  // A request, and its answer: of another kind, the test fails. No answer: `answered` is empty.
  std::uint64_t ask_for(Message request) {
    const std::uint64_t number = ++requests_;
    EXPECT_TRUE(system_->post({{Place::door, number}, {Place::storage, 0}, std::move(request)}));
    return number;
  }
  template <class Wanted>
  Wanted ask(Message request) {
    const std::uint64_t number = ask_for(std::move(request));
    turn();
    return answer<Wanted>(number);
  }
  template <class Wanted>
  Wanted answer(std::uint64_t number) {
    const auto found = answers_.find(number);
    if (found == answers_.end()) return ADD_FAILURE() << "no answer came", Wanted{};
    Wanted* wanted = std::get_if<Wanted>(&found->second);
    if (wanted == nullptr) {
      const auto* error = std::get_if<Error>(&found->second);
      return ADD_FAILURE() << "another answer came: " << (error ? error->message : "no error"), Wanted{};
    }
    return *wanted;
  }
  bool answered(std::uint64_t number) const { return answers_.contains(number); }
  ErrorCode refused(Message request) { return ask<Error>(std::move(request)).code; }

  // --- Short forms ---
  std::vector<JobId> enqueue(std::vector<NewJob> jobs, std::string batch_key = {}) {
    return ask<Enqueued>(Enqueue{std::move(jobs), std::move(batch_key)}).ids;
  }
  JobId enqueue(NewJob job) { return enqueue(std::vector{std::move(job)}).at(0); }
  JobId enqueue() { return enqueue(new_job()); }
  void hello(unsigned char session, std::string worker = "w", std::vector<std::string> handlers = {"send"}) {
    ask<Welcome>(hello_of(session, std::move(worker), std::move(handlers)));
  }
  // What a limiter does for an ask; the batch, or an empty one if nothing was taken.
  Batch claim(unsigned char session, std::int64_t number, std::map<std::string, std::int64_t> queues,
              std::int64_t most = 100) {
    const std::uint64_t asker = ++requests_;
    Claim claim{++claims_, session_id(session), number, std::move(queues), most, {{Place::door, asker}}};
    EXPECT_TRUE(system_->post({{Place::limiter, 0}, {Place::storage, 0}, std::move(claim)}));
    turn();
    return answered(asker) ? answer<Batch>(asker) : Batch{};
  }
  Batch claim(unsigned char session, std::int64_t number) { return claim(session, number, {{"email", 100}}); }
  // A worker's ask that comes again: it did not get the batch.
  Batch ask_again(unsigned char session, std::int64_t number, std::int64_t got = 0) {
    RequestBatch again;
    again.session = session_id(session);
    again.ask = number;
    again.got = got;
    again.queues = {{"email", 100}};
    const std::uint64_t asker = ++requests_;
    EXPECT_TRUE(system_->post(
        {{Place::limiter, 0}, {Place::storage, 0}, CheckAsk{std::move(again), {Place::door, asker}}}));
    turn();
    return answer<Batch>(asker);
  }
  // The worker's word that it got the answer of every ask up to `got`.
  void got(unsigned char session, std::int64_t number) {
    EXPECT_TRUE(
        system_->post({{Place::limiter, 0}, {Place::storage, 0}, Acknowledge{session_id(session), number}}));
    turn();
  }
  // The node's word about its link to another one.
  void link(NodeNumber node, bool is_up) {
    Message word = is_up ? Message(LinkUp{node}) : Message(LinkDown{node});
    EXPECT_TRUE(system_->post({{Place::server, 0}, {Place::storage, 0}, std::move(word)}));
    turn();
  }
  // The node's word that a batch could not leave.
  void drop(const Batch& batch) {
    BatchDropped dropped;
    for (const LeasedJob& job : batch.jobs) dropped.runs.push_back({job.id, job.run});
    EXPECT_TRUE(system_->post({{Place::door, 0}, {Place::storage, 0}, std::move(dropped)}));
    turn();
  }
  // One job, handed out to session 1 and acknowledged.
  LeasedJob running(NewJob job = new_job()) {
    enqueue(std::move(job));
    const std::int64_t number = ++asks_;
    Batch batch = claim(1, number, {{"email", 1}});
    got(1, number);
    if (batch.jobs.size() != 1) return ADD_FAILURE() << "it was not handed out", LeasedJob{};
    return batch.jobs.front();
  }
  Finished finish(unsigned char session, std::vector<RunResult> results) {
    Finish finish;
    finish.session = session_id(session);
    for (std::size_t at = 0; at < results.size(); ++at)
      finish.positions.push_back(std::ssize(finish.positions));
    finish.results = std::move(results);
    return ask<Finished>(std::move(finish));
  }
  bool finish(unsigned char session, const JobRun& run, Outcome outcome = Outcome::completed,
              std::optional<std::int64_t> retry_in_ms = {}) {
    return finish(session, {RunResult{run.id, run.run, outcome, {}, {}, retry_in_ms, {}}}).accepted.size() ==
           1;
  }
  bool finish(unsigned char session, const LeasedJob& job, Outcome outcome = Outcome::completed,
              std::optional<std::int64_t> retry_in_ms = {}) {
    return finish(session, JobRun{job.id, job.run}, outcome, retry_in_ms);
  }
  HeartbeatOk beat(unsigned char session, std::vector<JobRun> runs) {
    return ask<HeartbeatOk>(heartbeat(session, std::move(runs)));
  }
  static Heartbeat heartbeat(unsigned char session, std::vector<JobRun> runs, std::int64_t wait_ms = 0) {
    Heartbeat heartbeat;
    heartbeat.session = session_id(session);
    for (const JobRun& run : runs) heartbeat.jobs.push_back({run.id, run.run, {}});
    heartbeat.wait_ms = wait_ms;
    return heartbeat;
  }
  JobDetails details(JobId id) { return ask<JobDetails>(GetJob{id}); }
  JobState state(JobId id) { return details(id).job.state; }
  Stats stats() { return ask<Stats>(GetStats{}); }

  // --- What it said ---
  // The newest count of ready jobs that the limiter was told.
  std::int64_t told_ready(const std::string& queue, const std::string& handler) const {
    std::int64_t ready = 0;
    for (const auto& delta : all_to_limiter<LimiterDelta>()) {
      for (const ReadyCount& count : delta.counts) {
        if (count.queue == queue && count.handler == handler) ready = count.ready;
      }
    }
    return ready;
  }
  template <class Kind>
  std::vector<Kind> all_to_limiter() const {
    std::vector<Kind> all;
    for (const Message& message : to_limiter) {
      if (const auto* kind = std::get_if<Kind>(&message)) all.push_back(*kind);
    }
    return all;
  }
  // Every event on the disk: "seq queue/event job" a line's worth each.
  std::vector<EventMessage> events() const {
    std::vector<EventMessage> all;
    for (const auto& [first, row] : disk.events) {
      auto messages = decode_events(row.chunk, disk.header.log);
      if (!messages.ok()) return ADD_FAILURE() << messages.error().message, all;
      for (EventMessage& message : *messages) all.push_back(std::move(message));
    }
    return all;
  }
  std::vector<std::string> events_of(JobId job) const {
    std::vector<std::string> names;
    for (const EventMessage& message : events()) {
      for (const EventItem& item : message.items) {
        if (item.job == job) names.emplace_back(word_of(message.event));
      }
    }
    return names;
  }

  test::MemoryStore& store() { return *store_; }
  StorageActor& actor() { return *actor_; }

  test::MemoryDisk disk;
  Instant now{std::chrono::hours(1)};
  WallMs wall_now = 1'700'000'000'000;
  std::string boot_id = "boot";      // of the machine, at the next start
  std::int64_t commits_to_fail = 0;  // the first ones of the next start
  Duration commit_takes{};           // of the turns to come
  std::vector<Message> to_limiter;
  std::vector<EventsWritten> published;  // if the options name an events endpoint

 private:
  void pass_clock(Duration duration) {
    now += duration;
    passed_ += duration;
    // Whole milliseconds of the wall clock, without losing the rest.
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(passed_);
    passed_ -= whole;
    wall_now += whole.count();
  }
  void take_outgoing() {
    for (Envelope& envelope : system_->take_outgoing()) {
      if (envelope.to.place == Place::limiter) {
        to_limiter.push_back(std::move(envelope.message));
      } else if (envelope.to.place == Place::events) {
        published.push_back(std::get<EventsWritten>(std::move(envelope.message)));
      } else {
        answers_.insert_or_assign(envelope.to.id, std::move(envelope.message));
      }
    }
  }

  StorageOptions options_;
  std::optional<test::MemoryStore> store_;
  std::optional<StorageActor> actor_;
  std::optional<ActorSystem> system_;
  std::map<std::uint64_t, Message> answers_;
  std::uint64_t requests_ = 0;
  std::uint64_t claims_ = 0;
  std::int64_t asks_ = 1000;
  Duration passed_{};
};

}  // namespace stint
