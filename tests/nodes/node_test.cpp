// Whole nodes: real sockets, real files, real actors; each in a thread of the test.
#include "nodes/runtime/node.hpp"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>

#include "nodes/runtime/node_loop.hpp"
#include "protocol/codec.hpp"
#include "tests/nodes/socket_client.hpp"
#include "tests/support/memory_store.hpp"

namespace stint {
namespace {

using std::chrono::seconds;
using test::Frames;
using test::SocketClient;

// A folder of its own for each test.
class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "stint-node-XXXXXX").string();
    path_ = mkdtemp(path.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Asks and waits; the server turns in another thread.
class Asker {
 public:
  Asker(zmq::context_t& context, const std::string& endpoint)
      : client_(context, zmq::socket_type::dealer, endpoint) {}

  Answer ask(const Request& request) {
    client_.send({"STINT1", std::string(wire_type(request)), "c", encode(request)});
    const auto frames = client_.receive(seconds(20));
    if (!frames) return Error{ErrorCode::internal, "no answer came"};
    auto answer = decode_answer(frames->at(1), frames->at(3), Bounds{});
    if (!answer)
      return Error{ErrorCode::internal, "an answer that cannot be read: " + answer.error().message};
    return *answer;
  }
  template <class Kind>
  Kind ask_for(const Request& request) {
    const Answer answer = ask(request);
    if (const auto* error = std::get_if<Error>(&answer)) ADD_FAILURE() << error->message;
    const auto* kind = std::get_if<Kind>(&answer);
    EXPECT_NE(kind, nullptr) << "it answered " << wire_type(answer);
    return kind ? *kind : Kind{};
  }

 private:
  SocketClient client_;
};

Enqueue jobs_of(const std::string& handler, std::size_t count) {
  Enqueue enqueue;
  enqueue.jobs.resize(count);
  for (NewJob& job : enqueue.jobs) job.handler = handler;
  return enqueue;
}

// A node that runs until it is let go of.
class RunningNode {
 public:
  explicit RunningNode(const NodeConfig& config) {
    auto opened = Node::open(config, stop_, log_);
    if (!opened) {
      ADD_FAILURE() << opened.error().message;
      return;
    }
    node_ = std::move(*opened);
    thread_ = std::thread([this] { node_->run(); });
  }
  ~RunningNode() { stop(); }
  RunningNode(const RunningNode&) = delete;
  RunningNode& operator=(const RunningNode&) = delete;

  void stop() {
    if (!thread_.joinable()) return;
    stop_.stop();
    thread_.join();
    node_.reset();
  }
  std::string endpoint() const { return node_->front_door(); }

 private:
  Log log_{"off"};
  CallStop stop_;
  std::unique_ptr<Node> node_;
  std::thread thread_;
};

class NodeTest : public testing::Test {
 protected:
  NodeConfig server_config() const {
    NodeConfig config;
    config.front_door = "tcp://127.0.0.1:*";
    config.events.clear();
    config.database = folder_.file("stint.db");
    return config;
  }
  NodeConfig worker_config(const std::string& server) const {
    NodeConfig config;
    config.roles = {.storage = false, .limiter = false, .worker = true};
    config.front_door.clear();
    config.worker.servers = {server};
    config.worker.queues["default"] = 2;
    config.worker.handlers["echo"].command = {"cat"};
    return config;
  }
  Failure failure_of(const NodeConfig& config) {
    auto opened = Node::open(config, stop_, log_);
    if (!opened) return opened.error();
    ADD_FAILURE() << "the node has opened";
    return {};
  }

  Folder folder_;
  zmq::context_t context_{1};
  CallStop stop_;
  Log log_{"off"};
};

// Asks until the job has ended, or for some seconds.
JobDetails wait_for_end(Asker& asker, JobId id) {
  for (int i = 0; i < 1000; ++i) {
    auto details = asker.ask_for<JobDetails>(GetJob{id});
    if (details.job.state == JobState::completed || details.job.state == JobState::dead) return details;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "job " << id << " did not end";
  return {};
}

TEST_F(NodeTest, takes_jobs_and_answers_with_their_ids) {
  RunningNode node(server_config());
  Asker client(context_, node.endpoint());

  EXPECT_EQ(client.ask_for<Enqueued>(jobs_of("echo", 3)).ids, (std::vector<JobId>{1, 2, 3}));
}

TEST_F(NodeTest, has_its_jobs_run_by_a_worker_node) {
  RunningNode server(server_config());
  RunningNode worker(worker_config(server.endpoint()));
  Asker client(context_, server.endpoint());
  Enqueue enqueue = jobs_of("echo", 1);
  enqueue.jobs[0].payload = {"hello", true};

  const auto ids = client.ask_for<Enqueued>(enqueue).ids;
  ASSERT_EQ(ids.size(), 1u);
  const JobDetails details = wait_for_end(client, ids[0]);

  EXPECT_EQ(details.job.state, JobState::completed);
  ASSERT_EQ(details.runs.size(), 1u);
  ASSERT_TRUE(details.runs[0].result.has_value());
  EXPECT_EQ(details.runs[0].result->bytes, "hello");
}

TEST_F(NodeTest, may_be_server_and_worker_at_once) {
  NodeConfig config = server_config();
  config.roles.worker = true;
  config.worker = worker_config("").worker;
  config.worker.servers.clear();
  RunningNode node(config);
  Asker client(context_, node.endpoint());

  const auto ids = client.ask_for<Enqueued>(jobs_of("echo", 1)).ids;
  ASSERT_EQ(ids.size(), 1u);

  EXPECT_EQ(wait_for_end(client, ids[0]).job.state, JobState::completed);
}

TEST_F(NodeTest, keeps_its_jobs_over_a_restart_and_counts_its_starts) {
  NodeConfig config = server_config();
  {
    RunningNode node(config);
    Asker client(context_, node.endpoint());
    client.ask_for<Enqueued>(jobs_of("echo", 5));
    EXPECT_EQ(client.ask_for<Pong>(Ping{}).epoch, 1);
  }

  RunningNode node(config);
  Asker client(context_, node.endpoint());

  EXPECT_EQ(client.ask_for<Stats>(GetStats{}).waiting, 5);
  EXPECT_EQ(client.ask_for<Pong>(Ping{}).epoch, 2);
}

TEST_F(NodeTest, serves_its_worker_again_after_a_restart_rule_D9) {
  NodeConfig config = server_config();
  auto server = std::make_unique<RunningNode>(config);
  config.front_door = server->endpoint();
  RunningNode worker(worker_config(config.front_door));
  {
    Asker client(context_, config.front_door);
    wait_for_end(client, client.ask_for<Enqueued>(jobs_of("echo", 1)).ids.at(0));
  }

  server.reset();
  server = std::make_unique<RunningNode>(config);

  Asker client(context_, config.front_door);
  const JobId id = client.ask_for<Enqueued>(jobs_of("echo", 1)).ids.at(0);
  EXPECT_EQ(wait_for_end(client, id).job.state, JobState::completed);
}

TEST_F(NodeTest, answers_parked_asks_when_it_stops) {
  RunningNode node(server_config());
  Asker client(context_, node.endpoint());
  Hello hello;
  hello.worker = "w";
  hello.session = SessionId{};
  hello.handlers["echo"] = {};
  hello.queues = {"default"};
  client.ask_for<Welcome>(hello);
  RequestBatch ask;
  ask.ask = 1;
  ask.queues["default"] = 1;
  ask.wait_ms = 60'000;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    node.stop();
  });

  const Answer answer = client.ask(ask);
  stopper.join();

  ASSERT_TRUE(std::holds_alternative<Error>(answer));
  EXPECT_EQ(std::get<Error>(answer).code, ErrorCode::shutting_down);
}

TEST_F(NodeTest, does_not_open_a_database_that_another_node_uses) {
  RunningNode node(server_config());

  const Failure failure = failure_of(server_config());

  EXPECT_EQ(failure.status, ExitStatus::cannot_create);
  EXPECT_NE(failure.message.find("stint.db"), std::string::npos);
}

TEST_F(NodeTest, does_not_open_a_file_that_is_none_of_stint) {
  NodeConfig config = server_config();
  FILE* file = std::fopen(config.database.c_str(), "w");
  std::fputs("This is a letter to somebody, and of some length at that, so that it is no empty database.",
             file);
  std::fclose(file);

  EXPECT_EQ(failure_of(config).status, ExitStatus::config);
}

TEST_F(NodeTest, does_not_start_in_a_folder_that_is_not_there) {
  NodeConfig config = server_config();
  config.database = folder_.file("nowhere/stint.db");

  EXPECT_EQ(failure_of(config).status, ExitStatus::cannot_create);
}

TEST_F(NodeTest, needs_a_server_to_work_for) {
  NodeConfig config = worker_config("");
  config.worker.servers.clear();

  EXPECT_EQ(failure_of(config).status, ExitStatus::config);
}

TEST_F(NodeTest, has_storage_and_limiter_together) {
  NodeConfig config = server_config();
  config.roles.limiter = false;

  EXPECT_EQ(failure_of(config).status, ExitStatus::config);
}

// The parts of a server on a disk that fails when the test says so.
class OutageTest : public testing::Test {
 protected:
  OutageTest() {
    auto door =
        FrontDoor::open(context_, {.endpoint = "tcp://127.0.0.1:*", .bounds = {}, .server = "server"});
    EXPECT_TRUE(door.ok());
    door_ = std::move(*door);
    StorageStart start;
    start.now = clock_.now();
    start.wall_now = clock_.wall_now();
    EXPECT_TRUE(storage_.load(start).ok());
    actors_.host(Place::storage, storage_);
    actors_.host(Place::limiter, limiter_);
    waiter_.watch([this] { return door_->socket(); });
    loop_.emplace(LoopParts{.clock = clock_,
                            .actors = actors_,
                            .waiter = waiter_,
                            .log = log_,
                            .store = &store_,
                            .door = door_.get()});
    client_.emplace(context_, zmq::socket_type::dealer, door_->endpoint());
  }

