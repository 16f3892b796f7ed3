// The turns of a node's loop, with a clock, ports and a disk that the test moves itself.
#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "nodes/runtime/node_loop.hpp"
#include "tests/support/memory_store.hpp"

namespace stint {
namespace {

using std::chrono::milliseconds;

class FakeClock : public Clock {
 public:
  Duration since_boot() override { return time; }
  WallMs wall_now() override { return 1'000'000 + to_ms(time); }
  Duration time = std::chrono::hours(1);
};

// Time passes only while the loop waits.
class FakeWaiter : public Waiter {
 public:
  explicit FakeWaiter(FakeClock& clock) : clock_(clock) {}
  int wait(std::optional<Instant> until) override {
    waited_until = until;
    if (until && asked_to_stop == 0) clock_.time = std::max(clock_.time, until->time_since_epoch());
    return std::exchange(asked_to_stop, 0);
  }
  std::optional<Instant> waited_until;
  int asked_to_stop = 0;

 private:
  FakeClock& clock_;
};

class FakeDoor : public Door {
 public:
  std::size_t receive(ActorSystem& actors, std::size_t most) override {
    std::size_t taken = 0;
    for (; taken < most && !requests.empty(); ++taken) {
      if (refusal) {
        refused.push_back(*refusal);
      } else {
        actors.post({{Place::door, ++last_id}, {Place::server, 0}, std::move(requests.front())});
      }
      requests.pop_front();
    }
    largest_group = std::max(largest_group, taken);
    return taken;
  }
  bool send(Envelope&& envelope) override {
    if (on_send) on_send();
    sent.push_back(std::move(envelope));
    return !clients_are_gone;
  }
  void refuse(std::optional<Error> error) override { refusal = std::move(error); }
  void answer_all(const Error& error) override { answered_all.push_back(error); }

  bool clients_are_gone = false;
  std::deque<Message> requests;
  std::uint64_t last_id = 0;
  std::size_t largest_group = 0;
  std::optional<Error> refusal;
  std::vector<Error> refused;
  std::vector<Error> answered_all;
  std::vector<Envelope> sent;
  std::function<void()> on_send;
};

// A storage actor with just enough of a life to change something and answer.
class KeepsJobs : public Handles<KeepsJobs, Started, Enqueue, GetJob, BatchDropped, LeaseTick> {
 public:
  explicit KeepsJobs(Store& store) : store_(store) {}
  void on(Started&&, Turn&) {}
  void on(Enqueue&& enqueue, Turn& turn) {
    if (work_takes) work_takes();
    Enqueued answer;
    for (const NewJob& job : enqueue.jobs) {
      JobRow row;
      row.id = ++last_job_;
      row.queue = job.queue;
      row.handler = job.handler;
      store_.insert_job(row, job.payload);
      answer.ids.push_back(row.id);
    }
    turn.reply(std::move(answer));
    if (tick_after) turn.after(*std::exchange(tick_after, std::nullopt), LeaseTick{});
  }
  // Its word to hand a job out, for want of asks.
  void on(GetJob&& get, Turn& turn) {
    Batch batch;
    batch.jobs.resize(1);
    batch.jobs[0].id = get.id;
    batch.jobs[0].run = 1;
    turn.reply(std::move(batch));
  }
  void on(BatchDropped&& told, Turn&) { dropped = std::move(told.runs); }
  void on(LeaseTick&&, Turn& turn) { ticked_at = turn.now(); }
  void committed(Instant now) override { committed_at.push_back(now); }
  // Like any storage actor it leaves something to commit.
  void rolled_back(Turn&) override {
    ++rollbacks;
    store_.put_header({});
  }

  std::vector<JobRun> dropped;
  std::optional<Duration> tick_after;
  std::optional<Instant> ticked_at;
  std::vector<Instant> committed_at;
  int rollbacks = 0;
  std::function<void()> work_takes;

