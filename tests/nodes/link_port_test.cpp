// Links between two nodes, and what doors pass on over them.
#include "nodes/links/link_port.hpp"

#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "nodes/links/link_codec.hpp"
#include "protocol/msgpack_writer.hpp"
#include "tests/nodes/cluster_bench.hpp"

namespace stint {
namespace {

using std::chrono::seconds;
using test::ClusterEnd;
using test::Frames;
using test::PatientClient;
using test::SocketClient;

// Does what the test wants when it is told something.
class TestStorage : public Handles<TestStorage, Started, Enqueue, GetStats, Finish, Goodbye, Claim, CheckAsk,
                                   Acknowledge, SnapshotWanted, BatchDropped> {
 public:
  void on(Started&&, Turn&) {}
  void on(Enqueue&& enqueue, Turn& turn) {
    enqueued.push_back(std::move(enqueue));
    if (!keeps_silent) turn.reply(Enqueued{{7}, {}});
  }
  void on(GetStats&&, Turn& turn) {
    ++stats_asked;
    if (!keeps_silent) turn.reply(Stats{});
  }
  void on(Finish&& report, Turn&) { reports.push_back(std::move(report)); }
  void on(Goodbye&&, Turn& turn) {
    if (on_goodbye) on_goodbye(turn);
  }
  void on(Claim&& claim, Turn& turn) {
    claims.push_back(std::move(claim));
    claimer = turn.sender();
  }
  void on(CheckAsk&& check, Turn&) { checks.push_back(std::move(check)); }
  void on(Acknowledge&&, Turn&) {}
  void on(SnapshotWanted&&, Turn&) {}
  void on(BatchDropped&& told, Turn&) { dropped = std::move(told.runs); }

  bool keeps_silent = false;
  std::function<void(Turn&)> on_goodbye;
  std::vector<Enqueue> enqueued;
  std::vector<Finish> reports;
  int stats_asked = 0;
  std::vector<Claim> claims;
  Address claimer;
  std::vector<CheckAsk> checks;
  std::vector<JobRun> dropped;
};

class TestLimiter : public Handles<TestLimiter, Started, LinkUp, RequestBatch, LimiterDelta, LimiterHead,
                                   SessionEnded, AskIsNew, Claimed> {
 public:
  void on(Started&&, Turn&) {}
  void on(LinkUp&&, Turn&) { ++links_up; }
  void on(RequestBatch&& ask, Turn& turn) {
    asks.push_back(std::move(ask));
    asker = turn.sender();
    if (on_ask) on_ask(turn);
  }
  void on(LimiterDelta&& delta, Turn& turn) {
    deltas.push_back(std::move(delta));
    told_at = turn.now();
  }
  void on(LimiterHead&& head, Turn&) { heads.push_back(head.sequence); }
  void on(SessionEnded&&, Turn&) {}
  void on(AskIsNew&&, Turn&) {}
  void on(Claimed&&, Turn&) {}

  int links_up = 0;
  std::function<void(Turn&)> on_ask;
  std::vector<RequestBatch> asks;
  Address asker;
  std::vector<LimiterDelta> deltas;
  Instant told_at{};
  std::vector<std::uint64_t> heads;
};

constexpr NodeNumber storage_number = 1;
constexpr NodeNumber limiter_number = 2;

Enqueue one_job(const std::string& batch_key = {}) {
  Enqueue enqueue;
  enqueue.jobs.resize(1);
  enqueue.jobs[0].handler = "greet";
  enqueue.batch_key = batch_key;
  return enqueue;
}

RequestBatch one_ask() {
  RequestBatch ask;
  ask.session.bytes.fill(1);
  ask.ask = 1;
  ask.queues["default"] = 1;
  return ask;
}

class LinkTest : public testing::Test {
 protected:
  LinkTest() {
    cluster_.storage = test::free_endpoint();
    cluster_.limiters["limiter-1"] = test::free_endpoint();
  }

  void start_storage(std::uint64_t start = 100, std::optional<std::uint64_t> hash = {}) {
    storage_end_ = std::make_unique<ClusterEnd>(
        ClusterEnd::Setup{cluster_, storage_number, "server", start, hash, nullptr},
        [&](ActorSystem& actors) { actors.host(Place::storage, storage_); });
  }
  void start_limiter(std::uint64_t start = 200, std::optional<std::uint64_t> hash = {}) {
    limiter_end_ = std::make_unique<ClusterEnd>(
        ClusterEnd::Setup{cluster_, limiter_number, "limiter-1", start, hash, nullptr},
        [&](ActorSystem& actors) { actors.host(Place::limiter, limiter_); });
  }
  void start_both() {
    start_storage();
    start_limiter();
    ASSERT_TRUE(turn_until([&] { return are_linked(); }));
  }
  bool are_linked() const {
    return storage_end_->links->is_up(limiter_number) && limiter_end_->links->is_up(storage_number);
  }

