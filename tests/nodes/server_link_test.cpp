// A worker node's link to its server, over real sockets; the servers are ROUTERs that the test answers with.
#include "nodes/runtime/server_link.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nodes/runtime/clock.hpp"
#include "nodes/runtime/poll_waiter.hpp"
#include "protocol/codec.hpp"

namespace stint {
namespace {

using std::chrono::milliseconds;

class RecordsLink : public Handles<RecordsLink, Started, LinkUp, LinkDown, Farewell, HeartbeatOk> {
 public:
  void on(Started&&, Turn&) {}
  void on(LinkUp&&, Turn&) { ++ups; }
  void on(LinkDown&&, Turn&) { ++downs; }
  void on(Farewell&&, Turn& turn) { farewell_tags.push_back(turn.answer_to()); }
  void on(HeartbeatOk&&, Turn&) {}
  int ups = 0;
  int downs = 0;
  std::vector<std::uint64_t> farewell_tags;
};

// A server as a link sees it.
class FakeServer {
 public:
  explicit FakeServer(zmq::context_t& context, const std::string& endpoint = "tcp://127.0.0.1:*")
      : router_(context, zmq::socket_type::router) {
    router_.set(zmq::sockopt::linger, 0);
    router_.bind(endpoint);
  }
  std::string endpoint() const { return router_.get(zmq::sockopt::last_endpoint); }
  bool receive() { return message_.receive(router_); }
  std::string frame(std::size_t index) const { return std::string(message_.frames().at(index)); }
  void answer(const std::string& type, const std::string& correlation, const std::string& body) {
    const std::string peer = frame(0);
    send_multipart(router_, {peer, wire_magic_, type, correlation, body});
  }

 private:
  static constexpr std::string_view wire_magic_ = "STINT1";
  zmq::socket_t router_;
  Multipart message_;
};

// Whoever had it is gone for good: a context ends when its sockets are closed.
std::string endpoint_of_nobody() {
  zmq::context_t context{1};
  return FakeServer(context).endpoint();
}

class ServerLinkTest : public testing::Test {
 protected:
  ServerLinkTest() { actors_.host(Place::worker, worker_); }

  void open(std::vector<std::string> servers) {
    auto opened = ServerLink::open(context_,
                                   {.servers = std::move(servers),
                                    .bounds = {},
                                    .patience = milliseconds(150),
                                    .tell_after = milliseconds(50)},
                                   log_);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    link_ = std::move(*opened);
  }
  bool turn_until(const std::function<bool()>& done) {
    for (int i = 0; i < 10'000; ++i) {
      link_->tend(actors_, clock_.now());
      link_->receive(actors_, 100);
      actors_.run(clock_.now(), clock_.wall_now());
      if (done()) return true;
      zmq::pollitem_t items[] = {{link_->socket().handle(), 0, ZMQ_POLLIN, 0},
                                 {link_->monitor().handle(), 0, ZMQ_POLLIN, 0}};
      zmq::poll(items, 2, milliseconds(1));
    }
    return false;
  }
  void say_goodbye(std::uint64_t tag) { link_->send({{Place::worker, tag}, {Place::server, 0}, Goodbye{}}); }

