// The contract of limits: their records, and what must outlive a restart of them (rules L8, L10).
#pragma once

#include "tests/storage/contract/fixture.hpp"

namespace stint::test {

TEST_P(StoreContract, gives_back_limits_in_order_with_every_field) {
  const auto of_handler = limit_row(LimitScope::handler, "größe", LimitSource::declared, window_limit());
  const auto of_queue = limit_row(LimitScope::queue, "email", LimitSource::enqueue, bucket_limit());
  const auto lifted = limit_row(LimitScope::queue, "email", LimitSource::operated, no_limit());
  store().put_limit(of_handler);
  store().put_limit(of_queue);
  store().put_limit(lifted);
  commit();
  reopen();
  EXPECT_EQ(all_limits(), (std::vector{lifted, of_queue, of_handler}));
}

TEST_P(StoreContract, replaces_a_limit_that_is_put_again) {
  store().put_limit(limit_row(LimitScope::queue, "email", LimitSource::operated, bucket_limit()));
  commit();
  const auto later = limit_row(LimitScope::queue, "email", LimitSource::operated, no_limit());
  store().put_limit(later);
  commit();
  EXPECT_EQ(all_limits(), std::vector{later});
}

TEST_P(StoreContract, deletes_the_limit_of_one_source_alone) {
  const auto of_queue = limit_row(LimitScope::queue, "email", LimitSource::operated, bucket_limit());
  const auto of_enqueue = limit_row(LimitScope::queue, "email", LimitSource::enqueue, bucket_limit());
  const auto of_handler = limit_row(LimitScope::handler, "email", LimitSource::operated, window_limit());
  for (const auto& row : {of_queue, of_enqueue, of_handler}) store().put_limit(row);
  commit();
  store().delete_limit(LimitScope::queue, "email", LimitSource::operated);
  store().delete_limit(LimitScope::queue, "default", LimitSource::operated);
  commit();
  reopen();
  EXPECT_EQ(all_limits(), (std::vector{of_enqueue, of_handler}));
}

TEST_P(StoreContract, gives_back_gates_in_order_with_every_field) {
  const GateRow paused{LimitScope::handler, "send", 3, {}, {}, Instant::max()};
  const GateRow bucket{LimitScope::queue, "email", 1, -2'500'000'000, at_us(-7), {}, 0.1, 20};
  const GateRow both{LimitScope::queue, "zoo", 9, 0, at_us(70), at_us(80)};
  const GateRow window{LimitScope::handler, "resize", 2, {}, {}, {}, 0, 0, Duration(60'000'000)};
  for (const auto& row : {both, paused, window, bucket}) store().put_gate(row);
  commit();
  reopen();
  EXPECT_EQ(all_gates(), (std::vector{bucket, both, window, paused}));
}

TEST_P(StoreContract, replaces_and_deletes_gates) {
  store().put_gate({LimitScope::queue, "a", 1, 5, at_us(1), at_us(2)});
  store().put_gate({LimitScope::queue, "b", 1, 5, at_us(1), {}});
  store().put_gate({LimitScope::handler, "b", 1, {}, {}, {}});
  commit();
  const GateRow later{LimitScope::queue, "a", 2, {}, at_us(3), {}};
  store().put_gate(later);
  store().delete_gate(LimitScope::queue, "b");
  store().delete_gate(LimitScope::queue, "c");
  commit();
  reopen();
  EXPECT_EQ(all_gates(), (std::vector{later, GateRow{LimitScope::handler, "b", 1, {}, {}, {}}}));
}

TEST_P(StoreContract, gives_back_window_entries_by_handler_and_time) {
  const std::vector<WindowRow> rows = {
      {"a", at_us(-5), 1}, {"a", at_us(3), 2}, {"a", at_us(40), 1'000'000}, {"b", at_us(3), 4}};
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) store().put_window(*row);
  commit();
  reopen();
  EXPECT_EQ(all_windows(), rows);
}

TEST_P(StoreContract, replaces_window_entries_of_the_same_moment) {
  store().put_window({"a", at_us(3), 2});
  commit();
  store().put_window({"a", at_us(3), 5});
  commit();
  EXPECT_EQ(all_windows(), (std::vector<WindowRow>{{"a", at_us(3), 5}}));
}

TEST_P(StoreContract, deletes_window_entries_of_one_moment_or_before_one) {
  for (const std::int64_t us : {1, 2, 3, 4}) {
    store().put_window({"a", at_us(us), us});
    store().put_window({"b", at_us(us), us});
  }
  commit();
  store().delete_window("b", at_us(2));
  store().delete_window("b", at_us(9));
  store().delete_windows_before("a", at_us(3));
  store().delete_windows_before("c", at_us(3));
  commit();
  reopen();
  EXPECT_EQ(all_windows(), (std::vector<WindowRow>{{"a", at_us(3), 3},
                                                   {"a", at_us(4), 4},
                                                   {"b", at_us(1), 1},
                                                   {"b", at_us(3), 3},
                                                   {"b", at_us(4), 4}}));
}

TEST_P(StoreContract, forgets_what_was_rolled_back_of_limits_and_topics) {
  const auto limit = limit_row(LimitScope::queue, "email", LimitSource::operated, bucket_limit());
  const GateRow gate{LimitScope::queue, "email", 1, 5, at_us(1), {}};
  const WindowRow window{"a", at_us(3), 2};
  store().put_limit(limit);
  store().put_gate(gate);
  store().put_window(window);
  store().put_topic({"job/a/enqueued", 1});
  commit();
  store().delete_limit(LimitScope::queue, "email", LimitSource::operated);
  store().delete_gate(LimitScope::queue, "email");
  store().delete_windows_before("a", at_us(10));
  store().put_window({"a", at_us(11), 2});
  store().put_topic({"job/a/enqueued", 2});
  EXPECT_TRUE(store().has_changes());
  store().rollback();
  EXPECT_EQ(all_limits(), std::vector{limit});
  EXPECT_EQ(all_gates(), std::vector{gate});
  EXPECT_EQ(all_windows(), std::vector{window});
  EXPECT_EQ(all_topics(), (std::vector<TopicRow>{{"job/a/enqueued", 1}}));
}

}  // namespace stint::test
