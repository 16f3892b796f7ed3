#include "actors/jobs/lanes.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "actors/jobs/delayed_jobs.hpp"

namespace stint {
namespace {

LanePosition at(std::int64_t microseconds, JobId id) { return {Instant(Duration(microseconds)), id}; }

std::vector<JobId> ids(const std::vector<LaneHead>& taken) {
  std::vector<JobId> ids;
  for (const LaneHead& head : taken) ids.push_back(head.position.id);
  return ids;
}

std::vector<JobId> drain(Lane& lane) {
  std::vector<JobId> ids;
  for (; !lane.empty(); lane.pop_front()) ids.push_back(lane.front().id);
  return ids;
}

using Ids = std::vector<JobId>;

TEST(Lane, gives_jobs_by_time_ready_then_id) {
  Lane lane;
  for (const LanePosition& position : {at(20, 5), at(10, 9), at(20, 4), at(15, 7)}) lane.insert(position);
  EXPECT_EQ(drain(lane), (Ids{9, 7, 4, 5}));
}

TEST(Lane, takes_a_job_back_at_its_old_place) {
  Lane lane;
  for (JobId id = 1; id <= 5; ++id) lane.insert(at(id, id));
  lane.pop_front();
  lane.pop_front();
  lane.insert(at(1, 1));
  EXPECT_EQ(drain(lane), (Ids{1, 3, 4, 5}));
}

TEST(Lane, removes_a_job_from_anywhere_and_only_once) {
  Lane lane;
  for (JobId id = 1; id <= 5; ++id) lane.insert(at(id, id));
  EXPECT_TRUE(lane.remove(at(1, 1)));
  EXPECT_TRUE(lane.remove(at(3, 3)));
  EXPECT_TRUE(lane.remove(at(5, 5)));
  EXPECT_FALSE(lane.remove(at(3, 3)));
  EXPECT_FALSE(lane.remove(at(9, 9)));
  EXPECT_EQ(lane.size(), 2u);
  EXPECT_EQ(drain(lane), (Ids{2, 4}));
}

TEST(Lane, takes_a_removed_job_again) {
  Lane lane;
  for (JobId id = 1; id <= 3; ++id) lane.insert(at(id, id));
  lane.remove(at(2, 2));
  lane.insert(at(2, 2));
  EXPECT_EQ(drain(lane), (Ids{1, 2, 3}));
}

TEST(Lane, is_in_order_after_loading_in_any_order) {
  Lane lane;
  for (const JobId id : {4, 1, 3, 2}) lane.append_unsorted(at(id, id));
  lane.sort();
  EXPECT_EQ(drain(lane), (Ids{1, 2, 3, 4}));
}

// Against a plain ordered set, over many random changes.
TEST(Lane, holds_what_an_ordered_set_would_hold) {
  std::mt19937_64 random(3);
  Lane lane;
  std::set<LanePosition> expected;
  for (int step = 0; step < 20'000; ++step) {
    const LanePosition position =
        at(static_cast<std::int64_t>(random() % 50), static_cast<JobId>(random() % 400));
    const bool removes = random() % 2 == 0;
    if (removes) {
      EXPECT_EQ(lane.remove(position), expected.erase(position) == 1);
    } else if (expected.insert(position).second) {
      lane.insert(position);
    }
    if (random() % 10 == 0 && !expected.empty()) {
      ASSERT_EQ(lane.front(), *expected.begin());
      lane.pop_front();
      expected.erase(expected.begin());
    }
    ASSERT_EQ(lane.size(), expected.size());
  }
}

struct LanesTest : ::testing::Test {
  void add(const std::string& queue, const std::string& handler, int priority, const LanePosition& position) {
    lanes.insert(lanes.group(queue, handler), priority, position);
  }
  Ids take(std::int64_t most, const NameSet& served, const std::vector<QueueCap>& caps = {{"q", 1000}}) {
    return ids(lanes.take(caps, most, served, [](LaneGroup&) { return true; }));
  }
  Lanes lanes;
};

TEST_F(LanesTest, take_by_priority_then_time_ready_then_id_over_all_handlers) {
  add("q", "a", 5, at(30, 1));
  add("q", "b", 5, at(10, 2));
  add("q", "a", 0, at(40, 3));
  add("q", "b", 9, at(1, 4));
  add("q", "a", 5, at(10, 5));
  EXPECT_EQ(take(10, {"a", "b"}), (Ids{3, 2, 5, 1, 4}));
}

TEST_F(LanesTest, leave_handlers_that_are_not_served_where_they_are) {
  add("q", "a", 5, at(1, 1));
  add("q", "b", 5, at(2, 2));
  add("q", "a", 5, at(3, 3));
  EXPECT_EQ(take(10, {"b"}), (Ids{2}));
  EXPECT_EQ(take(10, {"a"}), (Ids{1, 3}));
}

TEST_F(LanesTest, take_no_more_than_each_queue_and_the_whole_allow) {
  for (JobId id = 1; id <= 4; ++id) add("p", "a", 5, at(id, id));
  for (JobId id = 5; id <= 8; ++id) add("q", "a", 5, at(id, id));
  EXPECT_EQ(take(10, {"a"}, {{"p", 1}, {"q", 2}}), (Ids{1, 5, 6}));
  EXPECT_EQ(take(3, {"a"}, {{"p", 2}, {"q", 2}}), (Ids{2, 3, 7}));
}

TEST_F(LanesTest, take_one_order_over_several_queues) {
  add("p", "a", 5, at(20, 1));
  add("q", "a", 5, at(10, 2));
  add("p", "a", 1, at(30, 3));
  EXPECT_EQ(take(10, {"a"}, {{"p", 9}, {"q", 9}}), (Ids{3, 2, 1}));
}

TEST_F(LanesTest, take_the_same_whichever_way_they_look_for_lanes) {
  // With one handler served out of many, the handlers are gone through; with all of them, the lanes.
  NameSet all;
  for (int handler = 0; handler < 200; ++handler) {
    const std::string name = "h" + std::to_string(handler);
    all.insert(name);
    add("q", name, handler % 10, at(200 - handler, handler + 1));
  }
  EXPECT_EQ(take(10, {"h7"}), (Ids{8}));
  EXPECT_EQ(take(3, all), (Ids{191, 181, 171}));
}

TEST_F(LanesTest, know_how_many_wait_and_say_which_counts_changed) {
  add("q", "a", 5, at(1, 1));
  add("q", "a", 3, at(2, 2));
  add("q", "b", 5, at(3, 3));
  std::map<std::string, std::int64_t> changed;
  const auto note = [&](const LaneGroup& group) { changed[group.handler] = group.counts.waiting; };
  lanes.settle(note);
  EXPECT_EQ(changed, (std::map<std::string, std::int64_t>{{"a", 2}, {"b", 1}}));

  changed.clear();
  take(1, {"a"});
  lanes.settle(note);
  EXPECT_EQ(changed, (std::map<std::string, std::int64_t>{{"a", 1}}));
}

TEST_F(LanesTest, say_nothing_of_a_count_that_is_what_it_was) {
  add("q", "a", 5, at(1, 1));
  lanes.settle([](const LaneGroup&) {});
  take(1, {"a"});
  add("q", "a", 5, at(1, 1));
  lanes.settle([](const LaneGroup&) { ADD_FAILURE(); });
}

TEST_F(LanesTest, forget_names_of_which_no_job_is_left) {
  add("q", "a", 5, at(1, 1));
  take(1, {"a"});
  EXPECT_NE(lanes.find("q", "a"), nullptr);
  lanes.settle([](const LaneGroup&) {});
  EXPECT_EQ(lanes.find("q", "a"), nullptr);
  EXPECT_TRUE(lanes.queues().empty());
}

TEST_F(LanesTest, keep_names_whose_jobs_are_elsewhere) {
  add("q", "a", 5, at(1, 1));
  LaneGroup& group = lanes.group("q", "a");
  take(1, {"a"});
  group.counts.running = 1;
  lanes.settle([](const LaneGroup&) {});
  EXPECT_EQ(lanes.find("q", "a"), &group);
}

// The order must not depend on how the heads of lanes are kept: against a sort of everything.
TEST_F(LanesTest, take_what_a_sort_of_all_jobs_would_take) {
  std::mt19937_64 random(11);
  std::set<std::tuple<int, LanePosition, std::string>> all;
  JobId next = 0;
  for (int round = 0; round < 300; ++round) {
    for (int job = 0; job < 6; ++job) {
      const std::string handler = "h" + std::to_string(random() % 12);
      const int priority = static_cast<int>(random() % 10);
      const LanePosition position = at(static_cast<std::int64_t>(random() % 100), ++next);
      add("q", handler, priority, position);
      all.insert({priority, position, handler});
    }
    NameSet served;
    for (int handler = 0; handler < 12; ++handler) {
      if (random() % 2 == 0) served.insert("h" + std::to_string(handler));
    }
    Ids expected;
    for (auto job = all.begin(); job != all.end() && expected.size() < 5;) {
      if (served.contains(std::get<2>(*job))) {
        expected.push_back(std::get<1>(*job).id);
        job = all.erase(job);
      } else {
        ++job;
      }
    }
    ASSERT_EQ(take(5, served), expected);
  }
}

TEST(DelayedJobs, are_due_by_the_clock_or_by_the_wall_each_by_its_own) {
  DelayedJobs delayed;
  DelayedJob by_clock{.position = at(100, 1)};
  DelayedJob by_wall{.position = at(100, 2), .run_at_ms = 5000};
  delayed.insert(by_clock);
  delayed.insert(by_wall);
  EXPECT_EQ(delayed.next_due(), Instant(Duration(100)));
  EXPECT_EQ(delayed.next_run_at(), 5000);
  EXPECT_TRUE(delayed.take_due(Instant(Duration(99)), 4999, 10).empty());
  EXPECT_EQ(delayed.take_due(Instant(Duration(100)), 4999, 10).at(0).position.id, 1);
  EXPECT_EQ(delayed.take_due(Instant(Duration(100)), 5000, 10).at(0).position.id, 2);
  EXPECT_TRUE(delayed.empty());
}

TEST(DelayedJobs, come_in_portions_the_longest_due_first) {
  DelayedJobs delayed;
  for (JobId id = 1; id <= 5; ++id) delayed.insert({.position = at(10 - id, id)});
  const auto due = delayed.take_due(Instant(Duration(100)), 0, 2);
  ASSERT_EQ(due.size(), 2u);
  EXPECT_EQ(due[0].position.id, 5);
  EXPECT_EQ(due[1].position.id, 4);
}

}  // namespace
}  // namespace stint
