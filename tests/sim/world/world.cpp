#include "tests/sim/world/world.hpp"

#include <cstdio>
#include <utility>

namespace stint::sim {

WallMs World::wall_now() const { return wall_offset_ms_ + now().count() / 1'000; }

void World::jump_wall(std::int64_t ms) {
  wall_offset_ms_ += ms;
  trace("the wall clock jumps by " + std::to_string(ms) + " ms");
}

void World::after(Duration delay, std::function<void()> event) {
  queue_.push({now() + delay, ++events_, std::move(event)});
}

bool World::step(Duration until) {
  if (queue_.empty() || queue_.top().at > until) return false;
  // The top is const only so that the order cannot be broken; it is popped at once.
  Event event = std::move(const_cast<Event&>(queue_.top()));
  queue_.pop();
  now_ = event.at;
  spent_ = Duration::zero();
  ++steps_;
  event.what();
  spent_ = Duration::zero();
  return true;
}

void World::run_for(Duration span) {
  const Duration until = now_ + span;
  while (step(until)) {
  }
  now_ = until;
}

bool World::run_until(const std::function<bool()>& done, Duration span) {
  const Duration until = now_ + span;
  while (!done()) {
    if (!step(until)) {
      now_ = until;
      return done();
    }
  }
  return true;
}

bool World::chance(double probability) {
  return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
}

std::int64_t World::between(std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
}

void World::draw_apart(std::uint64_t number, const std::function<void()>& draws) {
  // Odd numbers of any size: what matters is that no two seeds and numbers come to the same.
  std::mt19937_64 apart(seed_ * 0x9E3779B97F4A7C15 + number * 0xBF58476D1CE4E5B9 + 1);
  std::swap(random_, apart);
  draws();
  std::swap(random_, apart);
}

void World::trace(const std::string& line) {
  const std::int64_t us = now().count();
  char at[32];
  std::snprintf(at, sizeof at, "%6lld.%06lld  ", static_cast<long long>(us / 1'000'000),
                static_cast<long long>(us % 1'000'000));
  trace_.push_back(at + line);
  if (prints_trace_) std::printf("%s\n", trace_.back().c_str());
  if (trace_.size() > trace_lines) trace_.pop_front();
}

void World::fail(const std::string& rule, const std::string& what) {
  trace("*** rule " + rule + " is broken: " + what);
  if (failures_.size() < most_failures) failures_.push_back("rule " + rule + ": " + what);
}

std::string World::report() const {
  std::string text = "seed " + std::to_string(seed_) + "\n";
  for (const std::string& failure : failures_) text += "  " + failure + "\n";
  const std::string replay = replay_.empty() ? "stint_sim --seed " + std::to_string(seed_) : replay_;
  text += "the end of the trace (all of it: " + replay + " --trace):\n";
  for (const std::string& line : trace_) text += line + "\n";
  return text;
}

}  // namespace stint::sim