 private:
  Store& store_;
  JobId last_job_ = 0;
};

class RecordsWorker : public Handles<RecordsWorker, Started, LinkUp, StopWork, RunEnded, RunProgress> {
 public:
  void on(Started&&, Turn&) {}
  void on(LinkUp&&, Turn&) { ++links_up; }
  void on(StopWork&&, Turn& turn) {
    ++stops;
    if (stops_at_once) turn.send({Place::runner, 0}, WorkerStopped{});
  }
  void on(RunEnded&&, Turn&) { ++runs_ended; }
  // Its word to start a job, for want of batches.
  void on(RunProgress&& progress, Turn& turn) {
    StartRun start;
    start.job.id = progress.run.id;
    start.job.run = progress.run.run;
    turn.send({Place::runner, 0}, std::move(start));
  }
  bool stops_at_once = true;
  int links_up = 0;
  int stops = 0;
  int runs_ended = 0;
};

class FakeRunner : public Runner {
 public:
  void start(StartRun&& start) override { started.push_back({start.job.id, start.job.run}); }
  void stop(const JobRun&) override { ++stops; }
  int fd() const override { return -1; }
  std::vector<Message> take() override { return std::exchange(said, {}); }
  std::vector<Message> said;
  std::vector<JobRun> started;
  int stops = 0;
};

class TurnLoop : public testing::Test {
 protected:
  static Message one_job() {
    Enqueue enqueue;
    enqueue.jobs.resize(1);
    enqueue.jobs[0].handler = "greet";
    return enqueue;
  }
  void host_worker() { actors.host(Place::worker, worker); }
  NodeLoop make_loop(bool with_runner = false) {
    return NodeLoop({.clock = node_clock,
                     .actors = actors,
                     .waiter = waiter,
                     .log = log,
                     .store = &store,
                     .door = &door,
                     .runner = with_runner ? &runner : nullptr});
  }

  FakeClock clock;
  NodeClock node_clock{clock};
  FakeWaiter waiter{clock};
  Log log{"off"};
  test::MemoryDisk disk;
  test::MemoryStore store{disk};
  ActorSystem actors{1};
  FakeDoor door;
  FakeRunner runner;
  KeepsJobs storage{store};
  RecordsWorker worker;

