#include "actors/events/event_chunk.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>

#include "actors/events/event_builder.hpp"
#include "actors/events/varint.hpp"

namespace stint {
namespace {

std::vector<EventMessage> decode(const EventChunk& chunk) {
  auto messages = decode_events(chunk, "log");
  EXPECT_TRUE(messages.ok());
  return messages.ok() ? std::move(*messages) : std::vector<EventMessage>{};
}

std::vector<EventMessage> flush(EventBuilder& builder) { return decode(builder.flush(0).chunk); }

std::vector<JobId> jobs(const EventMessage& message) {
  std::vector<JobId> jobs;
  for (const EventItem& item : message.items) jobs.push_back(item.job);
  return jobs;
}

EventMessage event(std::int64_t seq, EventKind kind, std::string queue, EventItem item) {
  EventMessage event;
  event.seq = seq;
  event.log = "log";
  event.at_ms = -5;
  event.event = kind;
  event.queue = std::move(queue);
  event.items = {std::move(item)};
  return event;
}

Limit bucket_limit() {
  Limit limit;
  limit.rate = 2.5;
  limit.burst = 7;
  limit.max_running = 3;
  return limit;
}

Limit window_limit() {
  Limit limit;
  limit.max = 60;
  limit.window_ms = 60'000;
  limit.count = CountPolicy::started;
  return limit;
}

Limit unlimited() {
  Limit limit;
  limit.unlimited = true;
  return limit;
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

TEST(Varint, gives_back_every_real_number) {
  for (const double value : {0.0, -0.5, 1e-6, 1e6, std::numeric_limits<double>::max()}) {
    std::string bytes;
    append_real(bytes, value);
    VarintReader reader(bytes);
    EXPECT_EQ(reader.real(), value);
    EXPECT_TRUE(reader.ok() && reader.at_end());
  }
}

TEST(EventBuilder, gives_back_all_that_was_said_of_a_job) {
  EventBuilder builder;
  builder.continue_after(41, "a1b2");
  builder.load_topic({"job/email/failed", 30});
  const SessionId id{{9}};
  const EventSession session{id, "worker-1"};
  builder.add(EventKind::failed, "email", {7, "send", 3, 2, &session, EventNext::retry});
  const auto messages = decode(builder.flush(-5).chunk);

  EventMessage said =
      event(42, EventKind::failed, "email", {7, "send", 3, 2, id, "worker-1", EventNext::retry});
  said.prev = 30;
  EXPECT_EQ(messages, std::vector{said});
}

TEST(EventBuilder, gives_back_all_that_was_said_of_a_limit) {
  EventBuilder builder;
  builder.add_limit(EventKind::set, LimitScope::queue, "email", LimitSource::operated, bucket_limit());
  builder.add_limit(EventKind::conflict, LimitScope::handler, "send", LimitSource::declared, window_limit());
  builder.add_limit(EventKind::set, LimitScope::handler, "send", LimitSource::enqueue, unlimited());
  builder.add_limit(EventKind::cleared, LimitScope::handler, "send", LimitSource::operated);
  builder.add_limit(EventKind::paused, LimitScope::queue, "email", {}, {}, 0);
  builder.add_limit(EventKind::paused, LimitScope::queue, "email");
  const auto messages = flush(builder);

  ASSERT_EQ(messages.size(), 6u);
  EXPECT_EQ(messages[0].scope, LimitScope::queue);
  EXPECT_EQ(messages[0].name, "email");
  EXPECT_EQ(messages[0].source, LimitSource::operated);
  EXPECT_EQ(messages[0].limit, bucket_limit());
  EXPECT_EQ(messages[0].for_ms, std::nullopt);
  EXPECT_EQ(messages[1].event, EventKind::conflict);
  EXPECT_EQ(messages[1].scope, LimitScope::handler);
  EXPECT_EQ(messages[1].limit, window_limit());
  EXPECT_EQ(messages[2].limit, unlimited());
  EXPECT_EQ(messages[3].source, LimitSource::operated);
  EXPECT_EQ(messages[3].limit, std::nullopt);
  EXPECT_EQ(messages[4].source, std::nullopt);
  EXPECT_EQ(messages[4].for_ms, 0);
  EXPECT_EQ(messages[5].for_ms, std::nullopt);
}

TEST(EventBuilder, names_the_message_before_of_the_same_topic) {
  EventBuilder builder;
  builder.continue_after(10, "log");
  builder.load_topic({"job/a/enqueued", 4});
  builder.load_topic({"limit/queue/a/paused", 9});
  builder.add(EventKind::enqueued, "a", {.job = 1});
  builder.add(EventKind::enqueued, "b", {.job = 2});
  builder.add_limit(EventKind::paused, LimitScope::queue, "a");
  builder.add_limit(EventKind::paused, LimitScope::handler, "a");
  builder.add_limit(EventKind::paused, LimitScope::queue, "a");
  std::vector<std::int64_t> prevs;
  for (const EventMessage& message : flush(builder)) prevs.push_back(message.prev);
  EXPECT_EQ(prevs, (std::vector<std::int64_t>{4, 0, 9, 0, 13}));

  builder.add(EventKind::enqueued, "b", {.job = 3});
  EXPECT_EQ(flush(builder).at(0).prev, 12);
}

TEST(EventBuilder, gives_the_heads_of_the_topics_it_wrote_to_once_each) {
  EventBuilder builder;
  builder.load_topic({"job/quiet/enqueued", 1});
  builder.continue_after(1, "log");
  builder.add(EventKind::enqueued, "a", {.job = 1});
  builder.add_limit(EventKind::paused, LimitScope::handler, "send/it");
  builder.add_limit(EventKind::paused, LimitScope::handler, "send/it");
  EXPECT_EQ(builder.flush(0).topics,
            (std::vector<TopicRow>{{"job/a/enqueued", 2}, {"limit/handler/send/it/paused", 4}}));
  builder.add(EventKind::started, "a", {.job = 1});
  EXPECT_EQ(builder.flush(0).topics, (std::vector<TopicRow>{{"job/a/started", 5}}));
}

TEST(EventBuilder, writes_to_the_topics_that_subscribers_hear) {
  EventBuilder builder;
  builder.add(EventKind::enqueued, "a", {.job = 1});
  builder.add_limit(EventKind::cleared, LimitScope::handler, "send");
  const EventBuilder::Flushed flushed = builder.flush(0);
  const auto messages = decode(flushed.chunk);
  ASSERT_EQ(messages.size(), flushed.topics.size());
  for (std::size_t at = 0; at < messages.size(); ++at) {
    EXPECT_EQ(topic_of(messages[at]), flushed.topics[at].topic);
  }
}

TEST(EventBuilder, names_none_before_where_that_is_no_longer_kept) {
  EventBuilder builder;
  builder.continue_after(10, "log");
  builder.load_topic({"job/a/enqueued", 4});
  builder.load_topic({"job/b/enqueued", 5});
  builder.forget_topics_before(5);
  builder.add(EventKind::enqueued, "a", {.job = 1});
  builder.add(EventKind::enqueued, "b", {.job = 1});
  const auto messages = flush(builder);
  EXPECT_EQ(messages.at(0).prev, 0);
  EXPECT_EQ(messages.at(1).prev, 5);
}

TEST(EventBuilder, closes_a_message_that_holds_all_the_jobs_it_may) {
  EventBuilder builder;
  const auto most = static_cast<JobId>(EventBuilder::most_items);
  for (JobId job = 1; job <= 2 * most + 1; ++job) builder.add(EventKind::enqueued, "a", {.job = job});
  builder.add(EventKind::enqueued, "b", {.job = 1});
  builder.add(EventKind::enqueued, "a", {.job = 2 * most + 2});
  const auto messages = flush(builder);
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(std::ssize(messages[0].items), most);
  EXPECT_EQ(std::ssize(messages[1].items), most);
  EXPECT_EQ(jobs(messages[2]), (Ids{2 * most + 1, 2 * most + 2}));
  EXPECT_EQ(messages[1].prev, messages[0].seq);
  EXPECT_EQ(messages[2].prev, messages[1].seq);
}

TEST(EventBuilder, puts_one_queue_and_event_of_a_turn_into_one_message) {
  EventBuilder builder;
  builder.add(EventKind::enqueued, "a", {.job = 1, .handler = "h"});
  builder.add(EventKind::enqueued, "b", {.job = 2, .handler = "h"});
  builder.add(EventKind::enqueued, "a", {.job = 3, .handler = "g"});
  const auto messages = flush(builder);
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
  const auto messages = flush(builder);
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(jobs(messages[0]), (Ids{1, 2}));
  EXPECT_EQ(messages[1].event, EventKind::released);
  EXPECT_EQ(jobs(messages[2]), (Ids{1, 3}));
}

TEST(EventBuilder, numbers_messages_without_gaps_over_chunks) {
  EventBuilder builder;
  std::int64_t expected = 0;
  for (int turn = 0; turn < 3; ++turn) {
    builder.add(EventKind::enqueued, "a", {.job = turn});
    builder.add(EventKind::enqueued, "b", {.job = turn});
    for (const EventMessage& message : flush(builder)) EXPECT_EQ(message.seq, ++expected);
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
      const auto kind = static_cast<EventKind>(random() % static_cast<std::uint64_t>(EventKind::set));
      builder.add(kind, job % 2 == 0 ? "even" : "odd", {.job = job});
      said[job].push_back(kind);
    }
    std::map<JobId, std::vector<EventKind>> read;
    for (const EventMessage& message : flush(builder)) {
      for (const EventItem& item : message.items) read[item.job].push_back(message.event);
    }
    ASSERT_EQ(read, said);
  }
}

// Frozen: what the first version of stint wrote. Two messages, of the queues "a" and "b".
TEST(EventChunk, of_the_first_format_is_read) {
  std::string bytes{
      "\x01\x09\x02\x01"
      "a\x01"
      "b\x01\x04send\x01"};
  bytes += std::string(16, '\x09') + "\x08worker-1";
  bytes += std::string("\x00\x00\x01\x0e\x00\x00\x00\x00\x00", 9);  // enqueued, "a": job 7
  bytes += std::string("\x03\x01\x01\x0e\x00\x03\x02\x01\x01", 9);  // failed, "b": job 7, run 3
  const auto messages = decode({5, 2, bytes});

  SessionId session;
  session.bytes.fill(9);
  const EventItem waiting{7, "send", 0, 0, {}, {}, EventNext::none};
  const EventItem over{7, "send", 3, 2, session, "worker-1", EventNext::retry};
  EXPECT_EQ(messages, (std::vector{event(5, EventKind::enqueued, "a", waiting),
                                   event(6, EventKind::failed, "b", over)}));
}

TEST(EventChunk, of_a_later_format_is_an_error) {
  EventBuilder builder;
  builder.add(EventKind::enqueued, "a", {.job = 1});
  EventChunk chunk = builder.flush(0).chunk;
  chunk.bytes[0] = 3;
  EXPECT_EQ(decode_events(chunk, "log").error().code, ErrorCode::internal);
}

TEST(EventChunk, that_is_damaged_is_an_error_and_never_more) {
  EventBuilder builder;
  const SessionId id{{9}};
  const EventSession session{id, "worker-1"};
  for (JobId job = 1; job < 20; ++job) builder.add(EventKind::started, "q", {job, "h", 1, 1, &session});
  builder.add_limit(EventKind::set, LimitScope::queue, "q", LimitSource::operated, bucket_limit(), 3);
  const EventChunk whole = builder.flush(1'700'000'000'000).chunk;

  EventChunk damaged = whole;
  for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
    damaged.bytes = whole.bytes.substr(0, size);
    EXPECT_FALSE(decode_events(damaged, "log").ok());
  }
  std::mt19937_64 random(2);
  for (int round = 0; round < 5000; ++round) {
    damaged = whole;
    for (int change = 0; change < 3; ++change) {
      damaged.bytes[random() % damaged.bytes.size()] = static_cast<char>(random());
    }
    static_cast<void>(decode_events(damaged, "log"));
  }
}

}  // namespace
}  // namespace stint
