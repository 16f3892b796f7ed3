// What a front door lets other nodes of its cluster say: one node, and a peer that the test speaks for.
#include <gtest/gtest.h>
#include <string>

#include "nodes/links/link_codec.hpp"
#include "nodes/links/link_port.hpp"
#include "tests/nodes/link_bench.hpp"

namespace stint {
namespace {

using namespace test;

class LinkDoorTest : public LinkTest {
 protected:
  LinkDoorTest() { start_storage(); }

  LinkHello hello() const {
    return {link_version,   "limiter-1", limiter_number,
            false,          true,        cluster_hash(cluster_),
            storage_number, 200,         1};
  }
  static Frames hello_frames(const LinkHello& hello) {
    return {"STINT1", std::string(link_hello_type), "h", encode(hello)};
  }
  static Frames message_frames(const Message& message, Address from, Address to, std::uint64_t start = 200,
                               std::uint64_t for_start = 100) {
    const auto body = encode_for_link(Message(message), Instant());
    return {"STINT1", std::string(link_type),
            encode(LinkHeader{start, for_start, from, to, std::string(body->kind)}), body->bytes};
  }
  static Frames claim_frames(std::uint64_t start = 200, std::uint64_t for_start = 100) {
    return message_frames(Claim{1, one_ask().session, 1, {{"default", 1}}, 1, {}, false}, {Place::limiter},
                          {Place::storage}, start, for_start);
  }
  std::optional<Frames> answer_from_door(SocketClient& peer) {
    std::optional<Frames> frames;
    turn_until([&] { return (frames = peer.receive()).has_value(); });
    return frames;
  }
  Error refusal_of(const LinkHello& said, const std::string& routing_id = {}) {
    SocketClient peer(context_, zmq::socket_type::dealer, cluster_.storage, routing_id);
    peer.send(hello_frames(said));
    const auto frames = answer_from_door(peer);
    if (!frames || frames->at(1) != "error") {
      ADD_FAILURE() << "it was not refused";
      return {};
    }
    return std::get<Error>(*decode_answer("error", frames->at(3), Bounds{}));
  }
  SocketClient welcomed_peer(const LinkHello& said) {
    SocketClient peer(context_, zmq::socket_type::dealer, cluster_.storage);
    peer.send(hello_frames(said));
    const auto frames = answer_from_door(peer);
    EXPECT_TRUE(frames && frames->at(1) == link_welcome_type);
    return peer;
  }
};

TEST_F(LinkDoorTest, welcomes_a_node_of_the_cluster_and_says_who_it_is) {
  SocketClient peer(context_, zmq::socket_type::dealer, cluster_.storage);
  peer.send(hello_frames(hello()));
  const auto frames = answer_from_door(peer);

  ASSERT_TRUE(frames.has_value());
  ASSERT_EQ(frames->at(1), link_welcome_type);
  const auto welcome = decode_link_welcome(frames->at(3));
  ASSERT_TRUE(welcome.ok());
  EXPECT_EQ(welcome->number, storage_number);
  EXPECT_EQ(welcome->start, 100u);
  EXPECT_EQ(welcome->opening, 1u);
}

TEST_F(LinkDoorTest, says_clearly_why_it_refuses_a_node) {
  LinkHello other_cluster = hello();
  other_cluster.cluster += 1;
  const Error differs = refusal_of(other_cluster);
  EXPECT_EQ(differs.code, ErrorCode::conflict);
  EXPECT_NE(differs.message.find("limiter-1"), std::string::npos);
  EXPECT_NE(differs.message.find("server"), std::string::npos);
  EXPECT_NE(differs.message.find("[cluster]"), std::string::npos);

  LinkHello other_version = hello();
  other_version.version = 2;
  const Error version = refusal_of(other_version);
  EXPECT_EQ(version.code, ErrorCode::unsupported_version);
  EXPECT_NE(version.message.find("version 2"), std::string::npos);

  LinkHello unknown = hello();
  unknown.name = "limiter-9";
  EXPECT_NE(refusal_of(unknown).message.find("limiter-9"), std::string::npos);
  unknown = hello();
  unknown.number = 17;
  EXPECT_EQ(refusal_of(unknown).code, ErrorCode::forbidden);

  LinkHello itself = hello();
  itself.number = storage_number;
  EXPECT_EQ(refusal_of(itself).code, ErrorCode::conflict);

  LinkHello astray = hello();
  astray.to = 3;
  EXPECT_EQ(refusal_of(astray).code, ErrorCode::conflict);

  LinkHello false_role = hello();
  false_role.is_storage = true;
  EXPECT_EQ(refusal_of(false_role).code, ErrorCode::forbidden);
}

TEST_F(LinkDoorTest, refuses_a_peer_that_chose_its_own_routing_id) {
  EXPECT_EQ(refusal_of(hello(), "mine").code, ErrorCode::forbidden);
  EXPECT_EQ(refusal_of(hello(), "12345").code, ErrorCode::forbidden);
}

TEST_F(LinkDoorTest, refuses_messages_from_connections_without_a_hello) {
  const SocketClient welcomed = welcomed_peer(hello());
  SocketClient stranger(context_, zmq::socket_type::dealer, cluster_.storage);

  stranger.send(claim_frames());
  const auto frames = answer_from_door(stranger);

  ASSERT_TRUE(frames && frames->at(1) == "error");
  EXPECT_EQ(std::get<Error>(*decode_answer("error", frames->at(3), Bounds{})).code, ErrorCode::forbidden);
  EXPECT_TRUE(storage_.claims.empty());
}

TEST_F(LinkDoorTest, a_node_that_is_alone_knows_no_links) {
  auto alone = FrontDoor::open(context_, {.endpoint = "tcp://127.0.0.1:*", .bounds = {}, .server = "alone"});
  ASSERT_TRUE(alone.ok());
  ActorSystem actors(1);
  SocketClient peer(context_, zmq::socket_type::dealer, (*alone)->endpoint());

  peer.send(hello_frames(hello()));
  std::optional<Frames> frames;
  for (int i = 0; i < 5'000 && !(frames = peer.receive(std::chrono::milliseconds(1))); ++i)
    (*alone)->receive(actors, 10);

  ASSERT_TRUE(frames && frames->at(1) == "error");
}

TEST_F(LinkDoorTest, hears_only_the_newest_connection_of_a_node) {
  SocketClient old_peer = welcomed_peer(hello());
  SocketClient new_peer = welcomed_peer(hello());

  old_peer.send(claim_frames());
  const auto refused = answer_from_door(old_peer);
  new_peer.send(claim_frames());

  EXPECT_TRUE(refused && refused->at(1) == "error") << "who was replaced is told: it may say hello again";
  EXPECT_TRUE(turn_until([&] { return storage_.claims.size() == 1; }));
}

TEST_F(LinkDoorTest, drops_what_an_earlier_life_of_the_other_node_said) {
  SocketClient peer = welcomed_peer(hello());

  peer.send(claim_frames(199));
  peer.send(claim_frames(200));

  ASSERT_TRUE(turn_until([&] { return !storage_.claims.empty(); }));
  turn_a_while();
  EXPECT_EQ(storage_.claims.size(), 1u);
}

TEST_F(LinkDoorTest, drops_what_was_meant_for_an_earlier_life_of_this_node) {
  SocketClient peer = welcomed_peer(hello());

  peer.send(claim_frames(200, 99));
  peer.send(claim_frames(200, 100));

  ASSERT_TRUE(turn_until([&] { return !storage_.claims.empty(); }));
  turn_a_while();
  EXPECT_EQ(storage_.claims.size(), 1u);
}

TEST_F(LinkDoorTest, drops_what_makes_no_sense_and_goes_on) {
  SocketClient peer = welcomed_peer(hello());
  const Address limiter{Place::limiter}, storage{Place::storage}, door{Place::door, 5};

  peer.send(message_frames(LimiterHead{1, 1}, storage, limiter));  // it is not the storage node
  peer.send(message_frames(Enqueued{}, storage, door));
  peer.send(message_frames(one_job(), limiter, storage));  // limiters ask for nothing
  peer.send({"STINT1", "link", "too short", ""});
  peer.send({"STINT1", "link", encode(LinkHeader{200, 100, limiter, storage, "stop_work"}), "\x80"});
  peer.send({"STINT1", "link", encode(LinkHeader{200, 100, limiter, storage, "claim"}), "nonsense"});
  peer.send(claim_frames());

  ASSERT_TRUE(turn_until([&] { return storage_.claims.size() == 1; }));
  EXPECT_TRUE(storage_.enqueued.empty());
  EXPECT_EQ(storage_end_->links->counts().refused, 6);
}

}  // namespace
}  // namespace stint
