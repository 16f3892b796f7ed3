// The ledger by itself: what it writes, what it tells, what it forgets. What it decides is shown with the
// storage actor around it.
#include "actors/limits/ledger.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/actors/spans.hpp"
#include "tests/support/memory_store.hpp"

namespace stint {
namespace {

using std::chrono::seconds;

Limit bucket_limit(double rate, std::int64_t burst) {
  Limit limit;
  limit.rate = rate;
  limit.burst = burst;
  return limit;
}
Limit window_limit(std::int64_t max, std::int64_t window_ms, CountPolicy count = CountPolicy::started) {
  Limit limit;
  limit.max = max;
  limit.window_ms = window_ms;
  limit.count = count;
  return limit;
}

struct LedgerTest : ::testing::Test {
  LedgerTest() { ledger.begin(now); }

  NamedLimit& limited(LimitScope scope, const std::string& name, Limit limit) {
    NamedLimit* named = ledger.find(scope, name);
    if (named == nullptr) named = ledger.add(scope, name, 0);
    ledger.set(*named, LimitSource::operated, limit, [] { return std::vector<Instant>(); });
    return *named;
  }
  // The turn's commit; whether it held anything.
  bool commit(bool has_changes = false) {
    ledger.store(store, has_changes);
    const bool wrote = store.has_changes();
    EXPECT_TRUE(store.commit(last_stamp, 0).ok());
    now += from_ms(1);
    ledger.stamp(now);
    last_stamp = now;
    return wrote;
  }
  void turn(Duration pause = from_ms(10)) {
    now += pause;
    ledger.begin(now);
  }
  // What another ledger knows of what was written.
  void load_into(Ledger& other, Duration put_off = {}) {
    Ledger::Kept kept;
    kept.known_until = disk.header.last_commit;
    kept.put_off = put_off;
    load_into(other, kept);
  }
  void load_into(Ledger& other, const Ledger::Kept& kept) {
    other.begin(now);
    other.begin_load(kept);
    ASSERT_TRUE(store.each_limit([&](const LimitRow& row) { other.load(row); }));
    ASSERT_TRUE(store.each_gate([&](const GateRow& row) { other.load(row); }));
    ASSERT_TRUE(store.each_window([&](const WindowRow& row) { other.load(row); }));
    other.finish_load();
  }
  std::vector<WindowRow> windows() {
    std::vector<WindowRow> rows;
    EXPECT_TRUE(store.each_window([&](const WindowRow& row) { rows.push_back(row); }));
    return rows;
  }
  // The store without what sets limits: that is the desk's.
  void keep(LimitScope scope, const std::string& name, Limit limit) {
    store.put_limit({scope, name, LimitSource::operated, limit});
  }

