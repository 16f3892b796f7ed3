#include "protocol/published.hpp"

#include <gtest/gtest.h>

#include "protocol/codec.hpp"

namespace stint {
namespace {

EventMessage some_jobs_started() {
  EventMessage event;
  event.seq = 7;
  event.prev = 3;
  event.log = "history";
  event.at_ms = 1'700'000'000'000;
  event.event = EventKind::started;
  event.queue = "email";
  for (const JobId job : {11, 12}) {
    EventItem& item = event.items.emplace_back();
    item.job = job;
    item.handler = "send";
    item.run = item.attempt = 1;
    item.session = SessionId{{1, 2, 3}};
    item.worker = "w";
  }
  return event;
}

TEST(APublishedEvent, is_read_as_it_was_sent) {
  const auto event = decode_event(encode(some_jobs_started()));
  ASSERT_TRUE(event.ok()) << event.error().message;
  EXPECT_EQ(*event, some_jobs_started());
}

TEST(APublishedEvent, of_a_limit_is_read_as_it_was_sent) {
  EventMessage paused;
  paused.log = "history";
  paused.event = EventKind::paused;
  paused.scope = LimitScope::handler;
  paused.name = "send";
  paused.for_ms = 500;
  const auto event = decode_event(encode(paused));
  ASSERT_TRUE(event.ok()) << event.error().message;
  EXPECT_EQ(*event, paused);
}

TEST(APublishedEvent, that_is_cut_off_is_refused) {
  const std::string body = encode(some_jobs_started());
  for (std::size_t bytes = 0; bytes < body.size(); ++bytes) {
    const auto event = decode_event(std::string_view(body).substr(0, bytes));
    ASSERT_FALSE(event.ok()) << bytes;
    EXPECT_EQ(event.error().code, ErrorCode::bad_message);
  }
}

TEST(APublishedEvent, with_more_behind_it_is_refused) {
  EXPECT_FALSE(decode_event(encode(some_jobs_started()) + "x").ok());
}

}  // namespace
}  // namespace stint
