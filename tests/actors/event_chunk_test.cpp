#include "actors/events/event_chunk.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>

#include "actors/events/event_builder.hpp"
#include "actors/events/varint.hpp"

namespace stint {
namespace {

std::vector<EventMessage> decode(const EventChunk& chunk) {
  auto messages = decode_events(chunk);
  EXPECT_TRUE(messages.ok());
  return messages.ok() ? std::move(*messages) : std::vector<EventMessage>{};
}

std::vector<JobId> jobs(const EventMessage& message) {
  std::vector<JobId> jobs;
  for (const EventItem& item : message.items) jobs.push_back(item.job);
  return jobs;
}

using Ids = std::vector<JobId>;

TEST(Varint, gives_back_every_number) {
  for (const std::int64_t value : {0L, 1L, -1L, 63L, 64L, -64L, -65L, 1L << 40, INT64_MAX, INT64_MIN}) {
    std::string bytes;
    append_varint(bytes, zigzag(value));
    VarintReader reader(bytes);
    EXPECT_EQ(unzigzag(reader.number()), value);
    EXPECT_TRUE(reader.ok() && reader.at_end());
  }
}

TEST(EventBuilder, gives_back_all_that_was_said) {
  EventBuilder builder;
  builder.continue_after(41);
  const SessionId id{{9}};
  const EventSession session{id, "worker-1"};
  builder.add(EventKind::failed, "email", {7, "send", 3, 2, &session, EventNext::retry});
  const auto messages = decode(builder.flush(-5));

  EventItem item{7, "send", 3, 2, id, "worker-1", EventNext::retry};
  EXPECT_EQ(messages, (std::vector{EventMessage{42, -5, EventKind::failed, "email", {item}}}));
}

TEST(EventBuilder, puts_one_queue_and_event_of_a_turn_into_one_message) {
  EventBuilder builder;
  builder.add(EventKind::enqueued, "a", {.job = 1, .handler = "h"});
  builder.add(EventKind::enqueued, "b", {.job = 2, .handler = "h"});
  builder.add(EventKind::enqueued, "a", {.job = 3, .handler = "g"});
  const auto messages = decode(builder.flush(0));
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(jobs(messages[0]), (Ids{1, 3}));
  EXPECT_EQ(jobs(messages[1]), Ids{2});
}

TEST(EventBuilder, closes_a_message_where_an_item_would_overtake_an_event_of_its_own_job) {
  EventBuilder builder;
  builder.add(EventKind::started, "a", {.job = 1, .run = 1});
  builder.add(EventKind::released, "a", {.job = 1, .run = 1});
  builder.add(EventKind::started, "a", {.job = 2, .run = 1});  // may join the first message
  builder.add(EventKind::started, "a", {.job = 1, .run = 2});  // may not: job 1 was released after it
  builder.add(EventKind::started, "a", {.job = 3, .run = 1});
  const auto messages = decode(builder.flush(0));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(jobs(messages[0]), (Ids{1, 2}));
  EXPECT_EQ(messages[1].kind, EventKind::released);
  EXPECT_EQ(jobs(messages[2]), (Ids{1, 3}));
}

TEST(EventBuilder, numbers_messages_without_gaps_over_chunks) {
  EventBuilder builder;
  std::int64_t expected = 0;
  for (int turn = 0; turn < 3; ++turn) {
    builder.add(EventKind::enqueued, "a", {.job = turn});
    builder.add(EventKind::enqueued, "b", {.job = turn});
    for (const EventMessage& message : decode(builder.flush(0))) EXPECT_EQ(message.seq, ++expected);
  }
  EXPECT_EQ(builder.last_seq(), 6);
  EXPECT_TRUE(builder.empty());
}

// Whatever happens to jobs in a turn, each job's events are read in the order in which they happened.
TEST(EventBuilder, keeps_the_order_of_each_job) {
  std::mt19937_64 random(5);
  for (int turn = 0; turn < 200; ++turn) {
    EventBuilder builder;
    std::map<JobId, std::vector<EventKind>> said;
    for (int event = 0; event < 60; ++event) {
      const auto job = static_cast<JobId>(random() % 6);
      const auto kind = static_cast<EventKind>(random() % static_cast<std::uint64_t>(EventKind::count_));
      builder.add(kind, job % 2 == 0 ? "even" : "odd", {.job = job});
      said[job].push_back(kind);
    }
    std::map<JobId, std::vector<EventKind>> read;
    for (const EventMessage& message : decode(builder.flush(0))) {
      for (const EventItem& item : message.items) read[item.job].push_back(message.kind);
    }
    ASSERT_EQ(read, said);
  }
}

TEST(EventChunk, that_is_damaged_is_an_error_and_never_more) {
  EventBuilder builder;
  const SessionId id{{9}};
  const EventSession session{id, "worker-1"};
  for (JobId job = 1; job < 20; ++job) builder.add(EventKind::started, "q", {job, "h", 1, 1, &session});
  const EventChunk whole = builder.flush(1'700'000'000'000);

  EventChunk damaged = whole;
  for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
    damaged.bytes = whole.bytes.substr(0, size);
    EXPECT_FALSE(decode_events(damaged).ok());
  }
  std::mt19937_64 random(2);
  for (int round = 0; round < 5000; ++round) {
    damaged = whole;
    for (int change = 0; change < 3; ++change) {
      damaged.bytes[random() % damaged.bytes.size()] = static_cast<char>(random());
    }
    static_cast<void>(decode_events(damaged));
  }
}

}  // namespace
}  // namespace stint