  test::MemoryDisk disk;
  test::MemoryStore store{disk};
  Lanes lanes;
  LaneGroup& group = lanes.group("email", "send");
  Ledger ledger;
  Instant now = test::at_seconds(1000);
  Instant last_stamp = now;
};

TEST_F(LedgerTest, knows_nothing_of_names_that_nobody_limited) {
  EXPECT_FALSE(ledger.of(group).any());
  ledger.start(group);
  EXPECT_FALSE(ledger.has_started());
  EXPECT_FALSE(commit());
}

TEST_F(LedgerTest, finds_a_limit_that_was_set_after_it_was_asked) {
  EXPECT_EQ(ledger.of(group).queue, nullptr);
  NamedLimit& named = limited(LimitScope::queue, "email", bucket_limit(1, 2));
  EXPECT_EQ(ledger.of(group).queue, &named);
  EXPECT_EQ(ledger.of(group).handler, nullptr);
}

TEST_F(LedgerTest, gives_each_change_of_what_results_a_higher_version_and_others_none_rule_L8) {
  NamedLimit& named = limited(LimitScope::queue, "email", bucket_limit(1, 2));
  const std::int64_t first = named.version;
  EXPECT_GT(first, 0);
  const auto no_starts = [] { return std::vector<Instant>(); };
  EXPECT_FALSE(ledger.set(named, LimitSource::declared, bucket_limit(9, 9), no_starts));
  EXPECT_EQ(named.version, first) << "the operator's still holds";
  EXPECT_TRUE(ledger.set(named, LimitSource::operated, std::nullopt, no_starts));
  EXPECT_GT(named.version, first);
}

TEST_F(LedgerTest,
       writes_a_row_for_a_bucket_and_one_with_a_count_for_a_windows_entries_of_one_commit_rule_L10) {
  limited(LimitScope::queue, "email", bucket_limit(1, 10));
  limited(LimitScope::handler, "send", window_limit(100, 60'000));
  commit();
  turn();
  for (int job = 0; job < 5; ++job) ledger.start(group);
  EXPECT_TRUE(commit());
  EXPECT_EQ(disk.gates.size(), 2U);
  ASSERT_EQ(windows().size(), 1U);
  EXPECT_EQ(windows()[0].count, 5);
}

TEST_F(LedgerTest, writes_when_a_start_left_only_with_the_next_change_of_something_rule_L10) {
  limited(LimitScope::handler, "send", window_limit(100, 60'000));
  commit();
  turn();
  ledger.start(group);
  commit();
  const Instant left = now;
  turn();
  EXPECT_FALSE(commit(false)) << "a turn that changes nothing writes nothing";
  EXPECT_NE(windows().at(0).at, left);
  turn();
  EXPECT_TRUE(commit(true));
  EXPECT_EQ(windows().at(0).at, left);
}

TEST_F(LedgerTest, deletes_the_rows_of_entries_that_have_left_their_window) {
  limited(LimitScope::handler, "send", window_limit(100, 1'000));
  for (int round = 0; round < 10; ++round) {
    turn(from_ms(300));
    ledger.start(group);
    commit();
  }
  EXPECT_LE(windows().size(), 5U);
}

TEST_F(LedgerTest,
       loaded_counts_the_last_commits_starts_as_made_now_and_older_ones_from_when_they_left_rule_L10) {
  keep(LimitScope::handler, "send", window_limit(2, 60'000));
  limited(LimitScope::handler, "send", window_limit(2, 60'000));
  commit();
  turn();
  ledger.start(group);
  commit();
  const Instant first_left = now;
  turn(seconds(10));
  ledger.start(group);
  commit();
  now += seconds(5);

  Ledger other;
  load_into(other);
  const Gate& gate = other.find(LimitScope::handler, "send")->gate;
  EXPECT_EQ(gate.room(now), 0);
  EXPECT_EQ(now + *gate.until_room(now), first_left + seconds(60));
  EXPECT_EQ(gate.room(first_left + seconds(60)), 1);
  EXPECT_EQ(gate.room(now + seconds(60) - Duration(1)), 1);
  EXPECT_EQ(gate.room(now + seconds(60)), 2);
}

TEST_F(LedgerTest, loaded_in_another_boot_keeps_the_age_that_entries_had_at_the_last_commit_rule_L10) {
  keep(LimitScope::handler, "send", window_limit(1, 60'000));
  limited(LimitScope::handler, "send", window_limit(1, 60'000));
  commit();
  turn();
  ledger.start(group);
  commit();
  const Instant left = now;
  turn(seconds(20));
  commit(true);
  const Duration age = disk.header.last_commit - left;
  now += seconds(1'000);

  Ledger other;
  load_into(other, now - disk.header.last_commit);
  const Gate& gate = other.find(LimitScope::handler, "send")->gate;
  EXPECT_EQ(gate.until_room(now), seconds(60) - age);
}

TEST_F(LedgerTest, loaded_fills_a_bucket_up_to_the_last_commit_that_is_known_and_from_now_on_rule_L10) {
  keep(LimitScope::queue, "email", bucket_limit(1, 100));
  limited(LimitScope::queue, "email", bucket_limit(1, 100));
  commit();
  turn();
  for (int job = 0; job < 100; ++job) ledger.start(group);
  commit();
  turn(seconds(10));
  commit(true);
  turn(seconds(1));
  commit(true);  // it says that the one before it, ten seconds after the starts, is known
  now += seconds(50);

  Ledger other;
  load_into(other);
  EXPECT_EQ(other.find(LimitScope::queue, "email")->gate.room(now), 10);
  EXPECT_EQ(other.find(LimitScope::queue, "email")->gate.room(now + seconds(1)), 11);
}

TEST_F(LedgerTest,
       loaded_keeps_a_lifted_limits_bucket_and_entries_until_they_would_have_run_out_rule_L9_L10) {
  NamedLimit& queue = limited(LimitScope::queue, "email", bucket_limit(0.1, 1));
  NamedLimit& handler = limited(LimitScope::handler, "send", window_limit(1, 60'000));
  commit();
  turn();
  ledger.start(group);
  ledger.end(group, true);
  const auto no_starts = [] { return std::vector<Instant>(); };
  ledger.set(queue, LimitSource::operated, std::nullopt, no_starts);
  ledger.set(handler, LimitSource::operated, std::nullopt, no_starts);
  commit();

  Ledger other;
  load_into(other);
  other.store(store, true);
  ASSERT_TRUE(store.commit(now, 0));
  NamedLimit* again = other.find(LimitScope::handler, "send");
  ASSERT_NE(again, nullptr);
  other.set(*again, LimitSource::operated, window_limit(1, 60'000), no_starts);
  EXPECT_EQ(again->gate.room(now), 0);
  again = other.find(LimitScope::queue, "email");
  ASSERT_NE(again, nullptr);
  other.set(*again, LimitSource::operated, bucket_limit(0.1, 1), no_starts);
  EXPECT_EQ(again->gate.room(now), 0);
}

TEST_F(LedgerTest, tells_each_change_once) {
  NamedLimit& named = limited(LimitScope::queue, "email", bucket_limit(1, 10));
  EXPECT_EQ(ledger.take_untold(), std::vector{&named});
  EXPECT_TRUE(ledger.take_untold().empty());
  commit();
  turn();
  ledger.start(group);
  ledger.start(group);
  EXPECT_EQ(ledger.take_untold(), std::vector{&named});
  commit();
  EXPECT_EQ(ledger.take_untold(), std::vector{&named}) << "that it left only now";
}

TEST_F(LedgerTest, forgets_a_name_once_its_limit_is_gone_and_its_state_has_run_out_rule_L9) {
  NamedLimit& named = limited(LimitScope::queue, "email", bucket_limit(1, 1));
  commit();
  turn();
  ledger.start(group);
  ledger.end(group, true);
  ledger.set(named, LimitSource::operated, std::nullopt, [] { return std::vector<Instant>(); });
  limited(LimitScope::handler, "another", window_limit(1, 1'000));
  const auto forget = [&] {
    ledger.find_freed();
    ledger.take_reached_or_freed();
    ledger.take_untold();
    commit(true);
    ledger.take_untold();
    commit(true);
    ledger.forget_blank(1'000, store);
  };
  turn(from_ms(500));
  forget();
  EXPECT_NE(ledger.find(LimitScope::queue, "email"), nullptr) << "half a token is missing";
  turn(from_ms(600));
  forget();
  EXPECT_EQ(ledger.find(LimitScope::queue, "email"), nullptr);
  EXPECT_FALSE(ledger.of(group).any());
  commit();
  EXPECT_EQ(disk.gates.size(), 1U);
}

TEST_F(LedgerTest, gives_no_version_twice_though_the_name_that_has_the_newest_is_of_no_use_any_more_rule_L8) {
  NamedLimit& named = limited(LimitScope::queue, "email", bucket_limit(1, 1));
  ledger.set(named, LimitSource::operated, std::nullopt, [] { return std::vector<Instant>(); });
  const std::int64_t newest = named.version;
  ledger.take_untold();
  commit();
  turn(seconds(5));
  ledger.forget_blank(1'000, store);
  commit();
  Ledger after_restart;
  load_into(after_restart);
  NamedLimit* another = after_restart.add(LimitScope::queue, "another", 0);
  after_restart.set(*another, LimitSource::operated, bucket_limit(1, 1),
                    [] { return std::vector<Instant>(); });
  EXPECT_GT(another->version, newest);
}

TEST_F(LedgerTest, tells_that_a_pause_is_over_before_it_forgets_the_name) {
  NamedLimit* named = ledger.add(LimitScope::queue, "email", 0);
  ledger.pause_until(*named, now + seconds(1));
  ledger.take_untold();
  commit();
  turn(seconds(2));
  ledger.forget_blank(1'000, store);
  EXPECT_EQ(ledger.take_untold(), std::vector{named});
  EXPECT_FALSE(named->gate.is_paused_at_all());
  commit();
  turn();
  ledger.forget_blank(1'000, store);
  EXPECT_TRUE(ledger.names().empty());
}

TEST_F(LedgerTest, goes_through_all_its_names_a_few_at_a_time) {
  for (int name = 0; name < 25; ++name) ledger.add(LimitScope::queue, "q" + std::to_string(name), 0);
  for (int look = 0; look < 3; ++look) ledger.forget_blank(10, store);
  EXPECT_TRUE(ledger.names().empty());
}

TEST_F(LedgerTest, takes_no_more_names_than_its_bound) {
  for (std::size_t name = 0; name < Ledger::most_names; ++name)
    ASSERT_NE(ledger.add(LimitScope::queue, "q" + std::to_string(name), 0), nullptr);
  EXPECT_EQ(ledger.add(LimitScope::queue, "another", 0), nullptr);
}

TEST_F(LedgerTest, says_reached_and_freed_at_most_once_a_second_of_a_name) {
  NamedLimit& named = limited(LimitScope::queue, "email", bucket_limit(100, 1));
  int words = 0;
  for (int start = 0; start < 500; ++start) {
    turn(from_ms(10));
    ASSERT_GT(named.gate.room(now), 0);
    ledger.start(group);
    ledger.find_freed();
    words += static_cast<int>(ledger.take_reached_or_freed().size());
    ledger.stamp(now);
  }
  EXPECT_GE(words, 1);
  EXPECT_LE(words, 6) << "in five seconds";
}

TEST_F(LedgerTest, says_that_a_limit_is_freed_once_there_is_room_again) {
  NamedLimit& named = limited(LimitScope::queue, "email", bucket_limit(0.5, 1));
  ledger.start(group);
  EXPECT_EQ(ledger.take_reached_or_freed(), std::vector{&named});
  EXPECT_TRUE(named.is_reached);
  ledger.stamp(now);
  turn(from_ms(1'500));
  ledger.find_freed();
  EXPECT_TRUE(ledger.take_reached_or_freed().empty());
  turn(from_ms(600));
  ledger.find_freed();
  EXPECT_EQ(ledger.take_reached_or_freed(), std::vector{&named});
  EXPECT_FALSE(named.is_reached);
}

TEST_F(LedgerTest, does_not_forget_a_name_of_which_it_has_something_to_say_this_turn) {
  NamedLimit& named = limited(LimitScope::queue, "email", bucket_limit(1, 1));
  ledger.start(group);
  ledger.end(group, true);
  ledger.take_reached_or_freed();
  ledger.set(named, LimitSource::operated, std::nullopt, [] { return std::vector<Instant>(); });
  ledger.take_untold();
  commit();
  ledger.take_untold();
  turn(seconds(2));
  commit(true);
  turn(seconds(1));
  ledger.find_freed();
  ledger.forget_blank(1'000, store);
  for (const NamedLimit* said : ledger.take_reached_or_freed()) EXPECT_EQ(said->name, "email");
}

}  // namespace
}  // namespace stint
