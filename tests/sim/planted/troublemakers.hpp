// Troublemakers: clients that do one odd thing all the time.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "tests/sim/world/scene.hpp"

namespace stint::sim {

// A worker that holds on to its runs: it sends heartbeats for them and never reports. Takes a few, then no
// more.
class Stubborn {
 public:
  explicit Stubborn(Scene& scene);
  void begin() { act(); }

 private:
  void act();
  void hear(const Answer& answer);

  Scene& scene_;
  std::unique_ptr<Client> client_;
  std::int64_t asks_ = 0;
  std::int64_t got_ = 0;
  std::vector<LeasedJob> held_;
  std::int64_t taken_ = 0;
};

// Somebody who cancels jobs, whatever they are at, for as long as it blows.
void cancel_now_and_then(Scene& scene, Client& client, Duration until);

// A worker that reports on runs of others and sends heartbeats for them.
void meddle(Scene& scene, Client& client, Duration until);

// Two sessions of one worker that both say again and again that they take over.
void quarrel(Scene& scene, Client& one, Client& other, Duration until);

// An operator who lifts the limits of one handler and one queue and sets them again at once, over and over.
void lift_and_set_again(Scene& scene, Client& client, Duration until);

// A server that dies while it hands out jobs, after it stalled between deciding and sending, again and again:
// a bucket and a window are full of room before and have none left after.
void die_with_last_words(Scene& scene, int times);

// Two workers, each with a handler of its own, and more jobs for the slow one than it can run.
void serve_apart(Scene& scene);

// A client that enqueues one job, and then others with the same batch_key: every time that must be a conflict
// (rule D8).
class KeyThief {
 public:
  explicit KeyThief(Scene& scene);
  void begin() { act(); }

 private:
  void act();
  void look_at_answers();

  Scene& scene_;
  std::unique_ptr<Client> client_;
  Enqueue first_;
  bool is_acknowledged_ = false;
  std::vector<std::uint64_t> thefts_;  // the requests with other jobs
};

}  // namespace stint::sim
