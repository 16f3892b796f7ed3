// A storage node and a limiter node with actors that do what a test wants.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/nodes/cluster_bench.hpp"

namespace stint::test {

// Does what the test wants when it is told something.
class TestStorage : public Handles<TestStorage, Started, Enqueue, GetStats, Finish, Goodbye, Claim, CheckAsk,
                                   Acknowledge, SnapshotWanted, BatchDropped, LinkUp, LinkDown> {
 public:
  void on(Started&&, Turn&) {}
  void on(Enqueue&& enqueue, Turn& turn) {
    enqueued.push_back(std::move(enqueue));
    if (!keeps_silent) turn.reply(Enqueued{{7}, {}});
  }
  void on(GetStats&&, Turn& turn) {
    ++stats_asked;
    if (!keeps_silent) turn.reply(Stats{});
  }
  void on(Finish&& report, Turn&) { reports.push_back(std::move(report)); }
  void on(Goodbye&&, Turn& turn) {
    if (on_goodbye) on_goodbye(turn);
  }
  void on(Claim&& claim, Turn& turn) {
    claims.push_back(std::move(claim));
    claimer = turn.sender();
  }
  void on(CheckAsk&& check, Turn&) { checks.push_back(std::move(check)); }
  void on(Acknowledge&&, Turn&) {}
  void on(SnapshotWanted&&, Turn&) {}
  void on(LinkUp&&, Turn&) {}
  void on(LinkDown&&, Turn&) {}
  void on(BatchDropped&& told, Turn&) { dropped = std::move(told.runs); }

  bool keeps_silent = false;
  std::function<void(Turn&)> on_goodbye;
  std::vector<Enqueue> enqueued;
  std::vector<Finish> reports;
  int stats_asked = 0;
  std::vector<Claim> claims;
  Address claimer;
  std::vector<CheckAsk> checks;
  std::vector<JobRun> dropped;
};

class TestLimiter : public Handles<TestLimiter, Started, LinkUp, RequestBatch, LimiterDelta, LimiterHead,
                                   SessionEnded, AskIsNew, AskAnswered, Claimed> {
 public:
  void on(Started&&, Turn&) {}
  void on(LinkUp&&, Turn&) { ++links_up; }
  void on(RequestBatch&& ask, Turn& turn) {
    asks.push_back(std::move(ask));
    asker = turn.sender();
    if (on_ask) on_ask(turn);
  }
  void on(LimiterDelta&& delta, Turn& turn) {
    deltas.push_back(std::move(delta));
    told_at = turn.now();
  }
  void on(LimiterHead&& head, Turn&) { heads.push_back(head.sequence); }
  void on(SessionEnded&&, Turn&) {}
  void on(AskIsNew&&, Turn&) {}
  void on(AskAnswered&&, Turn&) {}
  void on(Claimed&&, Turn&) {}

  int links_up = 0;
  std::function<void(Turn&)> on_ask;
  std::vector<RequestBatch> asks;
  Address asker;
  std::vector<LimiterDelta> deltas;
  Instant told_at{};
  std::vector<std::uint64_t> heads;
};

inline constexpr NodeNumber storage_number = 1;
inline constexpr NodeNumber limiter_number = 2;

inline Enqueue one_job(const std::string& batch_key = {}) {
  Enqueue enqueue;
  enqueue.jobs.resize(1);
  enqueue.jobs[0].handler = "greet";
  enqueue.batch_key = batch_key;
  return enqueue;
}

inline RequestBatch one_ask() {
  RequestBatch ask;
  ask.session.bytes.fill(1);
  ask.ask = 1;
  ask.queues["default"] = 1;
  return ask;
}

class LinkTest : public ::testing::Test {
 protected:
  LinkTest() {
    cluster_.storage = free_endpoint();
    cluster_.limiters["limiter-1"] = free_endpoint();
  }

  void start_storage(std::uint64_t start = 100, std::optional<std::uint64_t> hash = {}) {
    storage_end_ = std::make_unique<ClusterEnd>(
        ClusterEnd::Setup{cluster_, storage_number, "server", start, hash, nullptr},
        [&](ActorSystem& actors) { actors.host(Place::storage, storage_); });
  }
  void start_limiter(std::uint64_t start = 200, std::optional<std::uint64_t> hash = {}) {
    limiter_end_ = std::make_unique<ClusterEnd>(
        ClusterEnd::Setup{cluster_, limiter_number, "limiter-1", start, hash, nullptr},
        [&](ActorSystem& actors) { actors.host(Place::limiter, limiter_); });
  }
  void start_both() {
    start_storage();
    start_limiter();
    ASSERT_TRUE(turn_until([&] { return are_linked(); }));
  }
  bool are_linked() const {
    return storage_end_->links->is_up(limiter_number) && limiter_end_->links->is_up(storage_number);
  }

  void turn() {
    for (ClusterEnd* end : {storage_end_.get(), limiter_end_.get()}) {
      if (end != nullptr) end->loop->turn();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  // For at most some seconds.
  bool turn_until(const std::function<bool()>& done) {
    for (int i = 0; i < 10'000; ++i) {
      turn();
      if (done()) return true;
    }
    return false;
  }
  // Long enough for anything on its way to arrive.
  void turn_a_while() {
    for (int i = 0; i < 100; ++i) turn();
  }
  Answer answer_to(PatientClient& client) {
    std::optional<Answer> answer;
    EXPECT_TRUE(turn_until([&] { return (answer = client.take()).has_value(); })) << "no answer came";
    return answer.value_or(Error{});
  }
  Error error_to(PatientClient& client) {
    const Answer answer = answer_to(client);
    const Error* error = std::get_if<Error>(&answer);
    EXPECT_NE(error, nullptr) << "it answered " << wire_type(answer);
    return error != nullptr ? *error : Error{};
  }
  PatientClient client_of_limiter() { return {context_, limiter_end_->door->endpoint()}; }
  PatientClient client_of_storage() { return {context_, storage_end_->door->endpoint()}; }
  // Makes the storage actor say what `say` says.
  void let_storage_say(const std::function<void(Turn&)>& say) {
    storage_.on_goodbye = say;
    ASSERT_TRUE(storage_end_->actors.post({{}, {Place::storage}, Goodbye{}}));
  }

  zmq::context_t context_{1};
  ClusterConfig cluster_;
  TestStorage storage_;
  TestLimiter limiter_;
  std::unique_ptr<ClusterEnd> storage_end_;
  std::unique_ptr<ClusterEnd> limiter_end_;
};

}  // namespace stint::test
