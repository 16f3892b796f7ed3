// The front door as clients meet it: real sockets, real frames; behind it an actor that the test makes
// answer.
#include "nodes/runtime/front_door.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "protocol/codec.hpp"
#include "tests/nodes/socket_client.hpp"

namespace stint {
namespace {

using std::chrono::milliseconds;
using test::Frames;
using test::SocketClient;

// Answers each enqueue with one id, or keeps it until it is told to.
class Accepts : public Handles<Accepts, Started, Enqueue> {
 public:
  void on(Started&&, Turn&) {}
  void on(Enqueue&& enqueue, Turn& turn) {
    received.push_back(std::move(enqueue));
    if (!keeps_silent) turn.reply(Enqueued{{first_id++}, {}});
  }
  std::vector<Enqueue> received;
  bool keeps_silent = false;
  JobId first_id = 7;
};

class FrontDoorTest : public testing::Test {
 protected:
  FrontDoorTest() {
    actors_.host(Place::storage, storage_);
    open({.endpoint = "tcp://127.0.0.1:*", .bounds = {}, .server = "test-server", .epoch = 3});
  }

  void open(FrontDoorConfig config) {
    door_.reset();
    auto opened = FrontDoor::open(context_, std::move(config));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    door_ = std::move(*opened);
  }

  SocketClient connect(zmq::socket_type type = zmq::socket_type::dealer, const std::string& routing_id = {}) {
    return {context_, type, door_->endpoint(), routing_id};
  }

  // Turns until `done`, for at most some seconds; false: it never was.
  bool turn_until(const std::function<bool()>& done) {
    for (int i = 0; i < 5'000; ++i) {
      door_->receive(actors_, 100);
      actors_.run(Instant(), 0);
      for (Envelope& envelope : actors_.take_outgoing()) door_->send(std::move(envelope));
      if (done()) return true;
      zmq::pollitem_t item{door_->socket().handle(), 0, ZMQ_POLLIN, 0};
      zmq::poll(&item, 1, milliseconds(1));
    }
    return false;
  }

  Frames answer_to(SocketClient& client) {
    std::optional<Frames> frames;
    EXPECT_TRUE(turn_until([&] { return (frames = client.receive()).has_value(); })) << "no answer came";
    return frames.value_or(Frames{});
  }

  // Asks `frames` of the door and expects them to be refused, once, and the door to go on.
  Error refusal_of(const Frames& frames) {
    SocketClient client = connect();
    client.send(frames);
    const Frames answer = answer_to(client);
    client.send(enqueue_frames("next"));
    const Frames next = answer_to(client);
    EXPECT_EQ(next.at(1), "enqueued") << "the door answered twice, or stopped";
    return error_in(answer);
  }

  static Error error_in(const Frames& answer) {
    if (answer.size() < 4 || answer[answer.size() - 3] != "error") {
      ADD_FAILURE() << "not an error of four frames";
      return {};
    }
    const auto decoded = decode_answer("error", answer.back(), Bounds{});
    return decoded ? std::get<Error>(*decoded) : Error{};
  }

  static std::string enqueue_body() {
    Enqueue enqueue;
    enqueue.jobs.resize(1);
    enqueue.jobs[0].handler = "greet";
    return encode(Request(enqueue));
  }
  static Frames enqueue_frames(const std::string& correlation) {
    return {"STINT1", "enqueue", correlation, enqueue_body()};
  }

