// LimitsNode: a node of a storage and a limiter actor over a store in memory, a clock that the test turns,
// and answers with the moment at which they left.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/kernel/actor_system.hpp"
#include "actors/limiter/limiter_actor.hpp"
#include "actors/storage/storage_actor.hpp"
#include "tests/support/memory_store.hpp"

namespace stint {

class LimitsNode {
 public:
  explicit LimitsNode(StorageOptions options = {}) : options_(std::move(options)) { start(); }

  void start() {
    store_.emplace(disk);
    storage_.emplace(*store_, options_);
    limiter_.emplace();
    system_.emplace(++lives_);
    ASSERT_TRUE(storage_->load({now, wall_now(), boot_id, {}, "log"}).ok());
    system_->host(Place::storage, *storage_);
    system_->host(Place::limiter, *limiter_);
    turn();
  }
  // kill -9, and another start: requests that were open are never answered.
  void restart(Duration down) {
    system_.reset();
    limiter_.reset();
    storage_.reset();
    store_.reset();
    answers.clear();
    now += down;
    start();
  }
  void turn() {
    turn_began = now;
    system_->run(now, wall_now());
    if (store_->has_changes() &&
        !store_->commit(storage_->last_commit().stamp, storage_->last_commit().stamp_ms)) {
      return system_->rolled_back(now, wall_now());
    }
    now += commit_takes;
    for (Envelope& envelope : system_->take_outgoing())
      answers.insert_or_assign(envelope.to.id, std::move(envelope.message));
    system_->committed(now);
  }
  // The next moment at which it has something to do.
  std::optional<Instant> next() const { return system_->next_deadline(); }

  // For the turn to come; the answer comes under this number.
  std::uint64_t request(Message message) {
    const Address to = system_->destination(message);
    EXPECT_TRUE(system_->post({{Place::door, ++requests_}, to, std::move(message)}));
    return requests_;
  }
  // In a turn of its own.
  template <class Wanted>
  Wanted ask(Message message) {
    const std::uint64_t number = request(std::move(message));
    turn();
    const auto found = answers.find(number);
    if (found == answers.end()) return ADD_FAILURE() << "no answer came", Wanted{};
    const Message answer = std::move(found->second);
    answers.erase(found);
    if (const auto* wanted = std::get_if<Wanted>(&answer)) return *wanted;
    return ADD_FAILURE() << "another answer came", Wanted{};
  }

  WallMs wall_now() const { return 1'700'000'000'000 + to_ms(now.time_since_epoch()); }
  test::MemoryStore& store() { return *store_; }

  test::MemoryDisk disk;
  std::string boot_id = "boot";
  Instant now{std::chrono::hours(1)};
  Instant turn_began{};
  Duration commit_takes{1};                  // no clock stands still over two turns
  std::map<std::uint64_t, Message> answers;  // those that nobody has taken

 private:
  StorageOptions options_;
  std::optional<test::MemoryStore> store_;
  std::optional<StorageActor> storage_;
  std::optional<LimiterActor> limiter_;
  std::optional<ActorSystem> system_;
  std::uint64_t lives_ = 0;
  std::uint64_t requests_ = 0;
};

}  // namespace stint
