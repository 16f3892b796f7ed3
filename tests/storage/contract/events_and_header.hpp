// The contract of events, and of where a store says it stands.
#pragma once

#include "tests/storage/contract/fixture.hpp"

namespace stint::test {

TEST_P(StoreContract, gives_the_chunks_that_hold_messages_from_a_number_on) {
  store().append_events(events(1, 3, 5));
  commit();
  store().append_events(events(4, 1, 6));
  commit();
  store().append_events(events(5, 2, 70'000));
  commit();
  reopen();
  EXPECT_EQ(store().events_from(1, 10).value(),
            (std::vector{events(1, 3, 5), events(4, 1, 6), events(5, 2, 70'000)}));
  EXPECT_EQ(store().events_from(3, 2).value(), (std::vector{events(1, 3, 5), events(4, 1, 6)}));
  EXPECT_EQ(store().events_from(4, 1).value(), std::vector{events(4, 1, 6)});
  EXPECT_EQ(store().events_from(6, 9).value(), std::vector{events(5, 2, 70'000)});
  EXPECT_TRUE(store().events_from(7, 9).value().empty());
}

TEST_P(StoreContract, reads_events_before_their_commit) {
  store().append_events(events(1, 3));
  store().append_events(events(4, 2));
  EXPECT_EQ(store().events_from(2, 10).value(), (std::vector{events(1, 3), events(4, 2)}));
  EXPECT_EQ(store().events_from(2, 1).value(), std::vector{events(1, 3)});
  EXPECT_EQ(header().event_seq, 5);
  commit();
  EXPECT_EQ(store().events_from(2, 10).value(), (std::vector{events(1, 3), events(4, 2)}));
}

TEST_P(StoreContract, tells_the_oldest_event_it_keeps) {
  EXPECT_EQ(store().oldest_event().value(), 0);
  store().append_events(events(1, 3));
  EXPECT_EQ(store().oldest_event().value(), 1);
  commit();
  store().append_events(events(4, 2));
  commit();
  reopen();
  EXPECT_EQ(store().oldest_event().value(), 1);
}

TEST_P(StoreContract, gives_back_the_newest_event_of_each_topic) {
  store().put_topic({"log/b", 2});
  store().put_topic({"job/größe/enqueued", 1});
  commit();
  store().put_topic({"log/b", 1LL << 40});
  commit();
  reopen();
  EXPECT_EQ(all_topics(), (std::vector<TopicRow>{{"job/größe/enqueued", 1}, {"log/b", 1LL << 40}}));
}

TEST_P(StoreContract, refuses_events_that_leave_a_gap) {
  store().append_events(events(1, 3));
  commit();
  store().append_events(events(5, 1));
  EXPECT_FALSE(store().commit(at_us(2), 2));
  EXPECT_EQ(header().event_seq, 3);
}

TEST_P(StoreContract, begins_with_an_empty_header) {
  const auto empty = header();
  EXPECT_EQ(empty.boot_id, "");
  EXPECT_EQ(empty.log, "");
  EXPECT_EQ(empty.starts, 0);
  EXPECT_EQ(empty.event_seq, 0);
  EXPECT_EQ(empty.last_job, 0);
  EXPECT_EQ(empty.last_session, 0);
  EXPECT_EQ(empty.last_receipt, 0);
  EXPECT_EQ(empty.restored_at, std::nullopt);
}

TEST_P(StoreContract, keeps_the_header_that_was_put) {
  StoreHeader put;
  put.boot_id = "b007-1d";
  put.starts = 12;
  put.log = "f00d";
  put.clock_offset = Duration(-123'456'789);
  put.restored_at = at_us(77);
  store().put_header(put);
  commit();
  reopen();
  const auto kept = header();
  EXPECT_EQ(kept.boot_id, put.boot_id);
  EXPECT_EQ(kept.starts, put.starts);
  EXPECT_EQ(kept.log, put.log);
  EXPECT_EQ(kept.clock_offset, put.clock_offset);
  EXPECT_EQ(kept.restored_at, put.restored_at);
}

// Rule L10: of a restored backup.
TEST_P(StoreContract, keeps_ids_that_a_header_raises_and_lowers_none) {
  store().insert_job(plain_job(9), Payload{});
  store().insert_receipt(receipt(8, {{9, 1}}));
  commit();
  StoreHeader put;
  put.last_job = 90;
  put.last_receipt = 3;
  put.last_session = 70;
  store().put_header(put);
  commit();
  reopen();
  EXPECT_EQ(header().last_job, 90);
  EXPECT_EQ(header().last_receipt, 8);
  EXPECT_EQ(header().last_session, 70);
}

// Rule L10.
TEST_P(StoreContract, remembers_the_stamp_of_the_newest_commit_with_events_or_without) {
  store().append_events(events(1, 1));
  commit(100, 1'000);
  reopen();
  EXPECT_EQ(header().last_commit, at_us(100));
  EXPECT_EQ(header().last_commit_ms, 1'000);
  store().insert_job(plain_job(1), Payload{});
  commit(200, 2'000);
  reopen();
  EXPECT_EQ(header().last_commit, at_us(200));
  EXPECT_EQ(header().last_commit_ms, 2'000);
  store().append_events(events(2, 1));
  commit(300, 3'000);
  reopen();
  EXPECT_EQ(header().last_commit, at_us(300));
  EXPECT_EQ(header().last_commit_ms, 3'000);
}

TEST_P(StoreContract, never_forgets_the_highest_id_when_its_rows_are_gone) {
  store().insert_job(plain_job(9), Payload{});
  store().insert_receipt(receipt(8, {{9, 1}}));
  store().put_session(session(7));
  store().append_events(events(1, 6));
  commit();
  store().delete_job(9);
  store().delete_receipt(8);
  store().insert_log(plain_log({9, 1}));
  commit();
  store().delete_logs_of(9);
  commit();
  PruneLimits limits = keep_all();
  limits.sessions_before = at_us(1'000'000);
  while (store().prune(limits)) commit();
  if (store().has_changes()) commit();
  reopen();
  const auto kept = header();
  EXPECT_EQ(kept.last_job, 9);
  EXPECT_EQ(kept.last_receipt, 8);
  EXPECT_EQ(kept.last_session, 7);
  EXPECT_EQ(kept.event_seq, 6);
}

TEST_P(StoreContract, never_forgets_the_highest_id_when_it_came_and_went_in_one_commit) {
  store().insert_job(plain_job(9), Payload{});
  store().delete_job(9);
  store().append_events(events(1, 1));
  commit();
  store().insert_job(plain_job(4), Payload{});
  commit();
  reopen();
  EXPECT_EQ(header().last_job, 9);
}

}  // namespace stint::test