  TurnLoop() { actors.host(Place::storage, storage); }
};

TEST_F(TurnLoop, answers_only_after_the_commit_rule_D1) {
  NodeLoop loop = make_loop();
  std::int64_t commits_when_sent = -1;
  door.on_send = [&] { commits_when_sent = disk.commits; };
  door.requests.push_back(one_job());

  loop.turn();

  ASSERT_EQ(door.sent.size(), 1u);
  EXPECT_EQ(commits_when_sent, 1);
}

TEST_F(TurnLoop, does_not_wait_before_its_first_turn) {
  NodeLoop loop = make_loop();
  const Instant before = node_clock.now();

  loop.turn();
  ASSERT_TRUE(waiter.waited_until.has_value()) << "nothing from outside need ever come";
  EXPECT_LE(*waiter.waited_until, before);

  loop.turn();
  EXPECT_FALSE(waiter.waited_until.has_value());
}

TEST_F(TurnLoop, commits_all_messages_of_a_turn_together) {
  NodeLoop loop = make_loop();
  for (int i = 0; i < 5; ++i) door.requests.push_back(one_job());

  loop.turn();

  EXPECT_EQ(door.sent.size(), 5u);
  EXPECT_EQ(disk.commits, 1);
}

TEST_F(TurnLoop, does_not_commit_when_nothing_changed) {
  NodeLoop loop = make_loop();

  loop.turn();

  EXPECT_EQ(disk.commits, 0);
}

TEST_F(TurnLoop, stamps_with_the_clock_read_after_sending_rule_L1) {
  NodeLoop loop = make_loop();
  door.on_send = [&] { clock.time += milliseconds(7); };
  door.requests.push_back(one_job());
  const Instant before = node_clock.now();

  loop.turn();

  ASSERT_EQ(storage.committed_at.size(), 1u);
  EXPECT_EQ(storage.committed_at[0], before + milliseconds(7));
}

TEST_F(TurnLoop, tells_storage_at_once_which_batch_could_not_leave) {
  NodeLoop loop = make_loop();
  door.clients_are_gone = true;
  door.requests.push_back(GetJob{7});
  loop.turn();
  const Instant before = node_clock.now();
  loop.turn();
  EXPECT_EQ(storage.dropped, (std::vector<JobRun>{{7, 1}}));
  EXPECT_EQ(node_clock.now(), before);
}

TEST_F(TurnLoop, wakes_for_the_next_timer) {
  NodeLoop loop = make_loop();
  storage.tick_after = milliseconds(1234);
  door.requests.push_back(one_job());
  loop.turn();
  const Instant set_at = node_clock.now();

  loop.turn();

  EXPECT_EQ(storage.ticked_at, set_at + milliseconds(1234));
}

TEST_F(TurnLoop, takes_fewer_messages_a_turn_when_they_are_dear) {
  NodeLoop loop = make_loop();
  storage.work_takes = [&] { clock.time += milliseconds(2); };
  for (int i = 0; i < 500; ++i) door.requests.push_back(one_job());
  for (int i = 0; i < 10; ++i) loop.turn();
  door.largest_group = 0;

  loop.turn();

  EXPECT_LE(door.largest_group, FrameBudget::least);
}

TEST_F(TurnLoop, takes_more_messages_a_turn_when_they_are_cheap) {
  NodeLoop loop = make_loop();
  storage.work_takes = [&] { clock.time += Duration(4); };
  for (int i = 0; i < 20'000; ++i) door.requests.push_back(one_job());

  for (int i = 0; i < 40; ++i) loop.turn();

  EXPECT_GT(door.largest_group, 500u);
}

TEST_F(TurnLoop, sends_nothing_of_a_turn_whose_commit_failed_rule_D2) {
  NodeLoop loop = make_loop();
  store.fail_commits(1);
  door.requests.push_back(one_job());

  loop.turn();

  EXPECT_TRUE(door.sent.empty());
  EXPECT_EQ(storage.rollbacks, 1);
}

TEST_F(TurnLoop, answers_all_open_requests_when_a_commit_failed_rule_D2) {
  NodeLoop loop = make_loop();
  store.fail_commits(1);
  door.requests.push_back(one_job());

  loop.turn();

  ASSERT_EQ(door.answered_all.size(), 1u);
  EXPECT_EQ(door.answered_all[0].code, ErrorCode::storage_unavailable);
  EXPECT_TRUE(door.answered_all[0].retry_in_ms.has_value());
}

TEST_F(TurnLoop, refuses_requests_until_one_commit_has_succeeded_rule_D2) {
  NodeLoop loop = make_loop();
  store.fail_commits(3);
  door.requests.push_back(one_job());
  loop.turn();

  // Two more commits fail, the third succeeds.
  loop.turn();
  loop.turn();
  door.requests.push_back(one_job());
  EXPECT_TRUE(loop.storage_is_out());
  loop.turn();

  ASSERT_EQ(door.refused.size(), 1u);
  EXPECT_EQ(door.refused[0].code, ErrorCode::storage_unavailable);
  EXPECT_FALSE(loop.storage_is_out());
  EXPECT_FALSE(door.refusal.has_value());
}

TEST_F(TurnLoop, serves_again_after_an_outage) {
  NodeLoop loop = make_loop();
  store.fail_commits(1);
  door.requests.push_back(one_job());
  loop.turn();
  loop.turn();

  door.requests.push_back(one_job());
  loop.turn();

  EXPECT_EQ(door.sent.size(), 1u);
}

TEST_F(TurnLoop, waits_before_it_tries_the_storage_again) {
  NodeLoop loop = make_loop();
  store.fail_commits(2);
  door.requests.push_back(one_job());
  loop.turn();
  const Instant failed_at = node_clock.now();

  loop.turn();

  EXPECT_GE(node_clock.now(), failed_at + milliseconds(100));
}

TEST_F(TurnLoop, keeps_what_a_runner_said_while_the_storage_was_out) {
  host_worker();
  NodeLoop loop = make_loop(true);
  store.fail_commits(2);
  door.requests.push_back(one_job());
  loop.turn();
  runner.said.push_back(RunEnded{});
  loop.turn();
  EXPECT_EQ(worker.runs_ended, 0);

  loop.turn();
  loop.turn();

  EXPECT_EQ(worker.runs_ended, 1);
}

TEST_F(TurnLoop, starts_no_run_of_a_turn_whose_commit_failed_rule_D2) {
  host_worker();
  NodeLoop loop = make_loop(true);
  store.fail_commits(1);
  door.requests.push_back(one_job());
  runner.said.push_back(RunProgress{{5, 1}, 0});
  for (int i = 0; i < 3; ++i) loop.turn();

  EXPECT_TRUE(runner.started.empty());
}

TEST_F(TurnLoop, passes_runs_on_to_the_runner) {
  host_worker();
  NodeLoop loop = make_loop(true);
  runner.said.push_back(RunProgress{{5, 1}, 0});

  loop.turn();

  EXPECT_EQ(runner.started, (std::vector<JobRun>{{5, 1}}));
}

TEST_F(TurnLoop, tells_a_worker_of_its_own_node_that_its_server_is_there) {
  host_worker();
  NodeLoop loop = make_loop();

  loop.turn();

  EXPECT_EQ(worker.links_up, 1);
}

TEST_F(TurnLoop, tells_a_worker_of_its_own_node_to_repeat_itself_after_an_outage) {
  host_worker();
  NodeLoop loop = make_loop();
  store.fail_commits(1);
  door.requests.push_back(one_job());
  for (int i = 0; i < 3; ++i) loop.turn();

  EXPECT_EQ(worker.links_up, 2);
}

TEST_F(TurnLoop, answers_open_requests_when_the_node_is_asked_to_stop) {
  NodeLoop loop = make_loop();
  waiter.asked_to_stop = 1;

  EXPECT_FALSE(loop.turn());

  ASSERT_EQ(door.answered_all.size(), 1u);
  EXPECT_EQ(door.answered_all[0].code, ErrorCode::shutting_down);
  EXPECT_TRUE(door.answered_all[0].retry_in_ms.has_value());
}

TEST_F(TurnLoop, lets_its_worker_stop_first) {
  host_worker();
  NodeLoop loop = make_loop();
  loop.turn();
  waiter.asked_to_stop = 1;

  EXPECT_FALSE(loop.turn());

  EXPECT_EQ(worker.stops, 1);
}

TEST_F(TurnLoop, ends_at_once_when_it_is_asked_to_stop_a_third_time) {
  host_worker();
  worker.stops_at_once = false;
  NodeLoop loop = make_loop();
  for (int i = 0; i < 2; ++i) {
    waiter.asked_to_stop = 1;
    EXPECT_TRUE(loop.turn());
  }
  EXPECT_EQ(worker.stops, 2);

  waiter.asked_to_stop = 1;

  EXPECT_FALSE(loop.turn());
}

TEST_F(TurnLoop, ends_without_a_worker_that_does_not_stop) {
  host_worker();
  worker.stops_at_once = false;
  NodeLoop loop = make_loop();
  waiter.asked_to_stop = 1;
  loop.turn();
  const Instant asked_at = node_clock.now();

  EXPECT_FALSE(loop.turn());

  EXPECT_EQ(node_clock.now(), asked_at + std::chrono::seconds(30));
}

}  // namespace
}  // namespace stint