  zmq::context_t context_{1};
  ActorSystem actors_{1};
  Accepts storage_;
  std::unique_ptr<FrontDoor> door_;
};

TEST_F(FrontDoorTest, answers_a_request_with_its_four_frames) {
  SocketClient client = connect();
  client.send(enqueue_frames("c1"));

  const Frames answer = answer_to(client);

  ASSERT_EQ(answer.size(), 4u);
  EXPECT_EQ(answer[0], "STINT1");
  EXPECT_EQ(answer[1], "enqueued");
  EXPECT_EQ(answer[2], "c1");
  const auto decoded = decode_answer("enqueued", answer[3], Bounds{});
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(std::get<Enqueued>(*decoded).ids, std::vector<JobId>{7});
}

TEST_F(FrontDoorTest, echoes_any_correlation_up_to_64_bytes) {
  SocketClient client = connect();
  for (const std::string& correlation : {std::string(), std::string("\0\xff\n", 3), std::string(64, 'x')}) {
    client.send(enqueue_frames(correlation));
    EXPECT_EQ(answer_to(client).at(2), correlation);
  }
}

TEST_F(FrontDoorTest, serves_a_REQ_socket) {
  SocketClient client = connect(zmq::socket_type::req);
  for (int i = 0; i < 3; ++i) {
    client.send(enqueue_frames("c"));
    EXPECT_EQ(answer_to(client).at(1), "enqueued");
  }
}

TEST_F(FrontDoorTest, serves_a_REQ_socket_that_correlates) {
  SocketClient client = connect(zmq::socket_type::req);
  client.socket().set(zmq::sockopt::req_correlate, 1);
  client.socket().set(zmq::sockopt::req_relaxed, 1);
  for (int i = 0; i < 3; ++i) {
    client.send(enqueue_frames("c"));
    EXPECT_EQ(answer_to(client).at(1), "enqueued");
  }
}

TEST_F(FrontDoorTest, returns_an_envelope_unchanged) {
  SocketClient client = connect();
  client.send({"hop1", "hop2", "", "STINT1", "enqueue", "c", enqueue_body()});

  const Frames answer = answer_to(client);

  ASSERT_EQ(answer.size(), 7u);
  EXPECT_EQ(Frames(answer.begin(), answer.begin() + 3), (Frames{"hop1", "hop2", ""}));
  EXPECT_EQ(answer[4], "enqueued");
}

TEST_F(FrontDoorTest, refuses_malformed_frames_with_one_error_and_goes_on) {
  const std::vector<Frames> malformed = {
      {"garbage"},
      {""},
      {"", ""},
      {"STINT1"},
      {"STINT1", "enqueue"},
      {"STINT1", "enqueue", "c"},
      {"STINT1", "", "c", enqueue_body()},
      {"STINT1", "enqueue", "c", enqueue_body(), "one too many"},
      {"STINT1", "enqueue", std::string(65, 'c'), enqueue_body()},
      {"stint1", "enqueue", "c", enqueue_body()},
      {"", "STINT1", "enqueue", "c"},
      {"1", "2", "3", "4", "5", "6", "7", "8", "9", "", "STINT1", "enqueue", "c", enqueue_body()},
      Frames(200, "x"),
      Frames(200, ""),
  };
  for (const Frames& frames : malformed) {
    EXPECT_EQ(refusal_of(frames).code, ErrorCode::bad_frame)
        << frames.size() << " frames, first " << frames[0];
  }
  EXPECT_EQ(storage_.received.size(), malformed.size())
      << "only what came after each of them reached the storage";
}

TEST_F(FrontDoorTest, refuses_another_version_of_the_wire) {
  EXPECT_EQ(refusal_of({"STINT2", "enqueue", "c", enqueue_body()}).code, ErrorCode::unsupported_version);
}

TEST_F(FrontDoorTest, refuses_unknown_types_and_answers) {
  for (const std::string type : {"dance", "enqueued", "error", "pong", "Enqueue", "started"}) {
    EXPECT_EQ(refusal_of({"STINT1", type, "c", enqueue_body()}).code, ErrorCode::unknown_type) << type;
  }
}

TEST_F(FrontDoorTest, refuses_malformed_bodies_with_one_error_and_goes_on) {
  const std::vector<std::string> malformed = {
      "",
      "not msgpack",
      std::string("\xc1", 1),
      std::string("\x90", 1),  // an array
      std::string("\x80", 1),  // a map without its jobs
      enqueue_body() + "trailing",
      enqueue_body().substr(0, enqueue_body().size() - 1),
      std::string("\xdf\xff\xff\xff\xff", 5),               // a map of 2^32 pairs
      std::string("\x81\xa4jobs\xdd\xff\xff\xff\xff", 11),  // an array of 2^32 jobs
      "\x81\xa1x" + std::string(100'000, '\x91') + "\xc0",  // deep
      std::string("\x81\xa4jobs\x01", 7),                   // wrong type
      std::string("\x82\xa4jobs\x90\xa4jobs\x90", 13),      // a key twice
  };
  for (const std::string& body : malformed) {
    const Error error = refusal_of({"STINT1", "enqueue", "c", body});
    EXPECT_TRUE(error.code == ErrorCode::bad_message || error.code == ErrorCode::too_large)
        << body.substr(0, 20);
    EXPECT_FALSE(error.message.empty());
  }
}

TEST_F(FrontDoorTest, says_too_large_of_a_body_just_over_the_bound) {
  const Error error = refusal_of({"STINT1", "enqueue", "c", std::string((16u << 20) + 1, '\0')});
  EXPECT_EQ(error.code, ErrorCode::too_large);
}

TEST_F(FrontDoorTest, answers_a_fault_through_its_envelope_with_its_correlation) {
  SocketClient client = connect(zmq::socket_type::req);
  client.send({"STINT1", "enqueue", "mine", enqueue_body(), "one too many"});

  const Frames answer = answer_to(client);

  EXPECT_EQ(answer.at(1), "error");
  EXPECT_EQ(answer.at(2), "mine");
}

TEST_F(FrontDoorTest, answers_a_ping_by_itself) {
  SocketClient client = connect();
  client.send({"STINT1", "ping", "c", encode(Request(Ping{}))});

  const Frames answer = answer_to(client);

  ASSERT_EQ(answer.at(1), "pong");
  const auto pong = decode_answer("pong", answer[3], Bounds{});
  ASSERT_TRUE(pong.ok());
  EXPECT_EQ(std::get<Pong>(*pong).server, "test-server");
  EXPECT_EQ(std::get<Pong>(*pong).epoch, 3);
  EXPECT_TRUE(std::get<Pong>(*pong).ready);
}

TEST_F(FrontDoorTest, says_not_ready_while_it_refuses_requests) {
  Error out{ErrorCode::storage_unavailable, "the disk is full"};
  out.retry_in_ms = 500;
  door_->refuse(out);
  SocketClient client = connect();

  client.send({"STINT1", "ping", "p", encode(Request(Ping{}))});
  const auto pong = decode_answer("pong", answer_to(client).at(3), Bounds{});
  client.send(enqueue_frames("c"));
  const Error error = error_in(answer_to(client));

  ASSERT_TRUE(pong.ok());
  EXPECT_FALSE(std::get<Pong>(*pong).ready);
  EXPECT_EQ(error.code, ErrorCode::storage_unavailable);
  EXPECT_EQ(error.retry_in_ms, 500);
  EXPECT_TRUE(storage_.received.empty());
}

TEST_F(FrontDoorTest, answers_each_open_request_when_told_to_rule_D2) {
  storage_.keeps_silent = true;
  SocketClient client = connect();
  for (const char* correlation : {"a", "b", "c"}) client.send(enqueue_frames(correlation));
  ASSERT_TRUE(turn_until([&] { return storage_.received.size() == 3; }));

  door_->answer_all(Error{ErrorCode::storage_unavailable, "a commit failed"});

  std::string correlations;
  for (int i = 0; i < 3; ++i) {
    const Frames answer = answer_to(client);
    EXPECT_EQ(error_in(answer).code, ErrorCode::storage_unavailable);
    correlations += answer.at(2);
  }
  std::sort(correlations.begin(), correlations.end());
  EXPECT_EQ(correlations, "abc");
  EXPECT_EQ(door_->open_requests(), 0u);
}

TEST_F(FrontDoorTest, refuses_more_open_requests_than_it_may_hold) {
  open({.endpoint = "tcp://127.0.0.1:*", .bounds = {}, .server = "small", .epoch = 1, .open_requests = 2});
  storage_.keeps_silent = true;
  SocketClient client = connect();
  for (const char* correlation : {"a", "b", "c"}) client.send(enqueue_frames(correlation));

  const Frames answer = answer_to(client);

  EXPECT_EQ(answer.at(2), "c");
  EXPECT_EQ(error_in(answer).code, ErrorCode::overloaded);
  EXPECT_TRUE(error_in(answer).retry_in_ms.has_value());
  EXPECT_EQ(storage_.received.size(), 2u);
}

TEST_F(FrontDoorTest, says_unavailable_when_nobody_here_serves_a_request) {
  SocketClient client = connect();
  RequestBatch ask;
  ask.session.bytes.fill(1);
  ask.ask = 1;
  ask.queues["default"] = 1;
  client.send({"STINT1", "request_batch", "c", encode(Request(ask))});

  EXPECT_EQ(error_in(answer_to(client)).code, ErrorCode::unavailable);
}

TEST_F(FrontDoorTest, drops_and_counts_the_answer_of_a_client_that_has_gone) {
  storage_.keeps_silent = true;
  {
    SocketClient client = connect();
    client.send(enqueue_frames("c"));
    ASSERT_TRUE(turn_until([&] { return storage_.received.size() == 1; }));
  }
  // The door hears of it in its own time: another client's answers show that it goes on meanwhile.
  storage_.keeps_silent = false;
  SocketClient other = connect();
  for (int i = 0; i < 20; ++i) {
    other.send(enqueue_frames("c"));
    ASSERT_EQ(answer_to(other).at(1), "enqueued");
    std::this_thread::sleep_for(milliseconds(5));
  }

  door_->answer_all(Error{ErrorCode::internal, "whatever"});

  EXPECT_EQ(door_->counts().answers_dropped, 1);
  EXPECT_EQ(door_->open_requests(), 0u);
}

TEST_F(FrontDoorTest, keeps_a_routing_id_for_the_client_that_had_it_first) {
  SocketClient first = connect(zmq::socket_type::dealer, "same");
  first.send(enqueue_frames("first"));
  ASSERT_EQ(answer_to(first).at(2), "first");
  SocketClient second = connect(zmq::socket_type::dealer, "same");
  second.send(enqueue_frames("second"));

  first.send(enqueue_frames("again"));

  EXPECT_EQ(answer_to(first).at(2), "again");
  EXPECT_FALSE(second.receive(milliseconds(50)).has_value());
}

TEST_F(FrontDoorTest, gives_large_numbers_as_floats_to_who_asked_for_it) {
  storage_.first_id = JobId{1} << 40;
  SocketClient client = connect();
  std::string body = enqueue_body();
  ++body[0];  // one pair more in the map
  body +=
      "\xa7numbers\xa5"
      "float";

  client.send({"STINT1", "enqueue", "c", body});

  EXPECT_NE(answer_to(client).at(3).find('\xcb'), std::string::npos);
}

TEST(FrontDoorAddress, beyond_loopback_is_refused_without_insecure) {
  zmq::context_t context{1};
  for (const char* endpoint :
       {"tcp://0.0.0.0:47611", "tcp://*:47611", "tcp://192.0.2.1:47611", "tcp://eth0:47611"}) {
    const auto opened = FrontDoor::open(context, {.endpoint = endpoint, .bounds = {}, .server = ""});
    ASSERT_FALSE(opened.ok()) << endpoint;
    EXPECT_EQ(opened.error().status, ExitStatus::config);
    EXPECT_NE(opened.error().message.find(endpoint), std::string::npos);
  }
}

TEST(FrontDoorAddress, that_is_in_use_is_said_clearly) {
  zmq::context_t context{1};
  const auto first = FrontDoor::open(context, {.endpoint = "tcp://127.0.0.1:*", .bounds = {}, .server = ""});
  ASSERT_TRUE(first.ok());

  const auto second =
      FrontDoor::open(context, {.endpoint = (*first)->endpoint(), .bounds = {}, .server = ""});

  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().status, ExitStatus::cannot_create);
  EXPECT_NE(second.error().message.find((*first)->endpoint()), std::string::npos);
}

}  // namespace
}  // namespace stint
