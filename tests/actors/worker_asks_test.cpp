// How a worker introduces itself and asks for work.
#include <gtest/gtest.h>

#include "tests/actors/worker_bench.hpp"

using namespace stint;
using namespace std::chrono_literals;

TEST(WorkerHello, says_who_it_is_before_anything_else) {
  WorkerBench bench;

  const auto hello = bench.expect<Hello>();
  EXPECT_EQ(hello.message.worker, "w1");
  EXPECT_EQ(hello.message.session->bytes[0], 7);
  EXPECT_EQ(hello.message.queues, std::vector<std::string>{"email"});
  EXPECT_TRUE(hello.message.handlers.contains("send"));
  EXPECT_FALSE(bench.take<RequestBatch>());
}

TEST(WorkerHello, declares_the_limits_of_its_handlers) {
  auto options = email_worker();
  Limit limit;
  limit.max = 60;
  limit.window_ms = 60'000;
  options.handlers["send"].limit = limit;
  options.handlers["other"] = {};
  WorkerBench bench(options);

  const auto hello = bench.expect<Hello>();

  EXPECT_EQ(hello.message.handlers.at("send").limit, limit);
  EXPECT_FALSE(hello.message.handlers.at("other").limit);
}

TEST(WorkerHello, names_the_queues_of_a_weighted_worker) {
  WorkerBench bench(weighted_worker(4, {{"email", {}}, {"image", {}}}));

  EXPECT_EQ(bench.expect<Hello>().message.queues, (std::vector<std::string>{"email", "image"}));
}

TEST(WorkerHello, is_repeated_with_growing_pauses_until_it_is_answered) {
  WorkerBench bench;
  bench.forget_what_left();

  bench.pass(60s);

  EXPECT_GE(bench.count<Hello>(), 3u);
  EXPECT_LE(bench.count<Hello>(), 6u);
}

TEST(WorkerHello, ends_the_worker_when_the_server_refuses_it) {
  WorkerBench bench;

  bench.answer(bench.expect<Hello>(), Error{ErrorCode::forbidden, "not here"});

  bench.expect<WorkerStopped>();
  EXPECT_EQ(bench.summary().end, WorkEnd::refused);
  EXPECT_EQ(bench.summary().refusal->message, "not here");
}

TEST(WorkerHello, ends_the_worker_when_no_server_answers_in_the_time_it_was_given) {
  auto options = email_worker();
  options.give_up_after = 5s;
  WorkerBench bench(options);
  bench.hear(LinkDown{});

  bench.pass(4s);
  EXPECT_FALSE(bench.take<WorkerStopped>());
  bench.pass(2s);

  bench.expect<WorkerStopped>();
  EXPECT_EQ(bench.summary().end, WorkEnd::no_server);
}

