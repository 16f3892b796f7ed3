// Who may set a limit, which one holds, and what becomes of what was used when it changes (rules L8, L9).
#include <gtest/gtest.h>

#include "tests/actors/limit_bench.hpp"

namespace stint {
namespace {

using std::chrono::seconds;

StorageOptions configured() {
  StorageOptions options;
  options.handler_limits["send"] = window_limit(20, 60'000);
  options.queue_limits["email"] = rate_limit(20);
  return options;
}

Hello declaring(unsigned char session, std::string worker, std::optional<Limit> limit) {
  Hello hello = hello_of(session, std::move(worker));
  hello.handlers["send"].limit = std::move(limit);
  return hello;
}

NewJob bringing(const Limit& limit, const std::string& handler = "send") {
  NewJob job = new_job(handler);
  job.limit = limit;
  return job;
}

struct StorageActorLimitLayers : ::testing::Test {
  LimitBench bench;

  std::vector<std::string> limit_events() {
    std::vector<std::string> names;
    for (const EventMessage& message : bench.events()) {
      if (is_of_limit(message.event)) names.push_back(topic_of(message));
    }
    return names;
  }
};

// --- L8 ---

TEST_F(StorageActorLimitLayers, go_operator_config_declaration_enqueue_rule_L8) {
  LimitBench with_config(configured());
  with_config.enqueue(bringing(window_limit(50, 60'000)));
  EXPECT_EQ(with_config.handler().limit, window_limit(20, 60'000));
  with_config.ask<Welcome>(declaring(2, "declares", window_limit(30, 60'000)));
  EXPECT_EQ(with_config.handler().source, LimitSource::config);
  with_config.limit_handler(window_limit(10, 60'000));
  const LimitState state = with_config.handler();
  EXPECT_EQ(state.limit, window_limit(10, 60'000));
  EXPECT_EQ(state.source, LimitSource::operated);
  EXPECT_EQ(state.layers.size(), 4U);

  LimitBench without;
  without.enqueue(bringing(window_limit(50, 60'000)));
  EXPECT_EQ(without.handler().source, LimitSource::enqueue);
  without.ask<Welcome>(declaring(2, "declares", window_limit(30, 60'000)));
  EXPECT_EQ(without.handler().source, LimitSource::declared);
}

TEST_F(StorageActorLimitLayers, hold_for_every_process_when_a_job_brings_one_rule_L8) {
  bench.enqueue({bringing(started_limit(1, 60'000)), new_job(), new_job()});
  EXPECT_EQ(bench.started(), 1);
}

TEST_F(StorageActorLimitLayers,
       take_the_newest_of_those_that_jobs_bring_and_an_equal_one_changes_nothing_rule_L8) {
  bench.enqueue(bringing(started_limit(1, 60'000)));
  const std::int64_t version = bench.handler().version;
  bench.enqueue(bringing(started_limit(1, 60'000)));
  EXPECT_EQ(bench.handler().version, version);
  bench.enqueue(bringing(started_limit(2, 60'000)));
  EXPECT_GT(bench.handler().version, version);
  EXPECT_EQ(bench.handler().limit, started_limit(2, 60'000));
}

TEST_F(StorageActorLimitLayers, refuse_jobs_that_bring_two_different_ones_and_keep_none_of_them_rule_L8) {
  const auto error = bench.ask<Error>(
      Enqueue{{bringing(window_limit(1, 1'000)), new_job("other"), bringing(window_limit(2, 1'000))}, {}});
  EXPECT_EQ(error.code, ErrorCode::conflict);
  EXPECT_EQ(error.field, "jobs[2].limit");
  EXPECT_TRUE(bench.disk.jobs.empty());
  EXPECT_TRUE(bench.disk.limits.empty());
  EXPECT_FALSE(bench.handler().limit.has_value());
  EXPECT_EQ(bench
                .enqueue({bringing(window_limit(1, 1'000)), bringing(window_limit(1, 1'000)),
                          bringing(window_limit(9, 1'000), "other")})
                .size(),
            3U);
}

TEST_F(StorageActorLimitLayers, declare_with_a_sessions_first_hello_and_not_with_its_others_rule_L8_D5) {
  bench.ask<Welcome>(declaring(2, "v", window_limit(30, 60'000)));
  bench.limit(LimitScope::handler, "send", window_limit(40, 60'000), SetAs::declared);
  bench.ask<Welcome>(declaring(2, "v", window_limit(30, 60'000)));
  EXPECT_EQ(bench.handler().limit, window_limit(40, 60'000));
  bench.ask<Welcome>(declaring(3, "v", window_limit(30, 60'000)));
  EXPECT_EQ(bench.handler().limit, window_limit(30, 60'000)) << "the newest session wins";
}

TEST_F(StorageActorLimitLayers,
       say_nothing_of_an_equal_declaration_and_conflict_of_a_differing_living_one_rule_L8) {
  bench.ask<Welcome>(declaring(2, "v", window_limit(30, 60'000)));
  const std::int64_t version = bench.handler().version;
  bench.ask<Welcome>(declaring(3, "u", window_limit(30, 60'000)));
  EXPECT_EQ(bench.handler().version, version);
  EXPECT_EQ(limit_events(), std::vector<std::string>{"limit/handler/send/set"});
  bench.ask<Welcome>(declaring(4, "t", window_limit(31, 60'000)));
  EXPECT_EQ(limit_events(), (std::vector<std::string>{"limit/handler/send/set", "limit/handler/send/conflict",
                                                      "limit/handler/send/set"}));
}

TEST_F(StorageActorLimitLayers, keep_a_declaration_when_a_session_declares_none) {
  bench.ask<Welcome>(declaring(2, "v", window_limit(30, 60'000)));
  bench.ask<Welcome>(declaring(3, "u", std::nullopt));
  EXPECT_EQ(bench.handler().limit, window_limit(30, 60'000));
}

TEST_F(StorageActorLimitLayers, clear_the_operators_record_or_all_but_the_configs_rule_L8) {
  LimitBench with_config(configured());
  with_config.enqueue(bringing(window_limit(50, 60'000)));
  with_config.limit(LimitScope::handler, "send", window_limit(30, 60'000), SetAs::declared);
  with_config.limit_handler(no_limit());
  EXPECT_FALSE(with_config.handler().limit.has_value());
  LimitState cleared = with_config.clear(LimitScope::handler, "send");
  EXPECT_EQ(cleared.source, LimitSource::config);
  EXPECT_EQ(cleared.layers.size(), 3U);
  cleared = with_config.clear(LimitScope::handler, "send", true);
  EXPECT_EQ(cleared.layers.size(), 1U);
  EXPECT_EQ(cleared.limit, window_limit(20, 60'000));
}

TEST_F(StorageActorLimitLayers, take_the_config_as_it_was_read_at_the_newest_start_rule_L8) {
  LimitBench with_config(configured());
  EXPECT_EQ(with_config.queue().limit, rate_limit(20));
  StorageOptions changed = configured();
  changed.queue_limits["email"] = rate_limit(30);
  changed.handler_limits.clear();
  with_config.configure(changed);
  with_config.restart();
  EXPECT_EQ(with_config.queue().limit, rate_limit(30));
  EXPECT_FALSE(with_config.handler().limit.has_value());
}

TEST_F(StorageActorLimitLayers, give_a_newer_version_for_what_changed_in_the_config_and_no_other_rule_L8) {
  LimitBench with_config(configured());
  const std::int64_t queue_version = with_config.queue().version;
  const std::int64_t handler_version = with_config.handler().version;
  StorageOptions changed = configured();
  changed.queue_limits["email"] = rate_limit(30);
  with_config.configure(changed);
  with_config.restart();
  EXPECT_GT(with_config.queue().version, std::max(queue_version, handler_version));
  EXPECT_EQ(with_config.handler().version, handler_version);
}

TEST_F(StorageActorLimitLayers, count_runs_that_are_on_as_a_new_config_wants_them_counted_rule_L9) {
  StorageOptions options;
  options.handler_limits["send"] = window_limit(2, 60'000);
  LimitBench with_config(options);
  with_config.enqueue_many(10);
  EXPECT_EQ(with_config.take().jobs.size(), 2U);
  options.handler_limits["send"] = started_limit(2, 60'000);
  with_config.configure(options);
  with_config.restart();
  with_config.pass_ms(30'000);
  EXPECT_EQ(with_config.handler().available, 0) << "both runs are entries now, at their starts";
}

TEST_F(StorageActorLimitLayers, set_only_over_the_version_that_was_named_rule_L8) {
  const std::int64_t version = bench.limit_queue(rate_limit(5)).version;
  bench.limit_queue(rate_limit(6));
  const auto refused =
      bench.ask<Error>(SetLimit{LimitScope::queue, "email", rate_limit(7), SetAs::operated, version});
  EXPECT_EQ(refused.code, ErrorCode::conflict);
  EXPECT_EQ(refused.field, "if_version");
  EXPECT_EQ(bench.queue().limit, rate_limit(6));
  const auto set = bench.ask<LimitState>(
      SetLimit{LimitScope::queue, "email", rate_limit(7), SetAs::operated, bench.queue().version});
  EXPECT_EQ(set.limit, rate_limit(7));
}

TEST_F(StorageActorLimitLayers, are_kept_over_a_restart_with_their_versions_rule_L8) {
  bench.limit_queue(rate_limit(5));
  bench.limit(LimitScope::handler, "send", window_limit(30, 60'000), SetAs::declared);
  const LimitState queue = bench.queue();
  bench.restart();
  EXPECT_EQ(bench.queue().version, queue.version);
  EXPECT_EQ(bench.queue().limit, rate_limit(5));
  EXPECT_EQ(bench.handler().source, LimitSource::declared);
  EXPECT_GT(bench.limit_queue(rate_limit(6)).version, bench.handler().version);
}

TEST_F(StorageActorLimitLayers, are_told_apart_by_scope_though_their_names_are_the_same) {
  bench.limit(LimitScope::queue, "same", rate_limit(5));
  EXPECT_FALSE(bench.ask<LimitState>(GetLimit{LimitScope::handler, "same"}).limit.has_value());
}

// --- L9 ---

TEST_F(StorageActorLimitLayers, take_effect_at_once_and_keep_a_buckets_level_cut_to_its_new_burst_rule_L9) {
  bench.enqueue_many(50);
  bench.limit_queue(rate_limit(0.001, 10));
  EXPECT_EQ(bench.started(4), 4);
  bench.limit_queue(rate_limit(0.001, 20));
  EXPECT_EQ(bench.queue().available, 6) << "not filled by a larger burst";
  bench.limit_queue(rate_limit(0.001, 3));
  EXPECT_EQ(bench.queue().available, 3);
  bench.limit_queue(rate_limit(0.001, 10));
  EXPECT_EQ(bench.queue().available, 3);
  bench.limit_queue(rate_limit(10, 10));
  bench.pass_ms(501);
  EXPECT_EQ(bench.queue().available, 8);
}

TEST_F(StorageActorLimitLayers,
       do_not_forget_what_was_used_when_a_limit_is_lifted_or_cleared_and_set_again_rule_L9) {
  bench.enqueue_many(50);
  bench.limit_queue(rate_limit(0.001, 2));
  bench.limit_handler(started_limit(2, 60'000));
  EXPECT_EQ(bench.started(), 2);
  bench.limit_queue(no_limit());
  bench.clear(LimitScope::handler, "send");
  bench.pass_ms(5'000);  // whoever tidies up has been there
  EXPECT_EQ(bench.started(3), 3);
  bench.limit_queue(rate_limit(0.001, 2));
  bench.limit_handler(started_limit(2, 60'000));
  EXPECT_EQ(bench.queue().available, 0);
  EXPECT_EQ(bench.handler().available, 0);
  bench.pass_ms(60'000);
  EXPECT_EQ(bench.handler().available, 2);
}

TEST_F(StorageActorLimitLayers,
       take_no_others_entry_for_a_run_that_began_while_the_limit_was_lifted_rule_L9) {
  bench.enqueue_many(20);
  bench.limit_handler(started_limit(2, 60'000));
  bench.finish_all(bench.take());
  bench.limit_handler(no_limit());
  EXPECT_EQ(bench.started(3), 3);
  bench.limit_handler(started_limit(10, 60'000));
  bench.finish_all(bench.take(1));
  bench.limit_handler(window_limit(10, 60'000));
  EXPECT_EQ(bench.handler().available, 10 - 3 - 3) << "three are on, and three have made entries";
}

TEST_F(StorageActorLimitLayers, take_no_others_entry_for_a_run_whose_own_has_left_a_shorter_window_rule_L9) {
  bench.enqueue_many(20);
  bench.limit_handler(started_limit(5, 60'000));
  EXPECT_EQ(bench.started(1), 1);
  bench.pass_ms(10'000);
  bench.limit_handler(started_limit(5, 5'000));
  bench.pass_ms(1'000);
  bench.limit_handler(started_limit(5, 60'000));
  bench.finish_all(bench.take(1));
  bench.limit_handler(window_limit(5, 60'000));
  EXPECT_EQ(bench.handler().available, 5 - 1 - 1);
}

TEST_F(StorageActorLimitLayers, count_what_is_still_held_in_a_longer_window_rule_L9) {
  bench.enqueue_many(50);
  bench.limit_handler(started_limit(3, 10'000));
  EXPECT_EQ(bench.started(2), 2);
  bench.pass_ms(6'000);
  bench.limit_handler(started_limit(3, 20'000));
  EXPECT_EQ(bench.handler().available, 1);
  bench.pass_ms(13'999);
  EXPECT_EQ(bench.handler().available, 1);
  bench.pass_ms(1);
  EXPECT_EQ(bench.handler().available, 3);
}

TEST_F(StorageActorLimitLayers, let_nothing_start_above_a_lower_max_rule_L9) {
  bench.enqueue_many(50);
  bench.limit_handler(started_limit(5, 10'000));
  EXPECT_EQ(bench.started(2), 2);
  bench.pass_ms(1'000);
  EXPECT_EQ(bench.started(3), 3);
  bench.limit_handler(started_limit(4, 10'000));
  EXPECT_EQ(bench.handler().available_in_ms, 9'000);
  bench.pass_ms(9'000);
  EXPECT_EQ(bench.started(), 1);
}

TEST_F(StorageActorLimitLayers, turn_each_running_run_into_an_entry_at_its_start_rule_L9) {
  bench.enqueue_many(50);
  bench.limit_handler(window_limit(3, 10'000));
  bench.finish_all(bench.take(1));
  bench.pass_ms(2'000);
  const Batch running = bench.take(2);
  bench.pass_ms(3'000);
  bench.limit_handler(started_limit(3, 10'000));
  EXPECT_EQ(bench.handler().available, 0);
  bench.finish_all(running, Outcome::failed);
  EXPECT_EQ(bench.handler().available, 0) << "from now on a start counts, whatever its outcome";
  EXPECT_EQ(bench.handler().available_in_ms, 5'000) << "the completed one's entry goes first";
  bench.pass_ms(5'000);
  EXPECT_EQ(bench.handler().available, 1);
  bench.pass_ms(2'000);
  EXPECT_EQ(bench.handler().available, 3) << "then those that started two seconds later";
}

TEST_F(StorageActorLimitLayers, enter_a_run_whose_batch_was_answered_again_at_when_it_left_last_rule_L9) {
  bench.enqueue_many(9);
  bench.limit_handler(window_limit(3, 10'000));
  bench.take(1);
  bench.pass_ms(4'000);
  ASSERT_EQ(bench.ask_again(1, bench.last_ask).jobs.size(), 1U);
  bench.limit_handler(started_limit(3, 10'000));
  bench.pass_ms(7'000);
  EXPECT_EQ(bench.handler().available, 2);
  bench.pass_ms(3'000);
  EXPECT_EQ(bench.handler().available, 3);
}

TEST_F(StorageActorLimitLayers, take_the_entries_of_running_runs_out_and_hold_their_slots_instead_rule_L9) {
  bench.enqueue_many(50);
  bench.limit_handler(started_limit(3, 10'000));
  bench.finish_all(bench.take(1));
  bench.pass_ms(1'000);
  const Batch running = bench.take(2);
  bench.limit_handler(window_limit(3, 10'000));
  EXPECT_EQ(bench.handler().available, 0);
  bench.finish_all(running, Outcome::failed);
  EXPECT_EQ(bench.handler().available, 2) << "neither charged twice nor forgotten";
  bench.pass_ms(9'000);
  EXPECT_EQ(bench.handler().available, 3);
}

TEST_F(StorageActorLimitLayers,
       count_runs_that_are_on_when_a_first_limit_is_set_under_both_policies_rule_L9) {
  bench.enqueue_many(50);
  const Batch running = bench.take(2);
  bench.pass_ms(1'000);
  EXPECT_EQ(bench.limit_handler(started_limit(3, 10'000)).available, 1);
  bench.pass_ms(9'000);
  EXPECT_EQ(bench.handler().available, 3) << "ten seconds after their starts";

  bench.enqueue_many(50, "resize");
  bench.hello(2, "v", {"resize"});
  ASSERT_EQ(bench.claim(2, 1, {{"email", 2}}).jobs.size(), 2U);
  EXPECT_EQ(bench.limit(LimitScope::handler, "resize", window_limit(3, 10'000)).available, 1);
}

TEST_F(StorageActorLimitLayers, switch_the_policy_over_a_lift_without_charging_twice_rule_L9) {
  bench.enqueue_many(50);
  bench.limit_handler(started_limit(3, 10'000));
  const Batch running = bench.take(2);
  bench.limit_handler(no_limit());
  bench.limit_handler(window_limit(3, 10'000));
  EXPECT_EQ(bench.handler().available, 1);
  bench.limit_handler(no_limit());
  bench.limit_handler(started_limit(3, 10'000));
  EXPECT_EQ(bench.handler().available, 1);
  bench.finish_all(running);
  EXPECT_EQ(bench.handler().available, 1);
}

TEST_F(StorageActorLimitLayers, start_the_first_bucket_of_a_name_full_rule_L9) {
  EXPECT_EQ(bench.limit_queue(rate_limit(0.001, 7)).available, 7);
}

TEST_F(StorageActorLimitLayers, tell_an_operator_and_the_log_what_was_set_and_cleared) {
  bench.limit_queue(rate_limit(5));
  bench.limit_queue(rate_limit(5));
  bench.clear(LimitScope::queue, "email");
  bench.clear(LimitScope::queue, "email");
  bench.ask<LimitState>(Pause{LimitScope::queue, "email", 100});
  bench.ask<LimitState>(Resume{LimitScope::queue, "email"});
  bench.ask<LimitState>(Resume{LimitScope::queue, "email"});
  EXPECT_EQ(limit_events(),
            (std::vector<std::string>{"limit/queue/email/set", "limit/queue/email/cleared",
                                      "limit/queue/email/paused", "limit/queue/email/resumed"}));
}

// --- Asking ---

TEST_F(StorageActorLimitLayers, list_every_limited_or_paused_name_in_pages) {
  for (int queue = 10; queue < 15; ++queue)
    bench.limit(LimitScope::queue, "q" + std::to_string(queue), rate_limit(queue));
  for (int handler = 10; handler < 14; ++handler)
    bench.limit(LimitScope::handler, "h" + std::to_string(handler), window_limit(1, 1'000));
  bench.ask<LimitState>(Pause{LimitScope::queue, "paused", {}});
  bench.ask<LimitState>(GetLimit{LimitScope::queue, "never-limited"});
  std::vector<std::string> names;
  ListLimits request{{}, 3, {}};
  for (int page = 0; page < 10; ++page) {
    const auto limits = bench.ask<Limits>(request);
    EXPECT_LE(limits.limits.size(), 3U);
    for (const LimitState& state : limits.limits) names.push_back(state.name);
    if (limits.cursor.empty()) break;
    request.cursor = limits.cursor;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"paused", "q10", "q11", "q12", "q13", "q14", "h10", "h11", "h12",
                                             "h13"}));
  EXPECT_EQ(bench.ask<Limits>(ListLimits{LimitScope::handler, 100, {}}).limits.size(), 4U);
  EXPECT_EQ(bench.refused(ListLimits{{}, 3, "no cursor"}), ErrorCode::bad_message);
}

// What get_limit says must be so: a job offered then starts, a millisecond earlier it does not.
void expect_truth(LimitBench& bench, const std::function<LimitState()>& ask) {
  const LimitState state = ask();
  ASSERT_TRUE(state.limited);
  ASSERT_TRUE(state.available_in_ms.has_value());
  bench.pass_ms(*state.available_in_ms - 1);
  EXPECT_EQ(bench.started(), 0);
  bench.pass_ms(1);
  EXPECT_GE(bench.started(1), 1);
}

TEST_F(StorageActorLimitLayers, say_truly_when_a_job_can_start) {
  bench.enqueue_many(200);
  bench.limit_queue(rate_limit(0.3, 3));
  for (int round = 0; round < 5; ++round) {
    bench.pass(Duration(round * 123'457));
    bench.take();
    expect_truth(bench, [&] { return bench.queue(); });
  }
  bench.limit_queue(no_limit());
  bench.limit_handler(started_limit(3, 7'000));
  for (int round = 0; round < 5; ++round) {
    bench.pass(Duration(round * 123'457));
    bench.take();
    expect_truth(bench, [&] { return bench.handler(); });
  }
}

TEST_F(StorageActorLimitLayers, say_of_a_name_without_a_limit_that_nothing_holds_it) {
  const LimitState state = bench.queue("unheard-of");
  EXPECT_FALSE(state.limited);
  EXPECT_FALSE(state.limit.has_value());
  EXPECT_FALSE(state.available.has_value());
  EXPECT_EQ(state.available_in_ms, 0);
  EXPECT_EQ(state.version, 0);
}

TEST_F(StorageActorLimitLayers, forget_names_that_have_nothing_left_to_remember) {
  bench.limit_queue(rate_limit(10, 1));
  bench.limit_handler(started_limit(2, 2'000));
  bench.enqueue();
  bench.finish_all(bench.take());
  bench.clear(LimitScope::queue, "email");
  bench.clear(LimitScope::handler, "send");
  bench.limit(LimitScope::handler, "another", started_limit(2, 2'000));
  bench.pass(seconds(10));
  EXPECT_EQ(bench.disk.gates.size(), 1U);
  EXPECT_TRUE(bench.disk.windows.empty());
  EXPECT_EQ(bench.queue().version, 0);
}

TEST_F(StorageActorLimitLayers, refuse_more_names_than_the_server_keeps) {
  StorageOptions options;
  for (std::size_t name = 0; name < Ledger::most_names; ++name)
    options.queue_limits["q" + std::to_string(name)] = rate_limit(5);
  LimitBench full(options);
  EXPECT_EQ(full.refused(SetLimit{LimitScope::queue, "another", rate_limit(5), SetAs::operated, {}}),
            ErrorCode::overloaded);
  EXPECT_EQ(full.refused(Pause{LimitScope::queue, "another", {}}), ErrorCode::overloaded);
  EXPECT_EQ(full.refused(Enqueue{{bringing(window_limit(1, 1'000))}, {}}), ErrorCode::overloaded);
  EXPECT_TRUE(full.disk.jobs.empty());
  full.ask<Welcome>(declaring(2, "v", window_limit(1, 1'000)));
  EXPECT_EQ(full.limit(LimitScope::queue, "q7", rate_limit(6)).limit, rate_limit(6));
}

}  // namespace
}  // namespace stint
