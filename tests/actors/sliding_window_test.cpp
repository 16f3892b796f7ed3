#include "actors/limits/sliding_window.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

#include "tests/actors/spans.hpp"

namespace stint {
namespace {

using test::at_seconds;

constexpr Duration microsecond(1);

WindowRule rule_of(std::int64_t max, double window_seconds, CountPolicy count = CountPolicy::completed) {
  return {max, Duration(static_cast<std::int64_t>(window_seconds * 1e6)), count};
}

TEST(SlidingWindow, has_room_until_there_are_max_rule_L3) {
  const WindowRule rule = rule_of(3, 10);
  SlidingWindow window;
  EXPECT_EQ(window.room(rule, 0, at_seconds(1)), 3);
  window.add(2, at_seconds(1));
  EXPECT_EQ(window.room(rule, 0, at_seconds(2)), 1);
  EXPECT_EQ(window.room(rule, 1, at_seconds(2)), 0) << "a run that is on holds a slot";
  window.add(5, at_seconds(3));
  EXPECT_EQ(window.room(rule, 0, at_seconds(4)), 0) << "and is never below 0";
}

TEST(SlidingWindow, lets_an_entry_go_when_exactly_the_window_has_passed_rule_L3) {
  const WindowRule rule = rule_of(1, 10);
  SlidingWindow window;
  window.add(1, at_seconds(5));
  EXPECT_EQ(window.room(rule, 0, at_seconds(15) - microsecond), 0);
  EXPECT_EQ(window.room(rule, 0, at_seconds(15)), 1);
}

TEST(SlidingWindow, knows_to_the_microsecond_when_there_is_room) {
  const WindowRule rule = rule_of(4, 10);
  SlidingWindow window;
  window.add(2, at_seconds(1));
  window.add(1, at_seconds(2));
  window.add(3, at_seconds(4));
  // The three of second 4 and one more fill it: that of second 2 has to go, with those before it.
  EXPECT_EQ(window.until_room(rule, 0, at_seconds(5)), Duration(7'000'000));
  EXPECT_EQ(window.until_room(rule, 1, at_seconds(5)), Duration(9'000'000));
  EXPECT_EQ(window.until_room(rule, 4, at_seconds(5)), std::nullopt) << "that depends on a run";
  EXPECT_EQ(window.until_room(rule, 0, at_seconds(12)), Duration::zero());
}

TEST(SlidingWindow, of_a_longer_window_counts_what_is_still_held_rule_L9) {
  SlidingWindow window;
  window.add(1, at_seconds(1));
  EXPECT_EQ(window.room(rule_of(1, 10), 0, at_seconds(12)), 1);
  EXPECT_EQ(window.room(rule_of(1, 20), 0, at_seconds(12)), 0);
}

TEST(SlidingWindow, moves_the_newest_entries_to_when_they_left_and_no_others_rule_L1) {
  SlidingWindow window;
  window.add(2, at_seconds(1));
  window.add(1, at_seconds(3));
  window.add(2, at_seconds(4));
  window.stamp(3, at_seconds(5));
  const std::deque<WindowEntries> expected = {{at_seconds(1), 2}, {at_seconds(5), 3}};
  EXPECT_EQ(window.entries(), expected);
}

// Everything it can be told, against a plain multiset of moments.
TEST(SlidingWindow, holds_what_a_plain_list_of_entries_would_hold) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    SlidingWindow window;
    std::multiset<Instant> model;
    Instant now = at_seconds(100);
    for (int step = 0; step < 300; ++step) {
      now += Duration(below(3) == 0 ? 0 : below(1'000'000));
      switch (below(6)) {
        case 0:
        case 1: {
          const std::int64_t count = 1 + below(4);
          window.add(count, now);
          for (std::int64_t each = 0; each < count; ++each) model.insert(now);
          break;
        }
        case 2: {
          const Instant at = now - Duration(below(5'000'000));
          window.insert(at);
          model.insert(at);
          break;
        }
        case 3: {
          const std::int64_t count = std::min<std::int64_t>(below(4), std::ssize(model));
          window.stamp(count, now);
          for (std::int64_t each = 0; each < count; ++each) model.erase(std::prev(model.end()));
          for (std::int64_t each = 0; each < count; ++each) model.insert(now);
          break;
        }
        case 4: {
          Instant at = now - Duration(below(5'000'000));
          const auto next = model.lower_bound(at);
          if (next != model.end() && below(2) == 0) at = *next;
          window.remove(at);
          if (const auto found = model.find(at); found != model.end()) model.erase(found);
          break;
        }
        default: {
          const Duration kept = Duration(2'000'000 + below(3'000'000));
          const bool any = !model.empty() && *model.begin() + kept <= now;
          ASSERT_EQ(window.expire(kept, now), any);
          while (!model.empty() && *model.begin() + kept <= now) model.erase(model.begin());
        }
      }
      const WindowRule rule{1 + below(30), Duration(1 + below(4'000'000)), {}};
      const std::int64_t held = below(5);
      const auto room_at = [&](Instant then) {
        const auto used =
            std::count_if(model.begin(), model.end(), [&](Instant at) { return at + rule.window > then; });
        return std::max<std::int64_t>(0, rule.max - held - used);
      };
      ASSERT_EQ(window.room(rule, held, now), room_at(now)) << "seed " << seed;
      const auto wait = window.until_room(rule, held, now);
      ASSERT_EQ(wait.has_value(), held < rule.max);
      if (!wait) continue;
      ASSERT_GT(room_at(now + *wait), 0);
      if (*wait > Duration::zero()) {
        ASSERT_EQ(room_at(now + *wait - microsecond), 0);
      }
    }
  }
}