  void turn() {
    for (ClusterEnd* end : {storage_end_.get(), limiter_end_.get()}) {
      if (end != nullptr) end->loop->turn();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  // For at most some seconds.
  bool turn_until(const std::function<bool()>& done) {
    for (int i = 0; i < 10'000; ++i) {
      turn();
      if (done()) return true;
    }
    return false;
  }
  // Long enough for anything on its way to arrive.
  void turn_a_while() {
    for (int i = 0; i < 100; ++i) turn();
  }
  Answer answer_to(PatientClient& client) {
    std::optional<Answer> answer;
    EXPECT_TRUE(turn_until([&] { return (answer = client.take()).has_value(); })) << "no answer came";
    return answer.value_or(Error{});
  }
  Error error_to(PatientClient& client) {
    const Answer answer = answer_to(client);
    const Error* error = std::get_if<Error>(&answer);
    EXPECT_NE(error, nullptr) << "it answered " << wire_type(answer);
    return error != nullptr ? *error : Error{};
  }
  PatientClient client_of_limiter() { return {context_, limiter_end_->door->endpoint()}; }
  PatientClient client_of_storage() { return {context_, storage_end_->door->endpoint()}; }
  // Makes the storage actor say what `say` says.
  void let_storage_say(const std::function<void(Turn&)>& say) {
    storage_.on_goodbye = say;
    ASSERT_TRUE(storage_end_->actors.post({{}, {Place::storage}, Goodbye{}}));
  }

  zmq::context_t context_{1};
  ClusterConfig cluster_;
  TestStorage storage_;
  TestLimiter limiter_;
  std::unique_ptr<ClusterEnd> storage_end_;
  std::unique_ptr<ClusterEnd> limiter_end_;
};

TEST_F(LinkTest, comes_up_between_nodes_of_one_configuration_whichever_starts_first) {
  start_limiter();
  turn_a_while();
  EXPECT_FALSE(limiter_end_->links->is_up(storage_number));
  start_storage();

  EXPECT_TRUE(turn_until([&] { return are_linked(); }));
  EXPECT_TRUE(turn_until([&] { return limiter_.links_up == 1; }))
      << "the limiter is told of the way to storage";
}

TEST_F(LinkTest, brings_what_actors_say_to_actors_of_another_node) {
  start_both();

  let_storage_say([&](Turn& turn) {
    LimiterDelta delta{3, 4, true, {{"default", "greet", 5}}, {}};
    turn.send({Place::limiter, 0, limiter_number}, std::move(delta));
  });

  ASSERT_TRUE(turn_until([&] { return limiter_.deltas.size() == 1; }));
  EXPECT_EQ(limiter_.deltas[0].epoch, 3);
  EXPECT_EQ(limiter_.deltas[0].sequence, 4u);
  ASSERT_EQ(limiter_.deltas[0].counts.size(), 1u);
  EXPECT_EQ(limiter_.deltas[0].counts[0].ready, 5);
}

TEST_F(LinkTest, tells_when_things_were_by_the_clock_of_whom_it_tells_rule_D10) {
  start_both();
  limiter_end_->test_clock.ahead = std::chrono::hours(5'000);

  let_storage_say([&](Turn& turn) {
    GateState state;
    state.paused_until = turn.now() + seconds(30);
    LimiterDelta delta;
    delta.gates.push_back({LimitScope::queue, "email", state});
    turn.send({Place::limiter, 0, limiter_number}, std::move(delta));
  });

  ASSERT_TRUE(turn_until([&] { return limiter_.deltas.size() == 1; }));
  const Duration left = *limiter_.deltas[0].gates.at(0).state->paused_until - limiter_.told_at;
  EXPECT_LE(left, seconds(30));
  EXPECT_GT(left, seconds(20));
}

TEST_F(LinkTest, a_door_has_storages_answers_from_the_storage_node) {
  start_both();
  PatientClient client = client_of_limiter();

  client.send(one_job(), "mine");
  const Answer answer = answer_to(client);

  ASSERT_TRUE(std::holds_alternative<Enqueued>(answer));
  EXPECT_EQ(std::get<Enqueued>(answer).ids, std::vector<JobId>{7});
  EXPECT_EQ(client.frames->at(2), "mine");
  EXPECT_EQ(limiter_end_->door->open_requests(), 0u);
}

TEST_F(LinkTest, a_door_passes_an_ask_on_to_the_limiter_of_its_queue) {
  start_both();
  limiter_.on_ask = [](Turn& turn) { turn.reply(Batch{1, {}, EmptyReason::none, {}}); };
  PatientClient client = client_of_storage();

  client.send(one_ask());

  ASSERT_TRUE(std::holds_alternative<Batch>(answer_to(client)));
  EXPECT_EQ(limiter_.asker.node, storage_number);
}

TEST_F(LinkTest, storage_answers_an_asker_that_a_limiter_names) {
  start_both();
  limiter_.on_ask = [&](Turn& turn) {
    turn.send({Place::storage}, Claim{9, one_ask().session, 1, {{"default", 1}}, 1, {turn.sender()}, false});
  };
  PatientClient client = client_of_limiter();
  client.send(one_ask());
  ASSERT_TRUE(turn_until([&] { return storage_.claims.size() == 1; }));
  EXPECT_EQ(storage_.claimer.node, limiter_number);

  let_storage_say([&](Turn& turn) {
    Batch batch;
    batch.ask = 1;
    turn.send(storage_.claims[0].askers.at(0), std::move(batch));
  });

  EXPECT_TRUE(std::holds_alternative<Batch>(answer_to(client)));
}

TEST_F(LinkTest, passes_a_report_on_with_the_results_that_cannot_be_read) {
  start_both();
  MsgpackWriter report;
  report.map(3);
  report.text("session");
  report.binary(std::string(16, 's'));
  report.text("got");
  report.integer(0);
  report.text("results");
  report.list(2);
  report.map(1);  // without a run and an outcome
  report.text("id");
  report.integer(5);
  report.map(3);
  report.text("id");
  report.integer(6);
  report.text("run");
  report.integer(1);
  report.text("outcome");
  report.text("completed");
  PatientClient client = client_of_limiter();

  client.send(Frames{"STINT1", "finish", "c", report.take()});

  ASSERT_TRUE(turn_until([&] { return storage_.reports.size() == 1; }));
  ASSERT_EQ(storage_.reports[0].results.size(), 1u);
  EXPECT_EQ(storage_.reports[0].positions, std::vector<std::int64_t>{1});
  ASSERT_EQ(storage_.reports[0].faulty.size(), 1u);
  EXPECT_EQ(storage_.reports[0].faulty[0].at, 0);
}

TEST_F(LinkTest, a_request_for_a_node_that_is_away_is_refused_at_once) {
  start_limiter();
  PatientClient client = client_of_limiter();

  client.send(one_job());
  const Error error = error_to(client);

  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_NE(error.message.find("storage"), std::string::npos);
  EXPECT_TRUE(error.retry_in_ms.has_value());
  EXPECT_EQ(limiter_end_->door->open_requests(), 0u);
}

TEST_F(LinkTest, a_door_is_ready_only_with_a_way_to_storage) {
  start_limiter();
  PatientClient client = client_of_limiter();
  client.send(Ping{});
  EXPECT_FALSE(std::get<Pong>(answer_to(client)).ready);

  start_storage();
  ASSERT_TRUE(turn_until([&] { return are_linked(); }));

  client.send(Ping{});
  EXPECT_TRUE(std::get<Pong>(answer_to(client)).ready);
}

TEST_F(LinkTest, an_ask_that_storage_cannot_judge_now_is_refused) {
  start_limiter();
  limiter_.on_ask = [](Turn& turn) { turn.send({Place::storage}, CheckAsk{one_ask(), turn.sender()}); };
  PatientClient client = client_of_limiter();

  client.send(one_ask());

  EXPECT_EQ(error_to(client).code, ErrorCode::unavailable);
}

TEST_F(LinkTest, a_restarted_node_is_asked_again_what_it_has_not_answered_rule_D9) {
  start_both();
  storage_.keeps_silent = true;
  PatientClient client = client_of_limiter();
  client.send(GetStats{}, "stats");
  client.send(one_job("key"), "jobs");
  ASSERT_TRUE(turn_until([&] { return storage_.stats_asked == 1 && storage_.enqueued.size() == 1; }));

  storage_end_.reset();
  ASSERT_TRUE(turn_until([&] { return !limiter_end_->links->is_up(storage_number); }));
  storage_.keeps_silent = false;
  start_storage(101);

  answer_to(client);
  answer_to(client);
  EXPECT_EQ(storage_.stats_asked, 2);
  ASSERT_EQ(storage_.enqueued.size(), 2u);
  EXPECT_EQ(storage_.enqueued[1].batch_key, "key");
}

TEST_F(LinkTest, jobs_without_a_batch_key_are_not_passed_on_twice_rule_D9) {
  start_both();
  storage_.keeps_silent = true;
  PatientClient client = client_of_limiter();
  client.send(one_job());
  ASSERT_TRUE(turn_until([&] { return storage_.enqueued.size() == 1; }));

  storage_end_.reset();
  const Error error = error_to(client);
  start_storage(101);
  ASSERT_TRUE(turn_until([&] { return are_linked(); }));
  turn_a_while();

  EXPECT_EQ(error.code, ErrorCode::storage_unavailable);
  EXPECT_TRUE(error.retry_in_ms.has_value());
  EXPECT_EQ(storage_.enqueued.size(), 1u);
}

TEST_F(LinkTest, what_was_passed_on_to_a_node_that_stays_away_is_answered_in_the_end) {
  start_both();
  storage_.keeps_silent = true;
  PatientClient client = client_of_limiter();
  client.send(GetStats{});
  ASSERT_TRUE(turn_until([&] { return storage_.stats_asked == 1; }));
  storage_end_.reset();
  ASSERT_TRUE(turn_until([&] { return !limiter_end_->links->is_up(storage_number); }));
  turn_a_while();
  EXPECT_FALSE(client.take().has_value()) << "it may come back";

  limiter_end_->test_clock.ahead += seconds(11);

  EXPECT_EQ(error_to(client).code, ErrorCode::unavailable);
  EXPECT_EQ(limiter_end_->door->open_requests(), 0u);
}

TEST_F(LinkTest, storage_hears_of_a_batch_that_could_not_leave_at_another_node) {
  start_both();
  Address asker;
  limiter_.on_ask = [&](Turn& turn) { asker = turn.sender(); };
  {
    PatientClient client = client_of_limiter();
    client.send(one_ask());
    ASSERT_TRUE(turn_until([&] { return limiter_.asks.size() == 1; }));
  }
  // The door hears in its own time that the client has gone.
  for (int i = 0; i < 5; ++i) turn_a_while();

  let_storage_say([&](Turn& turn) {
    Batch batch;
    batch.ask = 1;
    batch.jobs.resize(1);
    batch.jobs[0].id = 77;
    batch.jobs[0].run = 2;
    batch.jobs[0].queue = "default";
    batch.jobs[0].handler = "greet";
    turn.send(asker, std::move(batch));
  });

  ASSERT_TRUE(turn_until([&] { return !storage_.dropped.empty(); }));
  EXPECT_EQ(storage_.dropped, (std::vector<JobRun>{{77, 2}}));
}

TEST_F(LinkTest, storage_hears_of_a_batch_for_a_node_that_is_away) {
  start_storage();

  let_storage_say([&](Turn& turn) {
    Batch batch;
    batch.jobs.resize(1);
    batch.jobs[0].id = 5;
    batch.jobs[0].run = 1;
    turn.send({Place::door, 1, limiter_number}, std::move(batch));
  });

  ASSERT_TRUE(turn_until([&] { return !storage_.dropped.empty(); }));
  EXPECT_EQ(storage_.dropped, (std::vector<JobRun>{{5, 1}}));
}

TEST_F(LinkTest, a_storage_that_fails_answers_what_other_doors_wait_for_rule_D2) {
  start_both();
  storage_.keeps_silent = true;
  PatientClient client = client_of_limiter();
  client.send(GetStats{});
  ASSERT_TRUE(turn_until([&] { return storage_.stats_asked == 1; }));

  const Error failed{ErrorCode::storage_unavailable, "the disk is full"};
  storage_end_->links->refuse(failed);
  storage_end_->links->answer_all(failed);
  EXPECT_EQ(error_to(client).code, ErrorCode::storage_unavailable);

  client.send(GetStats{});
  EXPECT_EQ(error_to(client).code, ErrorCode::storage_unavailable) << "and refuses what comes meanwhile";
  EXPECT_EQ(storage_.stats_asked, 1);

  storage_.keeps_silent = false;
  storage_end_->links->refuse(std::nullopt);
  client.send(GetStats{});
  EXPECT_TRUE(std::holds_alternative<Stats>(answer_to(client)));
}

TEST_F(LinkTest, nodes_with_different_clusters_refuse_each_other_and_go_on_trying) {
  start_storage();
  start_limiter(200, 12'345);
  ASSERT_TRUE(turn_until([&] {
    return storage_end_->links->counts().refused > 0 && limiter_end_->links->counts().refused > 0;
  }));
  EXPECT_FALSE(storage_end_->links->is_up(limiter_number));
  EXPECT_FALSE(limiter_end_->links->is_up(storage_number));

  // An operator mends it.
  limiter_end_.reset();
  start_limiter(201);
  storage_end_->test_clock.ahead += seconds(3);

  EXPECT_TRUE(turn_until([&] { return are_linked(); }));
}

// --- One node, and a peer that the test speaks for. ---

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
