// The event stream as subscribers meet it: real SUB sockets, real frames.
#include "nodes/runtime/event_port.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "actors/events/event_builder.hpp"
#include "protocol/codec.hpp"
#include "tests/nodes/socket_client.hpp"

namespace stint {
namespace {

using std::chrono::milliseconds;
using test::Frames;

constexpr milliseconds soon(5'000);  // by then all that was sent has arrived
constexpr milliseconds never(100);   // what has not arrived by then was not sent

class EventPortTest : public testing::Test {
 protected:
  EventPortTest() {
    auto opened = EventPort::open(context_, {.endpoint = "tcp://127.0.0.1:*"});
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    port_ = std::move(*opened);
  }

  // Once it is back, the port knows of the subscription: no other subscriber may have the same.
  test::SocketClient subscriber(const std::string& prefix, int most_waiting = 1'000) {
    zmq::socket_t socket(context_, zmq::socket_type::sub);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvhwm, most_waiting);
    socket.set(zmq::sockopt::subscribe, prefix);
    socket.connect(port_->endpoint());
    hear();
    return test::SocketClient(std::move(socket));
  }
  void hear() {
    zmq::pollitem_t item{port_->socket().handle(), 0, ZMQ_POLLIN, 0};
    ASSERT_EQ(zmq::poll(&item, 1, soon), 1) << "nobody subscribed";
    port_->tend();
  }

  // What a turn wrote.
  EventsWritten flushed() {
    EventsWritten written;
    written.log = "a1b2";
    written.chunk = builder_.flush(1'700).chunk;
    return written;
  }
  void publish_enqueued(const std::string& queue, JobId job = 1) {
    builder_.add(EventKind::enqueued, queue, {.job = job, .handler = "send"});
    port_->publish(flushed());
  }
  static std::string topic_in(const std::optional<Frames>& frames) {
    return frames && frames->size() == 2 ? frames->front() : "nothing";
  }

  zmq::context_t context_{1};
  std::unique_ptr<EventPort> port_;
  EventBuilder builder_;
};

TEST_F(EventPortTest, publishes_a_topic_and_the_event_as_the_protocol_has_it) {
  auto client = subscriber("job/");
  builder_.continue_after(6, "a1b2");
  builder_.load_topic({"job/email/enqueued", 4});
  publish_enqueued("email", 9);
  const auto frames = client.receive(soon);
  ASSERT_EQ(topic_in(frames), "job/email/enqueued");
  EventMessage event;
  event.seq = 7;
  event.prev = 4;
  event.log = "a1b2";
  event.at_ms = 1'700;
  event.queue = "email";
  event.items.emplace_back();
  event.items[0].job = 9;
  event.items[0].handler = "send";
  EXPECT_EQ(frames->at(1), encode(event));
}

TEST_F(EventPortTest, gives_each_subscriber_what_it_asked_for) {
  auto of_a = subscriber("job/a/");
  auto of_limits = subscriber("limit/");
  publish_enqueued("ab");
  publish_enqueued("a");
  builder_.add_limit(EventKind::paused, LimitScope::handler, "send/it");
  port_->publish(flushed());
  EXPECT_EQ(topic_in(of_a.receive(soon)), "job/a/enqueued");
  EXPECT_FALSE(of_a.receive(never));
  EXPECT_EQ(topic_in(of_limits.receive(soon)), "limit/handler/send/it/paused");
  EXPECT_FALSE(of_limits.receive(never));
}

TEST_F(EventPortTest, publishes_what_only_passes_without_a_number) {
  auto client = subscriber("limit/queue/email/reached");
  EventsWritten written;
  written.log = "a1b2";
  EventMessage& passing = written.passing.emplace_back();
  passing.event = EventKind::reached;
  passing.scope = LimitScope::queue;
  passing.name = "email";
  passing.at_ms = 5;
  EventMessage expected = passing;
  expected.log = "a1b2";
  port_->publish(std::move(written));
  const auto frames = client.receive(soon);
  ASSERT_EQ(topic_in(frames), "limit/queue/email/reached");
  EXPECT_EQ(frames->at(1), encode(expected));
}

TEST_F(EventPortTest, says_where_the_log_stands) {
  auto client = subscriber("log/");
  EventsWritten written;
  written.log = "a1b2";
  written.head = EventLogHead{12, "a1b2"};
  port_->publish(std::move(written));
  const auto frames = client.receive(soon);
  ASSERT_EQ(topic_in(frames), "log/head");
  EXPECT_EQ(frames->at(1), encode(EventLogHead{12, "a1b2"}));
}

TEST_F(EventPortTest, encodes_nothing_that_nobody_asked_for) {
  publish_enqueued("email");
  EXPECT_EQ(port_->published(), 0);
  auto client = subscriber("job/other/");
  publish_enqueued("email");
  EXPECT_EQ(port_->published(), 0);
  publish_enqueued("other");
  EXPECT_EQ(port_->published(), 1);
}

TEST_F(EventPortTest, encodes_nothing_any_more_when_the_last_subscriber_has_left) {
  {
    auto client = subscriber("job/");
    publish_enqueued("email");
    EXPECT_EQ(topic_in(client.receive(soon)), "job/email/enqueued");
  }
  hear();
  publish_enqueued("email");
  EXPECT_EQ(port_->published(), 1);
}

// CASES 31.
TEST_F(EventPortTest, a_subscriber_that_does_not_read_holds_up_neither_the_port_nor_others) {
  auto stalled = subscriber("job/email/", 1);
  auto reading = subscriber("job/email/enqueued");
  const std::string queue = "email";
  constexpr int messages = 2'000;
  const JobId jobs = 500;
  std::int64_t seen = 0;
  for (int message = 1; message <= messages; ++message) {
    for (JobId job = 0; job < jobs; ++job) {
      builder_.add(EventKind::enqueued, queue, {.job = job, .handler = "send"});
    }
    port_->publish(flushed());
    seen += reading.receive(soon) ? 1 : 0;
  }
  EXPECT_EQ(port_->published(), messages);
  EXPECT_EQ(seen, messages);
  std::int64_t kept = 0;
  while (stalled.receive(never)) ++kept;
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, messages);
}

TEST_F(EventPortTest, refuses_an_address_beyond_loopback_unless_it_is_told_to_allow_it) {
  const auto refused = EventPort::open(context_, {.endpoint = "tcp://*:*"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().status, ExitStatus::config);
  EXPECT_TRUE(EventPort::open(context_, {.endpoint = "tcp://*:*", .insecure = true}).ok());
}

TEST_F(EventPortTest, tells_that_its_address_is_in_use) {
  const auto second = EventPort::open(context_, {.endpoint = port_->endpoint()});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().status, ExitStatus::cannot_create);
  EXPECT_NE(second.error().message.find("event stream"), std::string::npos);
}

// --- Subscriptions ---

std::string begin(const std::string& prefix) { return '\1' + prefix; }
std::string end(const std::string& prefix) { return std::string(1, '\0') + prefix; }

TEST(Subscriptions, want_what_begins_with_any_prefix) {
  Subscriptions subscriptions;
  EXPECT_FALSE(subscriptions.want("job/a/started"));
  for (const char* prefix : {"job/a/", "job/ab", "job/b/started", "limit/queue/z"})
    subscriptions.hear(begin(prefix));
  EXPECT_TRUE(subscriptions.want("job/a/started"));
  EXPECT_TRUE(subscriptions.want("job/abc/started"));
  EXPECT_TRUE(subscriptions.want("job/b/started"));
  EXPECT_FALSE(subscriptions.want("job/b/starte"));
  EXPECT_FALSE(subscriptions.want("job/a"));
  EXPECT_FALSE(subscriptions.want("job/c/started"));
  EXPECT_FALSE(subscriptions.want("limit/queue/a/set"));
  EXPECT_FALSE(subscriptions.want(""));
}

TEST(Subscriptions, find_a_short_prefix_behind_longer_ones_that_do_not_fit) {
  Subscriptions subscriptions;
  for (const char* prefix : {"job/", "job/email/a", "job/email/b", "job/email/c/d"})
    subscriptions.hear(begin(prefix));
  EXPECT_TRUE(subscriptions.want("job/email/completed"));
  subscriptions.hear(end("job/"));
  EXPECT_FALSE(subscriptions.want("job/email/completed"));
}

TEST(Subscriptions, to_everything_want_everything) {
  Subscriptions subscriptions;
  subscriptions.hear(begin(""));
  EXPECT_TRUE(subscriptions.want("job/a/started"));
  EXPECT_TRUE(subscriptions.want_any("limit/"));
}

TEST(Subscriptions, want_any_of_what_a_longer_or_shorter_prefix_may_fit) {
  Subscriptions subscriptions;
  subscriptions.hear(begin("job/a"));
  EXPECT_TRUE(subscriptions.want_any("job/"));
  EXPECT_FALSE(subscriptions.want_any("limit/"));
  subscriptions.hear(begin("li"));
  EXPECT_TRUE(subscriptions.want_any("limit/"));
}

TEST(Subscriptions, beyond_their_bound_count_everything_as_wanted) {
  Subscriptions subscriptions;
  for (std::size_t number = 0; number < Subscriptions::most_prefixes; ++number) {
    subscriptions.hear(begin("job/" + std::to_string(number)));
  }
  EXPECT_FALSE(subscriptions.want("log/head"));
  subscriptions.hear(begin("one more"));
  EXPECT_TRUE(subscriptions.want("log/head"));
  EXPECT_TRUE(subscriptions.want_any("limit/"));
}

TEST(Subscriptions, ignore_what_is_none) {
  Subscriptions subscriptions;
  subscriptions.hear("");
  subscriptions.hear("\2job/");
  subscriptions.hear(end("job/"));
  EXPECT_FALSE(subscriptions.want("job/a/started"));
}

}  // namespace
}  // namespace stint
