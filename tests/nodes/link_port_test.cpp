// Links between two nodes, and what doors pass on over them.
#include "nodes/links/link_port.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "protocol/msgpack_writer.hpp"
#include "tests/nodes/link_bench.hpp"

namespace stint {
namespace {

using namespace test;
using std::chrono::seconds;

TEST_F(LinkTest, comes_up_between_nodes_of_one_configuration_whichever_starts_first) {
  start_limiter();
  turn_a_while();
  EXPECT_FALSE(limiter_end_->links->is_up(storage_number));
  start_storage();

  EXPECT_TRUE(turn_until([&] { return are_linked(); }));
  EXPECT_TRUE(turn_until([&] { return limiter_.links_up == 1; }))
      << "the limiter is told of the way to storage";
}

TEST_F(LinkTest, refuses_a_second_node_of_a_name_while_the_first_answers) {
  start_both();
  // Of the same configuration, but it listens elsewhere: the first one has the endpoint.
  ClusterConfig elsewhere = cluster_;
  elsewhere.limiters["limiter-1"] = free_endpoint();
  TestLimiter second;
  ClusterEnd second_end(
      ClusterEnd::Setup{elsewhere, limiter_number, "limiter-1", 201, cluster_hash(cluster_), nullptr},
      [&](ActorSystem& actors) { actors.host(Place::limiter, second); });
  const std::int64_t refused_before = storage_end_->links->counts().refused;

  ASSERT_TRUE(turn_until([&] {
    second_end.loop->turn();
    return storage_end_->links->counts().refused > refused_before;
  }));

  EXPECT_TRUE(are_linked()) << "the first keeps its link";
  EXPECT_FALSE(second_end.links->is_up(storage_number));
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

}  // namespace
}  // namespace stint
