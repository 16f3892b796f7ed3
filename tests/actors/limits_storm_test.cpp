// Storage and limiter together in bad weather: random operators, slow commits, standstills, restarts, batches
// that get lost. Whatever happens, no span has more starts than the limits allow; checked by code that shares
// nothing with the ledger.
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>

#include "tests/actors/limit_bench.hpp"
#include "tests/actors/limits_world.hpp"

namespace stint {
namespace {

using std::chrono::seconds;

// What was in force from when on. The moment is that of the operator's turn.
template <class Rule>
struct InForce {
  Instant since{};
  Rule rule;
};
template <class Rule>
using History = std::vector<InForce<Rule>>;

template <class Rule>
const Rule& at(const History<Rule>& history, Instant when) {
  for (auto each = history.rbegin(); each != history.rend(); ++each) {
    if (each->since <= when) return each->rule;
  }
  return history.front().rule;
}

// Rule L9: starts in any span <= the largest burst in force + the integral of the rate.
class ChangingBucket {
 public:
  explicit ChangingBucket(const History<TokenRate>& history) : history_(history) {}

  void check(const std::vector<test::Starts>& starts) const {
    for (std::size_t first = 0; first < starts.size(); ++first) {
      std::int64_t count = 0;
      for (std::size_t last = first; last < starts.size(); ++last) {
        count += starts[last].count;
        const double allowed = largest_burst(starts[first].at, starts[last].at) +
                               tokens_until(starts[last].at) - tokens_until(starts[first].at) + 1e-6;
        ASSERT_LE(static_cast<double>(count), allowed)
            << "from " << starts[first].at.time_since_epoch().count() << " to "
            << starts[last].at.time_since_epoch().count();
      }
    }
  }

 private:
  // A start leaves after it was decided: the burst of before a change counts for the longest commit more.
  static constexpr Duration may_lag = seconds(3);

  double largest_burst(Instant from, Instant to) const {
    std::int64_t largest = 0;
    for (std::size_t each = 0; each < history_.size(); ++each) {
      const bool over = each + 1 < history_.size() && history_[each + 1].since + may_lag < from;
      if (!over && history_[each].since <= to) largest = std::max(largest, history_[each].rule.burst);
    }
    return static_cast<double>(largest);
  }
  double tokens_until(Instant when) const {
    double tokens = 0;
    for (std::size_t each = 0; each < history_.size() && history_[each].since < when; ++each) {
      const Instant until = each + 1 < history_.size() ? std::min(when, history_[each + 1].since) : when;
      tokens +=
          history_[each].rule.per_second * static_cast<double>((until - history_[each].since).count()) / 1e6;
    }
    return tokens;
  }

  const History<TokenRate>& history_;
};

// A window that was made longer cannot know what the shorter one had let go.
Instant known_since(const History<WindowRule>& history, Instant when) {
  Instant since{};
  for (std::size_t each = 1; each < history.size() && history[each].since <= when; ++each) {
    if (history[each].rule.window > history[each - 1].rule.window)
      since = std::max(since, history[each].since - history[each - 1].rule.window);
  }
  return since;
}

bool changed_in_the_same_turn(const History<WindowRule>& history, Instant decided) {
  return std::any_of(history.begin(), history.end(), [&](const auto& each) { return each.since == decided; });
}

class Storm {
 public:
  explicit Storm(std::uint64_t seed) : world_(seed) {
    set_bucket("a");
    set_bucket("b");
    set_window("starts", CountPolicy::started);
    set_window("completes", CountPolicy::completed);
    set(LimitScope::queue, "c", running_limit(most_running));
    for (int worker = 0; worker < 3; ++worker) {
      LimitsWorld::WorkerPlan plan;
      plan.queues = {{"a", 1 + below(9)}, {"b", 1 + below(9)}, {"c", 1 + below(9)}};
      plan.handlers = {"starts", "completes", "toggles", "free"};
      plan.run_takes = from_ms(1 + below(700));
      plan.fails_of_10 = 3;
      plan.loses_of_100 = 5;
      world_.add_worker(std::move(plan));
    }
    for (const char* queue : {"a", "b", "c"}) {
      for (const char* handler : {"starts", "completes", "toggles", "free"})
        world_.enqueue(queue, handler, 40);
    }
  }