  void send(const Request& request) {
    client_->send({"STINT1", std::string(wire_type(request)), "c", encode(request)});
  }
  Answer receive() {
    std::optional<Frames> frames;
    // An answer that has left needs a moment to arrive, and a turn without work waits.
    for (int i = 0; i < 10'000 && !(frames = client_->receive(std::chrono::milliseconds(20))); ++i)
      loop_->turn();
    if (!frames) return Error{ErrorCode::internal, "no answer came"};
    return *decode_answer(frames->at(1), frames->at(3), Bounds{});
  }
  Answer ask(const Request& request) {
    send(request);
    return receive();
  }

  zmq::context_t context_{1};
  SystemClock system_clock_;
  NodeClock clock_{system_clock_};
  CallStop stop_;
  Log log_{"off"};
  PollWaiter waiter_{clock_, stop_};
  test::MemoryDisk disk_;
  test::MemoryStore store_{disk_};
  StorageActor storage_{store_, {}};
  LimiterActor limiter_;
  ActorSystem actors_{1};
  std::unique_ptr<FrontDoor> door_;
  std::optional<NodeLoop> loop_;
  std::optional<SocketClient> client_;
};

TEST_F(OutageTest, a_failed_commit_is_told_and_stores_nothing_rule_D2) {
  ASSERT_TRUE(std::holds_alternative<Enqueued>(ask(jobs_of("echo", 1))));
  store_.fail_commits(1);

  const Answer answer = ask(jobs_of("echo", 1));

  ASSERT_TRUE(std::holds_alternative<Error>(answer));
  EXPECT_EQ(std::get<Error>(answer).code, ErrorCode::storage_unavailable);
  EXPECT_TRUE(std::get<Error>(answer).retry_in_ms.has_value());
  EXPECT_EQ(disk_.jobs.size(), 1u);
}

TEST_F(OutageTest, serves_again_when_commits_succeed_rule_D2) {
  store_.fail_commits(3);
  Answer answer;
  int refusals = 0;
  for (answer = ask(jobs_of("echo", 1)); std::holds_alternative<Error>(answer) && refusals < 10'000;
       ++refusals) {
    EXPECT_EQ(std::get<Error>(answer).code, ErrorCode::storage_unavailable);
    answer = ask(jobs_of("echo", 1));
  }

  EXPECT_GT(refusals, 0);
  EXPECT_TRUE(std::holds_alternative<Enqueued>(answer));
  EXPECT_EQ(disk_.jobs.size(), 1u);
}

TEST_F(OutageTest, a_ping_says_not_ready_meanwhile) {
  store_.fail_commits(1'000);
  ask(jobs_of("echo", 1));

  const Answer answer = ask(Ping{});

  ASSERT_TRUE(std::holds_alternative<Pong>(answer));
  EXPECT_FALSE(std::get<Pong>(answer).ready);
}

TEST_F(OutageTest, a_parked_ask_is_answered_and_may_be_repeated_rule_D2) {
  Hello hello;
  hello.worker = "w";
  hello.session = SessionId{};
  hello.handlers["echo"] = {};
  hello.queues = {"default"};
  ASSERT_TRUE(std::holds_alternative<Welcome>(ask(hello)));
  RequestBatch parked;
  parked.ask = 1;
  parked.queues["default"] = 1;
  parked.wait_ms = 60'000;
  send(parked);
  store_.fail_commits(1);
  send(jobs_of("echo", 1));
  for (int i = 0; i < 2; ++i) {
    const Answer refused = receive();
    ASSERT_TRUE(std::holds_alternative<Error>(refused));
    EXPECT_EQ(std::get<Error>(refused).code, ErrorCode::storage_unavailable);
  }
  while (std::holds_alternative<Error>(ask(jobs_of("echo", 1)))) {
  }

  const Answer answer = ask(parked);

  ASSERT_TRUE(std::holds_alternative<Batch>(answer));
  EXPECT_EQ(std::get<Batch>(answer).jobs.size(), 1u);
}

}  // namespace
}  // namespace stint