TEST(WorkerAsk, offers_every_permit_in_the_first_ask) {
  WorkerBench bench;

  const auto ask = bench.welcome_and_take_ask();

  EXPECT_EQ(ask.message.ask, 1);
  EXPECT_EQ(ask.message.got, 0);
  EXPECT_EQ(ask.message.queues, (std::map<std::string, std::int64_t>{{"email", 10}}));
  EXPECT_EQ(ask.message.wait_ms, 30'000);
  EXPECT_FALSE(bench.take<RequestBatch>());
}

TEST(WorkerAsk, offers_in_the_next_ask_only_what_is_neither_held_nor_offered) {
  WorkerBench bench;
  const auto first = bench.welcome_and_take_ask();

  bench.give(first, {email_job(1), email_job(2), email_job(3)});

  const auto second = bench.expect<RequestBatch>();
  EXPECT_EQ(second.message.ask, 2);
  EXPECT_EQ(second.message.got, 1);
  EXPECT_EQ(second.message.queues.at("email"), 7);
}

TEST(WorkerAsk, names_queues_of_one_home_only) {
  auto options = email_worker();
  options.queues = {{"email", 2}, {"image", 3}, {"video", 4}};
  WorkerBench bench(options);

  bench.welcome({{"email", "l1"}, {"image", "l2"}, {"video", "l1"}});

  const auto one = bench.expect<RequestBatch>();
  const auto other = bench.expect<RequestBatch>();
  EXPECT_EQ(one.message.queues, (std::map<std::string, std::int64_t>{{"email", 2}, {"video", 4}}));
  EXPECT_EQ(other.message.queues, (std::map<std::string, std::int64_t>{{"image", 3}}));
}

TEST(WorkerAsk, got_stays_below_an_ask_that_is_still_open) {
  auto options = email_worker();
  options.queues = {{"email", 2}, {"image", 3}};
  WorkerBench bench(options);
  bench.welcome({{"email", "l1"}, {"image", "l2"}});
  const auto first = bench.expect<RequestBatch>();
  const auto second = bench.expect<RequestBatch>();

  bench.give_nothing(second);
  bench.pass(1s);
  EXPECT_EQ(bench.expect<RequestBatch>().message.got, 0);

  bench.give_nothing(first);
  bench.pass(1s);
  EXPECT_EQ(bench.expect<RequestBatch>().message.got, 2);
}

TEST(WorkerAsk, keeps_at_most_64_open) {
  auto options = email_worker();
  std::map<std::string, std::string> homes;
  for (int i = 0; i < 100; ++i) {
    const std::string queue = "q" + std::to_string(i);
    options.queues[queue] = 1;
    homes[queue] = "home" + std::to_string(i);
  }
  WorkerBench bench(options);

  bench.welcome(homes);
  bench.pass(20s);

  EXPECT_EQ(bench.count<RequestBatch>(), 64u);
}

TEST(WorkerAsk, a_second_answer_to_it_is_ignored) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();
  bench.give(ask, {email_job(1)});
  bench.forget_what_left();

  bench.give(ask, {email_job(1), email_job(2)});

  EXPECT_EQ(bench.count<StartRun>(), 0u);
}

TEST(WorkerAsk, that_was_answered_without_jobs_takes_those_that_come_after_all_rule_D3) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();
  bench.give_nothing(ask);
  bench.forget_what_left();

  bench.give(ask, {email_job(1)});
  bench.give(ask, {email_job(1)});

  EXPECT_EQ(bench.count<StartRun>(), 1u);
}

TEST(WorkerAsk, is_made_again_at_once_when_its_wait_is_over) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();

  bench.pass(30s);
  bench.give_nothing(ask);

  EXPECT_EQ(bench.expect<RequestBatch>().message.ask, 2);
}

TEST(WorkerAsk, is_not_made_again_at_once_when_the_answer_came_at_once) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();

  bench.give_nothing(ask, EmptyReason::paused);

  EXPECT_FALSE(bench.take<RequestBatch>());
  bench.pass(200ms);
  EXPECT_EQ(bench.expect<RequestBatch>().message.ask, 2);
}

