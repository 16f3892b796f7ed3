// LimiterTest: the limiter against a storage that says what the test tells it to say, and a clock that the
// test turns.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/kernel/actor_system.hpp"
#include "actors/limiter/limiter_actor.hpp"

namespace stint {

// Notes what the limiter says.
class ListeningStorage
    : public Handles<ListeningStorage, Started, CheckAsk, Claim, Acknowledge, SnapshotWanted> {
 public:
  void on(Started&&, Turn&) {}
  void on(CheckAsk&& check, Turn&) { checks.push_back(std::move(check)); }
  void on(Claim&& claim, Turn&) { claims.push_back(std::move(claim)); }
  void on(Acknowledge&& acknowledge, Turn&) { acknowledged.push_back(acknowledge); }
  void on(SnapshotWanted&&, Turn&) { ++snapshots_wanted; }

  std::vector<CheckAsk> checks;
  std::vector<Claim> claims;
  std::vector<Acknowledge> acknowledged;
  int snapshots_wanted = 0;
};

struct Answered {
  std::uint64_t request = 0;
  Message message;
};

constexpr std::int64_t long_wait_ms = 30'000;

class LimiterTest : public ::testing::Test {
 protected:
  explicit LimiterTest(LimiterOptions options = {}) : limiter(std::move(options)) {
    system.host(Place::storage, storage);
    system.host(Place::limiter, limiter);
    turn();
  }

  static SessionId session(unsigned char number) { return SessionId{{number}}; }

  void turn() {
    system.run(now, 0);
    for (Envelope& envelope : system.take_outgoing()) {
      answers.push_back({envelope.to.id, std::move(envelope.message)});
    }
    system.committed(now);
  }
  void pass_ms(std::int64_t ms) {
    const Instant end = now + from_ms(ms);
    for (auto next = system.next_deadline(); next && *next <= end; next = system.next_deadline()) {
      now = std::max(now, *next);
      turn();
    }
    now = end;
    turn();
  }

  void tell(Message message) {
    system.post({{Place::storage}, {Place::limiter}, std::move(message)});
    turn();
  }
  void open_session(unsigned char number, std::vector<std::string> handlers) {
    tell(SessionOpened{session(number), std::make_shared<const std::vector<std::string>>(std::move(handlers)),
                       0});
  }
  void ready(const std::string& queue, const std::string& handler, std::int64_t count) {
    tell(LimiterDelta{epoch, ++sequence, false, {{queue, handler, count}}, {}});
  }

  RequestBatch ask(unsigned char of, std::int64_t number, std::map<std::string, std::int64_t> queues,
                   std::int64_t wait_ms = long_wait_ms) {
    RequestBatch request;
    request.session = session(of);
    request.ask = number;
    request.queues = std::move(queues);
    request.wait_ms = wait_ms;
    return request;
  }
  // The number of the request at the door.
  std::uint64_t request(RequestBatch ask) {
    system.post({{Place::door, ++requests}, {Place::limiter}, std::move(ask)});
    turn();
    return requests;
  }
  void settle(const Claim& claim, std::int64_t taken, std::vector<RefusedLane> refused = {}) {
    tell(Claimed{claim.claim, taken, epoch, sequence, std::move(refused)});
  }
  // What holds for a name from now on; a gate without rules and pause: nothing does.
  void gate(LimitScope scope, const std::string& name, const Gate& state) {
    const bool holds = state.rules().any() || state.is_paused_at_all();
    LimiterDelta delta{epoch, ++sequence, false, {}, {}};
    delta.gates.push_back({scope, name, holds ? std::optional(state.state()) : std::nullopt});
    tell(std::move(delta));
  }

  const Batch* empty_batch_for(std::uint64_t request) const {
    const Batch* found = nullptr;
    for (const Answered& answer : answers) {
      if (answer.request != request) continue;
      EXPECT_EQ(found, nullptr) << "answered twice";
      found = std::get_if<Batch>(&answer.message);
    }
    return found;
  }
  bool refused_as_overloaded(std::uint64_t request) const {
    for (const Answered& answer : answers) {
      const Error* error = std::get_if<Error>(&answer.message);
      if (answer.request == request && error != nullptr) {
        return error->code == ErrorCode::overloaded && error->retry_in_ms.has_value();
      }
    }
    return false;
  }

  Instant now{from_ms(1'000'000)};
  ListeningStorage storage;
  LimiterActor limiter;
  ActorSystem system{1};
  std::vector<Answered> answers;
  std::uint64_t requests = 0;
  std::int64_t epoch = 0;
  std::uint64_t sequence = 0;
};

}  // namespace stint