TEST(SlidingWindow, lets_no_span_of_its_length_have_more_starts_than_max_rule_L3_L1) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    const WindowRule rule = rule_of(1 + below(20), 6, CountPolicy::started);
    SlidingWindow window;
    std::vector<test::Starts> starts;
    Instant now = at_seconds(100);
    for (int turn = 0; turn < 300; ++turn) {
      now += microsecond + Duration(below(below(2) ? 100'000 : 4'000'000));
      const std::int64_t room = window.room(rule, 0, now);
      if (room == 0) continue;
      const std::int64_t count = below(2) ? room : 1 + below(room);
      window.add(count, now);
      for (std::int64_t stamps = 1 + below(2); stamps > 0; --stamps) {
        now += Duration(below(300'000));
        window.stamp(count, now);
      }
      starts.push_back({now, count});
      if (below(3) == 0) window.expire(rule.window, now);
    }
    ASSERT_LE(test::most_in_window(starts, rule.window), rule.max) << "seed " << seed;
    ASSERT_GT(test::total(starts), rule.max);
  }
}

TEST(SlidingWindow, never_has_more_running_and_completed_than_max_at_a_start_rule_L3) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    const WindowRule rule = rule_of(1 + below(20), 6);
    SlidingWindow window;
    std::int64_t running = 0;
    std::vector<test::Starts> completed;
    Instant now = at_seconds(100);
    for (int turn = 0; turn < 400; ++turn) {
      now += Duration(below(1'000'000));
      if (running > 0 && below(2)) {
        --running;
        if (below(4) == 0) continue;  // it failed: its slot comes back
        window.add(1, now);
        completed.push_back({now, 1});
        continue;
      }
      const std::int64_t room = window.room(rule, running, now);
      if (room > 0) running += 1 + below(room);
      std::int64_t counted = running;
      for (const test::Starts& each : completed) counted += each.at + rule.window > now ? each.count : 0;
      ASSERT_LE(counted, rule.max) << "seed " << seed;
    }
    ASSERT_LE(test::most_in_window(completed, rule.window), rule.max) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stint