  void rage(int steps) {
    for (int step = 0; step < steps; ++step) {
      world_.node.commit_takes = Duration(1 + (below(3) == 0 ? below(60'000) : below(1'000)));
      world_.pass(Duration(1 + below(600'000)));
      happen();
    }
  }

  void check() const {
    ChangingBucket(buckets_.at("a")).check(world_.starts_of_queue("a"));
    ChangingBucket(buckets_.at("b")).check(world_.starts_of_queue("b"));
    check_started();
    check_held();
    check_pauses();
  }
  std::int64_t starts() const { return std::ssize(world_.starts); }

 private:
  static constexpr std::int64_t most_running = 4;
  struct PauseSpan {
    LimitScope scope;
    std::string name;
    Instant from{};
    Instant until{};
  };

  std::int64_t below(std::int64_t bound) { return world_.below(bound); }

  void happen() {
    switch (below(14)) {
      case 0:
        return set_bucket(below(2) ? "a" : "b");
      case 1:
        return set_window("starts", CountPolicy::started);
      case 2:
        return set_window("completes", CountPolicy::completed);
      case 3:
        return toggle();
      case 4:
      case 5:
        return pause();
      case 6:
        return resume();
      case 7:
        return world_.restart(Duration(below(2'000'000)));
      case 8:
        return world_.stand_still(Duration(100'001 + below(1'500'000)));
      case 9:
        return world_.enqueue(below(2) ? "a" : "c", below(2) ? "starts" : "completes", 1 + below(30));
      default:
        return;
    }
  }

  void set(LimitScope scope, const std::string& name, const Limit& limit) {
    world_.ask<LimitState>(SetLimit{scope, name, limit, SetAs::operated, {}});
  }
  void set_bucket(const std::string& queue) {
    const TokenRate rate{1 + static_cast<double>(below(200)) / 10, 1 + below(12)};
    set(LimitScope::queue, queue, rate_limit(rate.per_second, rate.burst));
    buckets_[queue].push_back({world_.node.turn_began, rate});
  }
  void set_window(const std::string& handler, CountPolicy count) {
    const WindowRule rule{1 + below(15), from_ms(100 + below(4'000)), count};
    set(LimitScope::handler, handler, window_limit(rule.max, to_ms(rule.window), count));
    windows_[handler].push_back({world_.node.turn_began, rule});
  }
  void toggle() {
    const auto count = below(2) ? CountPolicy::started : CountPolicy::completed;
    set(LimitScope::handler, "toggles",
        below(4) == 0 ? no_limit() : window_limit(1 + below(8), 100 + below(4'000), count));
  }
  void pause() {
    const bool is_queue = below(2) == 0;
    const LimitScope scope = is_queue ? LimitScope::queue : LimitScope::handler;
    const std::string name = is_queue ? "c" : "free";
    const std::int64_t for_ms = 1 + below(3'000);
    world_.ask<LimitState>(Pause{scope, name, for_ms});
    const Instant from = world_.node.turn_began;
    pauses_.push_back({scope, name, from, from + from_ms(for_ms)});
  }
  void resume() {
    for (const auto& [scope, name] :
         {std::pair(LimitScope::queue, "c"), std::pair(LimitScope::handler, "free")}) {
      world_.ask<LimitState>(Resume{scope, name});
      for (PauseSpan& pause : pauses_) {
        if (pause.name == name) pause.until = std::min(pause.until, world_.node.turn_began);
      }
    }
  }

  // Rule L3, `started`: over all changes no start leaves more than the max in force (rule L9).
  void check_started() const {
    const auto& history = windows_.at("starts");
    std::vector<const LimitsWorld::Start*> all;
    for (const LimitsWorld::Start& start : world_.starts) {
      if (start.handler == "starts") all.push_back(&start);
    }
    for (const LimitsWorld::Start* start : all) {
      if (changed_in_the_same_turn(history, start->decided)) continue;
      const WindowRule& rule = at(history, start->decided);
      const Instant from = std::max(start->at - rule.window, known_since(history, start->decided));
      const auto within = std::count_if(all.begin(), all.end(), [&](const LimitsWorld::Start* other) {
        return other->at > from && other->at <= start->at;
      });
      ASSERT_LE(within, rule.max) << "at " << start->at.time_since_epoch().count();
    }
  }

  // Rule L3, `completed`, and rule L4: what runs and what has completed, at the decision of each start.
  void check_held() const {
    std::map<JobRun, const LimitsWorld::End*> ends;
    for (const LimitsWorld::End& end : world_.ends) ends.emplace(end.run, &end);
    std::map<JobRun, const LimitsWorld::Start*> first;
    for (const LimitsWorld::Start& start : world_.starts) first.emplace(start.run, &start);
    const auto& history = windows_.at("completes");
    for (const auto& [run, start] : first) {
      std::int64_t running_in_c = 0;
      std::int64_t held = 0;
      const WindowRule& rule = at(history, start->decided);
      // An entry is made a microsecond later than its turn, if the turn before had ended in the same one.
      const Instant from =
          std::max(start->decided - rule.window, known_since(history, start->decided)) + Duration(1);
      for (const auto& [other, its_start] : first) {
        if (its_start->decided > start->decided) continue;
        const auto end = ends.find(other);
        const bool runs = end == ends.end() || end->second->at > start->decided;
        const bool counts = !runs && end->second->completed && end->second->at > from;
        if (its_start->queue == "c") running_in_c += runs ? 1 : 0;
        if (its_start->handler == "completes") held += runs || counts ? 1 : 0;
      }
      if (start->queue == "c") {
        ASSERT_LE(running_in_c, most_running);
      }
      if (start->handler == "completes" && !changed_in_the_same_turn(history, start->decided)) {
        ASSERT_LE(held, rule.max) << "at " << start->decided.time_since_epoch().count();
      }
    }
  }

  // Rule L5.
  void check_pauses() const {
    for (const LimitsWorld::Start& start : world_.starts) {
      for (const PauseSpan& pause : pauses_) {
        const std::string& name = pause.scope == LimitScope::queue ? start.queue : start.handler;
        const bool within = start.decided > pause.from && start.decided < pause.until;
        ASSERT_FALSE(name == pause.name && within);
      }
    }
  }

  LimitsWorld world_;
  std::map<std::string, History<TokenRate>> buckets_;
  std::map<std::string, History<WindowRule>> windows_;
  std::vector<PauseSpan> pauses_;
};

TEST(LimitsStorm, no_span_ever_has_more_starts_than_the_limits_in_force_allow_rules_L1_to_L10) {
  // Each seed is a storm of its own: as many as one has time for.
  const char* wanted = std::getenv("STINT_LIMITS_STORMS");
  const std::uint64_t storms = wanted == nullptr ? 200 : std::strtoull(wanted, nullptr, 10);
  std::uint64_t starts = 0;
  for (std::uint64_t seed = 1; seed <= storms; ++seed) {
    Storm storm(seed);
    storm.rage(40);
    storm.check();
    starts += static_cast<std::uint64_t>(storm.starts());
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
  EXPECT_GT(starts, 50 * storms) << "it was not for want of starts";
}

}  // namespace
}  // namespace stint
