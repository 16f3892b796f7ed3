// World: the time, the chance and the trace of one simulation. Everything that happens is an event in one
// queue, so a seed repeats a run exactly.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "protocol/time.hpp"

namespace stint::sim {

inline constexpr Duration microsecond{1};
inline constexpr Duration millisecond{1'000};
inline constexpr Duration second{1'000'000};

class World {
 public:
  explicit World(std::uint64_t seed) : seed_(seed), random_(seed) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::uint64_t seed() const { return seed_; }
  // Since the machine booted. Within a node's turn it goes on, as the turn takes its time.
  Duration now() const { return now_ + spent_; }
  WallMs wall_now() const;
  // The event that is on, a turn of a node mostly, and when it began.
  std::uint64_t turn() const { return steps_; }
  Duration turn_began() const { return now_; }
  void jump_wall(std::int64_t ms);

  void after(Duration delay, std::function<void()> event);
  // A turn of a node that takes `spent` is on: what it does happens that much later.
  void spend(Duration spent) { spent_ += spent; }
  // Runs the next event; false: there is none before `until`.
  bool step(Duration until);
  void run_for(Duration span);
  // Runs until `done`, at most for `span`; whether it is done.
  bool run_until(const std::function<bool()>& done, Duration span);

  bool chance(double probability);
  std::int64_t between(std::int64_t least, std::int64_t most);
  Duration between(Duration least, Duration most) { return Duration(between(least.count(), most.count())); }
  std::uint64_t draw() { return random_(); }
  // What `draws` draws is up to the seed and this number alone, and changes nothing that is drawn elsewhere.
  void draw_apart(std::uint64_t number, const std::function<void()>& draws);

  void trace(const std::string& line);
  // Something was done to the simulated system: how often, by kind.
  void count(const std::string& kind) { ++counts_[kind]; }
  const std::map<std::string, std::int64_t>& counts() const { return counts_; }
  Duration elapsed() const { return now_ - begin; }
  // A rule is broken. The first `most_failures` are kept.
  void fail(const std::string& rule, const std::string& what);
  const std::vector<std::string>& failures() const { return failures_; }
  // How somebody sees all of this run.
  void replays_with(std::string command) { replay_ = std::move(command); }
  // The newest lines of the trace, and how to see them all.
  std::string report() const;
  void print_trace() { prints_trace_ = true; }

 private:
  struct Event {
    Duration at;
    std::uint64_t number;
    std::function<void()> what;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.number > b.number;
    }
  };
  static constexpr std::size_t trace_lines = 400;
  static constexpr std::size_t most_failures = 20;

  std::uint64_t seed_;
  std::mt19937_64 random_;
  static constexpr Duration begin = 1'000 * second;
  Duration now_ = begin;
  Duration spent_{};
  WallMs wall_offset_ms_ = 1'700'000'000'000;
  std::uint64_t events_ = 0;
  std::uint64_t steps_ = 0;
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
  std::deque<std::string> trace_;
  std::vector<std::string> failures_;
  std::map<std::string, std::int64_t> counts_;
  bool prints_trace_ = false;
  std::string replay_;
};

}  // namespace stint::sim