  zmq::context_t context_{1};
  SystemClock system_clock_;
  NodeClock clock_{system_clock_};
  Log log_{"warning"};
  ActorSystem actors_{1};
  RecordsLink worker_;
  std::unique_ptr<ServerLink> link_;
};

TEST_F(ServerLinkTest, says_when_its_server_is_there) {
  FakeServer server(context_);
  open({server.endpoint()});

  EXPECT_TRUE(turn_until([&] { return worker_.ups == 1; }));
}

TEST_F(ServerLinkTest, brings_an_answer_to_the_request_it_is_for) {
  FakeServer server(context_);
  open({server.endpoint()});
  ASSERT_TRUE(turn_until([&] { return link_->is_up(); }));
  const std::uint64_t tag = 0x1234567890abcdef;

  say_goodbye(tag);
  ASSERT_TRUE(turn_until([&] { return server.receive(); }));
  EXPECT_EQ(server.frame(1), "STINT1");
  EXPECT_EQ(server.frame(2), "goodbye");
  server.answer("farewell", server.frame(3), encode(Answer(Farewell{})));

  ASSERT_TRUE(turn_until([&] { return !worker_.farewell_tags.empty(); }));
  EXPECT_EQ(worker_.farewell_tags, std::vector<std::uint64_t>{tag});
}

TEST_F(ServerLinkTest, ignores_answers_that_cannot_be_read) {
  FakeServer server(context_);
  open({server.endpoint()});
  ASSERT_TRUE(turn_until([&] { return link_->is_up(); }));
  say_goodbye(5);
  ASSERT_TRUE(turn_until([&] { return server.receive(); }));
  const std::string correlation = server.frame(3);

  server.answer("farewell", "short", encode(Answer(Farewell{})));
  server.answer("nonsense", correlation, "");
  server.answer("farewell", correlation, "not msgpack");
  server.answer("farewell", correlation, encode(Answer(Farewell{})));

  ASSERT_TRUE(turn_until([&] { return !worker_.farewell_tags.empty(); }));
  EXPECT_EQ(worker_.farewell_tags.size(), 1u);
}

TEST_F(ServerLinkTest, says_when_its_server_goes_and_when_it_is_back_rule_D9) {
  auto server = std::make_unique<FakeServer>(context_);
  const std::string endpoint = server->endpoint();
  open({endpoint});
  ASSERT_TRUE(turn_until([&] { return worker_.ups == 1; }));
  const int downs = worker_.downs;

  server.reset();
  ASSERT_TRUE(turn_until([&] { return worker_.downs == downs + 1; }));
  server = std::make_unique<FakeServer>(context_, endpoint);

  EXPECT_TRUE(turn_until([&] { return worker_.ups == 2; }));
}

TEST_F(ServerLinkTest, keeps_nothing_for_a_server_that_is_away) {
  auto server = std::make_unique<FakeServer>(context_);
  const std::string endpoint = server->endpoint();
  open({endpoint});
  ASSERT_TRUE(turn_until([&] { return link_->is_up(); }));
  server.reset();
  ASSERT_TRUE(turn_until([&] { return !link_->is_up(); }));
  say_goodbye(1);
  server = std::make_unique<FakeServer>(context_, endpoint);
  ASSERT_TRUE(turn_until([&] { return link_->is_up(); }));

  say_goodbye(2);
  ASSERT_TRUE(turn_until([&] { return server->receive(); }));

  EXPECT_EQ(server->frame(3)[0], '\2') << "the first request it hears is the second that was made";
}

int times(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_F(ServerLinkTest, says_once_that_no_server_answers_and_goes_on) {
  const std::string nobody = endpoint_of_nobody();
  testing::internal::CaptureStderr();
  open({nobody});
  const Instant begin = clock_.now();
  turn_until([&] { return clock_.now() > begin + milliseconds(300); });
  FakeServer server(context_, nobody);
  EXPECT_TRUE(turn_until([&] { return worker_.ups == 1; }));

  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(times(said, "no server answers yet, trying on server=" + nobody), 1) << said;
}

TEST_F(ServerLinkTest, does_not_say_for_ever_that_it_tries_the_next_server) {
  std::vector<std::string> nobody;
  for (int i = 0; i < 2; ++i) nobody.push_back(endpoint_of_nobody());
  testing::internal::CaptureStderr();
  open(nobody);
  const Instant begin = clock_.now();
  turn_until([&] { return clock_.now() > begin + milliseconds(900); });

  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(times(said, "trying the next server"), 2) << said;
}

TEST_F(ServerLinkTest, goes_to_the_next_server_when_one_stays_away) {
  const std::string nobody = endpoint_of_nobody();
  FakeServer second(context_);
  open({nobody, second.endpoint()});

  EXPECT_TRUE(turn_until([&] { return worker_.ups == 1; }));

  EXPECT_EQ(link_->server(), second.endpoint());
}

TEST_F(ServerLinkTest, comes_round_to_the_first_server_again) {
  auto first = std::make_unique<FakeServer>(context_);
  const std::string first_endpoint = first->endpoint();
  auto second = std::make_unique<FakeServer>(context_);
  open({first_endpoint, second->endpoint()});
  ASSERT_TRUE(turn_until([&] { return worker_.ups == 1; }));
  first.reset();
  ASSERT_TRUE(turn_until([&] { return worker_.ups == 2; }));
  ASSERT_EQ(link_->server(), second->endpoint());

  first = std::make_unique<FakeServer>(context_, first_endpoint);
  second.reset();

  EXPECT_TRUE(turn_until([&] { return worker_.ups == 3; }));
  EXPECT_EQ(link_->server(), first_endpoint);
}

TEST(ServerLinkConfigTest, an_endpoint_that_is_none_is_a_config_fault) {
  zmq::context_t context{1};
  Log log{"off"};

  const auto opened = ServerLink::open(context, {.servers = {"nonsense"}, .bounds = {}}, log);

  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().status, ExitStatus::config);
}

TEST(PollWaiterTest, wakes_when_the_time_is_reached_and_not_before) {
  SystemClock system_clock;
  NodeClock clock(system_clock, std::chrono::hours(-100'000));
  CallStop stop;
  PollWaiter waiter(clock, stop);
  for (int i = 0; i < 3; ++i) {
    const Instant until = clock.now() + milliseconds(3);
    waiter.wait(until);
    EXPECT_GE(clock.now(), until);
  }
}

TEST(PollWaiterTest, tells_how_often_the_node_was_asked_to_stop) {
  SystemClock system_clock;
  NodeClock clock(system_clock);
  CallStop stop;
  PollWaiter waiter(clock, stop);
  stop.stop();
  stop.stop();

  EXPECT_EQ(waiter.wait(std::nullopt), 2);
  EXPECT_EQ(waiter.wait(clock.now()), 0);
}

}  // namespace
}  // namespace stint
