// The rules of delivery, D1 to D10, each in the simulator over many seeds. The checker asserts all of them
// all the time; each test stirs up what could break the one it is named after, and makes sure that it was
// stirred up.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/sim/seeds.hpp"
#include "tests/sim/world/storm.hpp"

namespace stint::sim {
namespace {

StormOptions nothing_happens() {
  StormOptions options;
  options.server_dies = options.server_dies_between_commit_and_send = options.server_reboots = 0;
  options.server_stands_still = options.disk_fails = options.disk_is_full = 0;
  options.worker_dies = options.worker_stands_still = options.worker_stops = options.worker_is_cut = 0;
  options.connection_drops = options.wall_jumps = 0;
  options.restored = 0;
  options.most_rogues = 0;
  options.silent_faults = 0;
  return options;
}

// A server, and a client that has said hello as a worker.
std::unique_ptr<Client> start_with_client(Scene& scene, unsigned char number = 1,
                                          const std::string& worker = "scripted") {
  scene.server.start();
  auto client = scene.make_client(number);
  EXPECT_TRUE(client->wait_for_connection());
  EXPECT_TRUE(std::holds_alternative<Welcome>(client->ask(client->hello(worker)).value()));
  return client;
}

void enqueue_and_wait(Scene& scene, Producer& producer, std::vector<JobPlan> plans) {
  scene.world.run_for(1 * second);  // its connection comes up
  std::vector<NewJob> jobs;
  for (JobPlan& plan : plans) jobs.push_back(producer.job(std::move(plan)));
  producer.enqueue(std::move(jobs));
  EXPECT_TRUE(scene.world.run_until([&] { return producer.all_acknowledged(); }, 10 * second));
}

std::vector<LeasedJob> jobs_of(const std::optional<Answer>& answer) {
  if (!answer || !std::holds_alternative<Batch>(*answer)) return {};
  return std::get<Batch>(*answer).jobs;
}

bool is_error(const std::optional<Answer>& answer, ErrorCode code) {
  return answer && std::holds_alternative<Error>(*answer) && std::get<Error>(*answer).code == code;
}

// --- D1 ---

TEST(RuleD1, every_acknowledged_job_reaches_exactly_one_final_state_whatever_happens) {
  std::size_t jobs = 0;
  for_each_seed(25, [&](Scene& scene) {
    run_storm(scene);
    jobs += scene.checker.acknowledged_jobs().size();
  });
  EXPECT_GT(jobs, 1'000U);
}

TEST(RuleD1, nothing_that_was_said_is_missing_after_a_crash_between_commit_and_send) {
  for_each_seed(10, [](Scene& scene) {
    StormOptions options = nothing_happens();
    options.server_dies_between_commit_and_send = 1;
    options.server_dies = 1;
    options.mean_pause = 300 * millisecond;
    run_storm(scene, options);
  });
}

// --- D2 ---

TEST(RuleD2, a_commit_that_fails_says_nothing_and_work_goes_on_after_it) {
  for_each_seed(10, [](Scene& scene) {
    StormOptions options = nothing_happens();
    options.disk_fails = 1;
    options.mean_pause = 300 * millisecond;
    run_storm(scene, options);
  });
}

// --- D3 ---

TEST(RuleD3, a_batch_that_did_not_arrive_costs_no_attempt) {
  std::int64_t undelivered = 0;
  for_each_seed(10, [&](Scene& scene) {
    StormOptions options = nothing_happens();
    options.silent_faults = 1;
    options.lost = 0.4;
    options.worker_dies = 1;
    options.server_dies_between_commit_and_send = 1;
    options.mean_pause = 500 * millisecond;
    run_storm(scene, options);
    undelivered += scene.checker.count(RunEnd::undelivered);
  });
  EXPECT_GT(undelivered, 20);
}

TEST(RuleD3, a_repeated_ask_gets_the_same_batch_whatever_restarted_meanwhile) {
  for_each_seed(10, [](Scene& scene) {
    const auto client = start_with_client(scene);
    enqueue_and_wait(scene, scene.add_producer(), {{}, {}, {}});
    const auto first = jobs_of(client->ask(client->request_batch(1, 2)));
    ASSERT_EQ(first.size(), 2U);
    if (scene.world.chance(0.5)) {
      scene.server.kill();
      scene.server.restart_after(500 * millisecond);
      scene.world.run_for(1 * second);
    } else if (scene.world.chance(0.5)) {
      client->drop_connection();
      scene.world.run_for(1 * second);
    }
    const auto second_time = jobs_of(client->ask(client->request_batch(1, 2)));
    ASSERT_EQ(second_time.size(), 2U);
    EXPECT_EQ(second_time[0].id, first[0].id);
    EXPECT_EQ(second_time[0].run, first[0].run);
    EXPECT_EQ(second_time[1].id, first[1].id);
  });
}

TEST(RuleD3, from_its_sixth_undelivered_batch_on_a_job_counts_as_lost) {
  for_each_seed(2, [](Scene& scene) {
    const auto client = start_with_client(scene);
    enqueue_and_wait(scene, scene.add_producer(), {{}});
    for (std::int64_t ask = 1; ask <= 8; ++ask) {
      const auto number = client->send(client->request_batch(ask, 1, 10'000));
      scene.world.run_for(8 * second);
      ASSERT_FALSE(client->answers(number).empty());
    }
    EXPECT_EQ(scene.checker.count(RunEnd::undelivered), 5);
    EXPECT_EQ(scene.checker.count(RunEnd::lost), 3);
    EXPECT_TRUE(scene.checker.all_are_final());
  });
}

// --- D4 ---

TEST(RuleD4, the_report_of_a_worker_that_stood_still_for_longer_than_its_lease_is_refused_as_stale) {
  for_each_seed(10, [](Scene& scene) {
    scene.server.start();
    Worker& sleeper = scene.add_worker();
    auto& producer = scene.add_producer();
    enqueue_and_wait(scene, producer, {{.token = {}, .took_ms = 500}});
    ASSERT_TRUE(scene.world.run_until([&] { return sleeper.running() > 0; }, 5 * second));
    sleeper.stand_still(10 * second);
    scene.add_worker();
    ASSERT_TRUE(scene.finish(9 * second)) << "the job runs elsewhere meanwhile";
    scene.world.run_for(8 * second);
    EXPECT_EQ(sleeper.stale_reports() + (sleeper.running() > 0 ? 1 : 0), 1);
    scene.check_end();
  });
}

TEST(RuleD4, workers_of_any_making_spoil_only_their_own_work) {
  std::int64_t stale = 0;
  for_each_seed(30, [&](Scene& scene) {
    StormOptions options = nothing_happens();
    options.most_rogues = 5;
    options.server_dies = options.disk_fails = 0.3;
    run_storm(scene, options);
    stale += scene.checker.stale_answers();
  });
  EXPECT_GT(stale, 100);
}

TEST(RuleD4, a_resent_report_is_answered_the_same_way_and_any_other_is_stale) {
  for_each_seed(5, [](Scene& scene) {
    const auto holder = start_with_client(scene, 1);
    const auto other = start_with_client(scene, 2, "another");
    enqueue_and_wait(scene, scene.add_producer(), {{}});
    const auto jobs = jobs_of(holder->ask(holder->request_batch(1, 1)));
    ASSERT_EQ(jobs.size(), 1U);

    const auto thief = other->ask(other->finish(jobs[0]));
    EXPECT_EQ(std::get<Finished>(*thief).stale.size(), 1U);
    EXPECT_EQ(std::get<Finished>(*holder->ask(holder->finish(jobs[0]))).accepted.size(), 1U);
    if (scene.world.chance(0.5)) {
      scene.server.kill();
      scene.server.start();
      scene.world.run_for(1 * second);
    }
    EXPECT_EQ(std::get<Finished>(*holder->ask(holder->finish(jobs[0]))).accepted.size(), 1U);
    EXPECT_EQ(std::get<Finished>(*holder->ask(holder->finish(jobs[0], Outcome::failed))).stale.size(), 1U);
    EXPECT_EQ(std::get<Finished>(*other->ask(other->finish(jobs[0]))).stale.size(), 1U);
    LeasedJob unknown_run = jobs[0];
    ++unknown_run.run;
    EXPECT_EQ(std::get<Finished>(*holder->ask(holder->finish(unknown_run))).stale.size(), 1U);
    scene.check_end();
  });
}

// --- D5 ---

TEST(RuleD5, a_session_lives_through_restarts_of_the_server) {
  for_each_seed(5, [](Scene& scene) {
    const auto client = start_with_client(scene);
    enqueue_and_wait(scene, scene.add_producer(), {{}, {}});
    const auto jobs = jobs_of(client->ask(client->request_batch(1, 1)));
    ASSERT_EQ(jobs.size(), 1U);
    for (int restarts = 0; restarts < 3; ++restarts) {
      scene.server.kill();
      scene.server.start();
      scene.world.run_for(300 * millisecond);
    }
    EXPECT_EQ(std::get<Finished>(*client->ask(client->finish(jobs[0]))).accepted.size(), 1U);
    RequestBatch next = client->request_batch(2, 1);
    next.got = 1;
    EXPECT_EQ(jobs_of(client->ask(next)).size(), 1U);
  });
}

TEST(RuleD5, a_session_that_never_said_hello_is_unknown) {
  for_each_seed(2, [](Scene& scene) {
    scene.server.start();
    const auto stranger = scene.make_client(9);
    ASSERT_TRUE(stranger->wait_for_connection());
    EXPECT_TRUE(is_error(stranger->ask(stranger->request_batch(1, 1)), ErrorCode::unknown_session));
    EXPECT_TRUE(is_error(stranger->ask(stranger->heartbeat({})), ErrorCode::unknown_session));
  });
}

TEST(RuleD5, a_takeover_ends_the_leases_of_earlier_sessions_at_once_and_a_repeated_hello_takes_nothing) {
  for_each_seed(5, [](Scene& scene) {
    const auto old_life = start_with_client(scene, 1, "worker");
    enqueue_and_wait(scene, scene.add_producer(), {{}});
    ASSERT_EQ(jobs_of(old_life->ask(old_life->request_batch(1, 1))).size(), 1U);
    Heartbeat has_it = old_life->heartbeat({});
    has_it.got = 1;
    old_life->ask(has_it);

    const auto new_life = scene.make_client(2);
    ASSERT_TRUE(new_life->wait_for_connection());
    Hello takeover = new_life->hello("worker");
    takeover.takeover = true;
    new_life->ask(takeover);
    // A lost run is tried again after a pause.
    const auto jobs = jobs_of(new_life->ask(new_life->request_batch(1, 1, 1'000)));
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].run, 2);

    new_life->ask(takeover);
    old_life->ask(old_life->hello("worker"));
    EXPECT_EQ(std::get<Finished>(*new_life->ask(new_life->finish(jobs[0]))).accepted.size(), 1U);
  });
}

// --- D6 ---

TEST(RuleD6, a_server_that_stands_still_or_restarts_does_not_end_its_workers_work) {
  for_each_seed(10, [](Scene& scene) {
    scene.server.start();
    scene.add_worker();
    scene.add_worker();
    enqueue_and_wait(scene, scene.add_producer(),
                     std::vector<JobPlan>(6, JobPlan{.token = {}, .took_ms = 5'000}));
    ASSERT_TRUE(scene.world.run_until([&] { return scene.checker.started_runs().size() == 6; }, 5 * second));
    for (int times = 0; times < 3; ++times) {
      if (scene.world.chance(0.5)) {
        scene.server.stand_still(scene.world.between(100 * millisecond, 10 * second));
      } else {
        scene.server.kill();
        scene.server.restart_after(scene.world.between(10 * millisecond, 10 * second));
      }
      scene.world.run_for(scene.world.between(500 * millisecond, 12 * second));
    }
    scene.world.run_for(10 * second);
    EXPECT_EQ(scene.checker.count(RunEnd::completed), 6);
    EXPECT_EQ(scene.checker.count(RunEnd::lost) + scene.checker.count(RunEnd::undelivered), 0);
    EXPECT_EQ(scene.checker.started_runs().size(), 6U);
    scene.check_end();
  });
}

TEST(RuleD6, leases_of_workers_that_are_gone_end_after_a_restart_spread_over_a_fifth) {
  for_each_seed(5, [](Scene& scene) {
    const auto client = start_with_client(scene);
    enqueue_and_wait(scene, scene.add_producer(), std::vector<JobPlan>(20));
    for (std::int64_t ask = 1; ask <= 20; ++ask) {
      ASSERT_EQ(jobs_of(client->ask(client->request_batch(ask, 1))).size(), 1U);
    }
    scene.server.kill();
    scene.server.start();
    scene.world.run_for(1'990 * millisecond);
    EXPECT_EQ(scene.checker.count(RunEnd::undelivered), 0) << "none before a whole lease";
    scene.world.run_for(200 * millisecond);
    const std::int64_t half_way = scene.checker.count(RunEnd::undelivered);
    EXPECT_GT(half_way, 0);
    EXPECT_LT(half_way, 20) << "not all in one wave";
    scene.world.run_for(1'000 * millisecond);
    EXPECT_EQ(scene.checker.count(RunEnd::undelivered), 20);
  });
}

// --- D7 ---

TEST(RuleD7, a_job_that_kills_its_worker_each_time_ends_dead_after_max_lost) {
  for_each_seed(10, [](Scene& scene) {
    scene.server.start();
    scene.add_worker();
    scene.add_worker({.takes_over = true});
    enqueue_and_wait(scene, scene.add_producer(), {{.token = {}, .deed = Deed::kill, .took_ms = 50}, {}, {}});
    EXPECT_TRUE(scene.finish(60 * second));
    EXPECT_EQ(scene.checker.count(RunEnd::completed), 2);
    const auto killer = scene.checker.job_with("p1-1");
    const JobRecord& job = scene.checker.jobs().at(*killer);
    EXPECT_EQ(job.final, JobState::dead);
    EXPECT_EQ(job.lost, scene.defaults.max_lost);
    EXPECT_FALSE(scene.server.disk().jobs.at(*killer).reason.empty());
    scene.check_end();
  });
}

TEST(RuleD7, a_run_ends_at_its_timeout_and_a_lease_whatever_its_heartbeats_say) {
  for_each_seed(3, [](Scene& scene) {
    const auto client = start_with_client(scene);
    auto& producer = scene.add_producer();
    scene.world.run_for(1 * second);
    NewJob job = producer.job({});
    job.timeout_ms = 5'000;
    producer.enqueue({job});
    const auto jobs = jobs_of(client->ask(client->request_batch(1, 1, 5'000)));
    ASSERT_EQ(jobs.size(), 1U);
    const Duration started = scene.world.now();
    const auto ended = [&] {
      return scene.checker.count(RunEnd::timed_out) + scene.checker.count(RunEnd::lost) > 0;
    };
    while (!ended() && scene.world.now() < started + 20 * second) {
      client->send(client->heartbeat(jobs));
      scene.world.run_for(300 * millisecond);
    }
    EXPECT_GE(scene.world.now() - started, 7 * second);
    EXPECT_LE(scene.world.now() - started, 8 * second);
  });
}

TEST(RuleD7, after_a_cancel_completed_wins_and_any_other_end_cancels_the_job) {
  for_each_seed(4, [](Scene& scene) {
    const auto client = start_with_client(scene);
    enqueue_and_wait(scene, scene.add_producer(), {{}, {}, {}});
    const auto jobs = jobs_of(client->ask(client->request_batch(1, 3)));
    ASSERT_EQ(jobs.size(), 3U);
    for (const LeasedJob& job : jobs) client->ask(CancelJob{job.id});
    if (scene.world.chance(0.5)) {
      scene.server.kill();
      scene.server.start();
      scene.world.run_for(1 * second);
    }
    client->ask(client->finish(jobs[0], Outcome::completed));
    client->ask(client->finish(jobs[1], Outcome::snoozed));
    ASSERT_TRUE(scene.finish(10 * second));
    EXPECT_EQ(scene.checker.jobs().at(jobs[0].id).final, JobState::completed);
    EXPECT_EQ(scene.checker.jobs().at(jobs[1].id).final, JobState::cancelled);
    EXPECT_EQ(scene.checker.jobs().at(jobs[2].id).final, JobState::cancelled) << "its lease ended";
    scene.check_end();
  });
}

// --- D8 ---

TEST(RuleD8, an_enqueue_sent_again_with_its_batch_key_stores_nothing_twice) {
  for_each_seed(10, [](Scene& scene) {
    StormOptions options = nothing_happens();
    options.silent_faults = 1;
    options.lost = options.doubled = options.reordered = 0.4;
    options.server_dies = options.server_dies_between_commit_and_send = options.disk_fails = 1;
    options.server_reboots = 0.5;
    run_storm(scene, options);
  });
}

TEST(RuleD8, other_content_under_a_known_batch_key_is_a_conflict_even_after_a_restart) {
  for_each_seed(3, [](Scene& scene) {
    const auto client = start_with_client(scene);
    NewJob job;
    job.handler = "work";
    job.payload = to_payload({.token = "first"});
    const auto first = client->ask(Enqueue{{job}, "key"});
    ASSERT_TRUE(std::holds_alternative<Enqueued>(*first));
    scene.server.kill();
    scene.server.start();
    scene.world.run_for(1 * second);
    EXPECT_EQ(std::get<Enqueued>(*client->ask(Enqueue{{job}, "key"})).ids, std::get<Enqueued>(*first).ids);
    job.payload = to_payload({.token = "second"});
    EXPECT_TRUE(is_error(client->ask(Enqueue{{job}, "key"}), ErrorCode::conflict));
    EXPECT_EQ(scene.checker.jobs().size(), 1U);
  });
}

// --- D9 ---

TEST(RuleD9, work_goes_on_by_itself_within_two_seconds_of_the_servers_start) {
  for_each_seed(20, [](Scene& scene) {
    scene.server.start();
    std::vector<Worker*> workers{&scene.add_worker(), &scene.add_worker()};
    Producer& producer = scene.add_producer();
    scene.world.run_for(1 * second);
    for (int times = 0; times < 4; ++times) {
      scene.world.run_for(scene.world.between(10 * millisecond, 4 * second));
      scene.server.kill();
      if (scene.world.chance(0.3)) {
        Worker& worker = *workers[static_cast<std::size_t>(scene.world.between(0, 1))];
        worker.kill();
        worker.restart_after(scene.world.between(10 * millisecond, 1 * second));
      }
      scene.world.run_for(scene.world.between(10 * millisecond, 8 * second));
      producer.enqueue_one({});
      scene.server.start();
      scene.world.run_for(1'200 * millisecond);  // the producer sends again once a second
      const std::size_t before = scene.checker.handed_out();
      producer.enqueue_one({});
      EXPECT_TRUE(
          scene.world.run_until([&] { return scene.checker.handed_out() > before; }, 800 * millisecond));
    }
    EXPECT_TRUE(scene.finish(30 * second));
    scene.check_end();
  });
}

TEST(RuleD9, work_goes_on_after_workers_were_cut_off_or_dropped) {
  for_each_seed(10, [](Scene& scene) {
    StormOptions options = nothing_happens();
    options.worker_is_cut = options.connection_drops = options.worker_dies = options.worker_stops = 1;
    options.mean_pause = 300 * millisecond;
    run_storm(scene, options);
  });
}

// --- D10 ---

TEST(RuleD10, a_jump_of_the_wall_clock_delays_nothing_and_hurries_nothing) {
  for_each_seed(10, [](Scene& scene) {
    scene.server.start();
    scene.add_worker();
    Producer& producer = scene.add_producer();
    scene.world.run_for(1 * second);
    NewJob delayed = producer.job({});
    delayed.delay_ms = 3'000;
    producer.enqueue({delayed, producer.job({.token = {}, .deed = Deed::fail, .times = 3})});
    scene.world.run_for(100 * millisecond);
    const std::int64_t direction = scene.world.chance(0.5) ? 1 : -1;
    scene.world.jump_wall(direction * scene.world.between(1, 3'600'000));
    scene.world.run_for(2'800 * millisecond);
    const JobRecord& job = scene.checker.jobs().at(*scene.checker.job_with("p1-1"));
    EXPECT_FALSE(job.final) << "a delay does not follow the wall clock";
    scene.world.run_for(400 * millisecond);
    EXPECT_EQ(job.final, JobState::completed);
    EXPECT_TRUE(scene.finish(5 * second)) << "nor do retries";
    EXPECT_EQ(scene.checker.count(RunEnd::lost) + scene.checker.count(RunEnd::undelivered), 0);
    scene.check_end();
  });
}

TEST(RuleD10, a_job_for_a_point_in_time_follows_the_wall_clock_and_runs_once) {
  for_each_seed(10, [](Scene& scene) {
    scene.server.start();
    scene.add_worker();
    Producer& producer = scene.add_producer();
    scene.world.run_for(1 * second);
    NewJob job = producer.job({});
    job.run_at_ms = scene.world.wall_now() + 3'600'000;
    producer.enqueue({job});
    scene.world.run_for(3 * second);
    const auto& record = scene.checker.jobs().at(*scene.checker.job_with("p1-1"));
    EXPECT_FALSE(record.final);
    scene.world.jump_wall(3'600'000);
    EXPECT_TRUE(scene.world.run_until([&] { return record.final.has_value(); }, 2 * second));
    scene.world.jump_wall(-7'200'000);
    scene.world.run_for(5 * second);
    scene.world.jump_wall(7'200'000);
    scene.world.run_for(5 * second);
    EXPECT_EQ(scene.checker.started_runs().size(), 1U);
    scene.check_end();
  });
}

}  // namespace
}  // namespace stint::sim