TEST(WorkerAsk, answered_too_early_with_a_time_is_made_again_then) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();

  bench.give_nothing(ask, EmptyReason::limited, 5'000);

  bench.pass(4'900ms);
  EXPECT_FALSE(bench.take<RequestBatch>());
  bench.pass(200ms);
  EXPECT_EQ(bench.expect<RequestBatch>().message.ask, 2);
}

// Where an ask may wait, the limiter knows best when there is something.
TEST(WorkerAsk, that_waited_for_a_limit_is_made_again_at_once) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();

  bench.pass(30s);
  bench.give_nothing(ask, EmptyReason::limited, 20'000);

  EXPECT_EQ(bench.expect<RequestBatch>().message.wait_ms, 30'000);
}

TEST(WorkerAsk, of_other_queues_goes_on_while_one_is_not_to_be_asked_for) {
  auto options = email_worker();
  options.queues = {{"email", 1}, {"image", 1}};
  WorkerBench bench(options);
  const auto both = bench.welcome_and_take_ask();
  bench.give(both, {email_job(1)});
  bench.give_nothing(bench.expect<RequestBatch>(), EmptyReason::limited, 5'000);

  bench.end(1);
  bench.accept(bench.expect<Finish>());

  EXPECT_EQ(bench.expect<RequestBatch>().message.queues, (std::map<std::string, std::int64_t>{{"email", 1}}));
}

TEST(WeightedWorker, asks_what_there_is_and_then_waits_for_what_comes) {
  WorkerBench bench(weighted_worker(4, {{"email", {}}}));
  const auto first = bench.welcome_and_take_ask();
  EXPECT_EQ(first.message.queues.at("email"), 4);
  EXPECT_EQ(first.message.wait_ms, 0);

  bench.give_nothing(first);

  const auto second = bench.expect<RequestBatch>();
  EXPECT_EQ(second.message.queues.at("email"), 1);
  EXPECT_EQ(second.message.wait_ms, 30'000);
  EXPECT_FALSE(bench.take<RequestBatch>());
}

TEST(WeightedWorker, splits_its_workers_by_min_and_weight) {
  WorkerBench bench(weighted_worker(10, {{"email", {2, 3}}, {"image", {0, 1}}}));
  bench.welcome();

  const auto email = bench.expect<RequestBatch>();
  const auto image = bench.expect<RequestBatch>();

  EXPECT_EQ(email.message.queues, (std::map<std::string, std::int64_t>{{"email", 8}}));
  EXPECT_EQ(image.message.queues, (std::map<std::string, std::int64_t>{{"image", 2}}));
}

TEST(WeightedWorker, gives_the_share_of_a_limited_queue_to_the_others) {
  WorkerBench bench(weighted_worker(4, {{"email", {0, 1}}, {"image", {0, 1}}}));
  bench.welcome();
  const auto email = bench.expect<RequestBatch>();
  const auto image = bench.expect<RequestBatch>();
  bench.give_nothing(image, EmptyReason::limited, 5'000);

  bench.give(email, {email_job(1), email_job(2)});

  EXPECT_EQ(bench.expect<RequestBatch>().message.queues, (std::map<std::string, std::int64_t>{{"email", 2}}));
}

TEST(WeightedWorker, asks_for_a_queue_once_at_a_time) {
  WorkerBench bench(weighted_worker(4, {{"email", {}}}));
  bench.give(bench.welcome_and_take_ask(), {email_job(1), email_job(2)});
  EXPECT_EQ(bench.expect<RequestBatch>().message.queues.at("email"), 2);

  bench.end(1);
  bench.accept(bench.expect<Finish>());

  EXPECT_FALSE(bench.take<RequestBatch>());
}

TEST(WeightedWorker, does_not_ask_again_for_the_min_that_an_ask_waits_with) {
  WorkerBench bench(weighted_worker(4, {{"email", {2, 1}}}));
  bench.give(bench.welcome_and_take_ask(), {email_job(1)});
  bench.give_nothing(bench.expect<RequestBatch>());
  const auto watch = bench.expect<RequestBatch>();
  EXPECT_EQ(watch.message.queues.at("email"), 1);
  EXPECT_EQ(watch.message.wait_ms, 30'000);

  bench.end(1);
  bench.accept(bench.expect<Finish>());

  EXPECT_FALSE(bench.take<RequestBatch>());
}

TEST(WeightedWorker, looks_at_a_queue_again_in_a_second_though_the_limiter_of_another_does_not_answer) {
  WorkerBench bench(weighted_worker(4, {{"email", {}}, {"image", {}}}));
  bench.welcome({{"email", "l1"}, {"image", "l2"}});
  bench.expect<RequestBatch>();
  bench.give_nothing(bench.expect<RequestBatch>());
  EXPECT_FALSE(bench.take<RequestBatch>());

  bench.pass(1s);

  EXPECT_TRUE(bench.expect<RequestBatch>().message.queues.contains("image"));
}

TEST(WeightedWorker, offers_what_is_shared_once_though_an_ask_names_several_queues) {
  WorkerBench bench(weighted_worker(1, {{"email", {}}, {"image", {}}}));
  bench.welcome();
  bench.give_nothing(bench.expect<RequestBatch>());
  bench.give_nothing(bench.expect<RequestBatch>());

  const auto both = bench.expect<RequestBatch>();

  EXPECT_EQ(both.message.queues.size(), 2u);
  EXPECT_EQ(both.message.max, 1);
}

TEST(WeightedWorker, releases_what_is_beyond_its_workers) {
  WorkerBench bench(weighted_worker(1, {{"email", {}}, {"image", {}}}));

  bench.give(bench.welcome_and_take_ask(), {email_job(1), email_job(2)});

  EXPECT_EQ(bench.count<StartRun>(), 1u);
  EXPECT_EQ(bench.expect<Finish>().message.results.at(0).outcome, Outcome::released);
}

TEST(WeightedWorker, without_work_does_not_keep_both_sides_busy) {
  WorkerBench bench(weighted_worker(4, {{"email", {1, 1}}, {"image", {}}}));
  bench.welcome();
  std::size_t asks = 0;
  for (int seconds = 0; seconds < 100; ++seconds) {
    while (const auto ask = bench.take<RequestBatch>()) {
      ++asks;
      if (ask->message.wait_ms == 0) bench.give_nothing(*ask);
    }
    bench.pass(1s);
  }
  // Two that do not wait, two that do, and what is repeated as nobody answers those.
  EXPECT_LE(asks, 12u);
}

// Rule D9: what was sent before the connection broke may be lost.
TEST(RuleD9, an_open_ask_is_repeated_with_its_number_when_the_connection_is_back) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();
  bench.pass(1s);
  bench.forget_what_left();

  bench.hear(LinkDown{});
  bench.pass(5s);
  EXPECT_EQ(bench.count<RequestBatch>(), 0u);
  bench.hear(LinkUp{});

  const auto again = bench.expect<RequestBatch>();
  EXPECT_EQ(again.message.ask, ask.message.ask);
  EXPECT_EQ(again.message.queues, ask.message.queues);
  EXPECT_EQ(bench.count<Heartbeat>(), 1u);
}

TEST(RuleD9, an_open_ask_is_repeated_when_no_answer_came_after_its_wait) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();

  bench.pass(30s);
  EXPECT_FALSE(bench.take<RequestBatch>());
  bench.pass(3s);

  EXPECT_EQ(bench.expect<RequestBatch>().message.ask, ask.message.ask);
}

TEST(WorkerAsk, is_repeated_after_the_time_an_error_names) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();
  Error error{ErrorCode::storage_unavailable, "the disk is full"};
  error.retry_in_ms = 500;

  bench.answer(ask, error);

  bench.pass(400ms);
  EXPECT_FALSE(bench.take<RequestBatch>());
  bench.pass(200ms);
  EXPECT_EQ(bench.expect<RequestBatch>().message.ask, ask.message.ask);
}

TEST(WorkerAsk, refused_for_good_leads_to_a_new_hello_and_a_new_ask) {
  WorkerBench bench;
  const auto ask = bench.welcome_and_take_ask();

  bench.answer(ask, Error{ErrorCode::bad_message, "email and image have different homes"});

  bench.welcome();
  bench.pass(10s);
  EXPECT_EQ(bench.expect<RequestBatch>().message.ask, 2);
}

TEST(WorkerSession, unknown_to_the_server_is_introduced_again_and_what_is_open_repeated) {
  WorkerBench bench;
  bench.run_jobs({email_job(1)});

  bench.pass(10s);
  bench.answer(bench.expect<Heartbeat>(), Error{ErrorCode::unknown_session, "no such session"});
  bench.forget_what_left();
  bench.pass(1s);
  EXPECT_EQ(bench.count<StopRun>(), 0u);

  bench.hear(LinkUp{});
  bench.welcome();
  EXPECT_EQ(bench.expect<RequestBatch>().message.ask, 2);
  const auto beat = bench.expect<Heartbeat>();
  ASSERT_EQ(beat.message.jobs.size(), 1u);
  EXPECT_EQ(beat.message.jobs[0].id, 1);
}

TEST(WorkerSession, unknown_over_and_over_does_not_keep_both_sides_busy) {
  WorkerBench bench;
  std::size_t hellos = 0;
  for (int i = 0; i < 100; ++i) {
    if (const auto hello = bench.take<Hello>()) {
      ++hellos;
      bench.answer(hello.value(), Welcome{});
    }
    if (const auto ask = bench.take<RequestBatch>()) {
      bench.answer(ask.value(), Error{ErrorCode::unknown_session, "no such session"});
    }
    bench.pass(10ms);
  }
  EXPECT_LE(hellos, 4u);
}
