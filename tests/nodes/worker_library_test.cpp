// A program's own worker against a server node, over a real socket.
#include <atomic>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include "nodes/runtime/node.hpp"
#include "nodes/runtime/run_node.hpp"
#include "nodes/worker.hpp"
#include "protocol/codec.hpp"
#include "tests/nodes/socket_client.hpp"

using namespace stint;
using namespace std::chrono_literals;

namespace {

// A server node on a thread, its file in a folder of its own.
class ServerNode {
 public:
  ServerNode() {
    folder_ = std::filesystem::temp_directory_path() / "stint-XXXXXX";
    std::string name = folder_.string();
    folder_ = mkdtemp(name.data());
    NodeConfig config;
    config.front_door = "ipc://" + (folder_ / "door").string();
    config.events.clear();
    config.database = (folder_ / "stint.db").string();
    auto node = Node::open(config, stop_, log_);
    if (!node) throw std::runtime_error(node.error().message);
    node_ = std::move(*node);
    thread_ = std::thread([this] { node_->run(); });
  }
  ~ServerNode() {
    stop_.stop();
    thread_.join();
    node_.reset();
    std::filesystem::remove_all(folder_);
  }
  std::string front_door() const { return "ipc://" + (folder_ / "door").string(); }

 private:
  std::filesystem::path folder_;
  Log log_{"off"};
  CallStop stop_;
  std::unique_ptr<Node> node_;
  std::thread thread_;
};

class Client {
 public:
  explicit Client(const ServerNode& server)
      : client_(context_, zmq::socket_type::dealer, server.front_door()) {}

  template <class T>
  T ask(const Request& request) {
    client_.send({"STINT1", std::string(wire_type(request)), "1", encode(request)});
    const auto frames = client_.receive(60s);
    if (!frames) throw std::runtime_error("no answer");
    auto answer = decode_answer(frames->at(1), frames->at(3), Bounds{});
    if (!answer) throw std::runtime_error(answer.error().message);
    return std::get<T>(std::move(*answer));
  }
  std::vector<JobId> enqueue(const std::string& handler, std::size_t count) {
    Enqueue request;
    for (std::size_t at = 0; at < count; ++at) {
      NewJob job;
      job.handler = handler;
      job.payload = {std::to_string(at), true};
      request.jobs.push_back(job);
    }
    return ask<Enqueued>(request).ids;
  }

 private:
  zmq::context_t context_{1};
  test::SocketClient client_;
};

WorkerSettings settings_for(const ServerNode& server) {
  WorkerSettings settings;
  settings.servers = {server.front_door()};
  settings.queues = {{"default", 4}};
  settings.stops_on_signals = false;
  settings.log_level = "off";
  return settings;
}

}  // namespace

TEST(WorkerLibrary, runs_each_job_once_and_its_result_arrives) {
  ServerNode server;
  Client client(server);
  const auto ids = client.enqueue("double", 50);
  auto settings = settings_for(server);
  settings.max_jobs = 50;
  Worker worker(settings);
  std::mutex mutex;
  std::multiset<JobId> ran;
  worker.handle("double", [&](const LeasedJob& job, RunContext&) {
    const std::scoped_lock lock(mutex);
    ran.insert(job.id);
    return HandlerResult::completed(job.payload.bytes + job.payload.bytes);
  });

  EXPECT_EQ(worker.run(), 0);

  EXPECT_EQ(ran, std::multiset<JobId>(ids.begin(), ids.end()));
  for (std::size_t at = 0; at < ids.size(); ++at) {
    const auto details = client.ask<JobDetails>(GetJob{ids[at]});
    EXPECT_EQ(details.job.state, JobState::completed);
    ASSERT_EQ(details.runs.size(), 1u);
    EXPECT_EQ(details.runs[0].result->bytes, std::to_string(at) + std::to_string(at));
  }
}

TEST(WorkerLibrary, finishes_what_runs_when_it_is_stopped) {
  ServerNode server;
  Client client(server);
  const auto ids = client.enqueue("slow", 1);
  Worker worker(settings_for(server));
  worker.handle("slow", [&](const LeasedJob&, RunContext&) {
    worker.stop();
    std::this_thread::sleep_for(50ms);
    return HandlerResult::completed("finished");
  });

  EXPECT_EQ(worker.run(), 0);

  EXPECT_EQ(client.ask<JobDetails>(GetJob{ids[0]}).job.state, JobState::completed);
}

TEST(WorkerLibrary, ends_a_function_at_its_timeout) {
  ServerNode server;
  Client client(server);
  const auto ids = client.enqueue("endless", 1);
  auto settings = settings_for(server);
  settings.max_jobs = 1;
  Worker worker(settings);
  worker.handle(
      "endless",
      [](const LeasedJob&, RunContext& run) {
        while (!run.stop_requested()) std::this_thread::sleep_for(1ms);
        return HandlerResult::failed("gave up");
      },
      50);

  EXPECT_EQ(worker.run(), 0);

  const auto details = client.ask<JobDetails>(GetJob{ids[0]});
  ASSERT_EQ(details.runs.size(), 1u);
  EXPECT_EQ(details.runs[0].error->type, "timeout");
}

TEST(WorkerLibrary, shares_its_threads_among_queues_when_it_is_weighted) {
  ServerNode server;
  Client client(server);
  client.enqueue("task", 30);
  auto settings = settings_for(server);
  settings.queues.clear();
  settings.workers = 3;
  settings.shares = {{"default", {.min = 1, .weight = 2}}, {"other", {}}};
  settings.max_jobs = 30;
  Worker worker(settings);
  std::atomic<int> ran = 0;
  worker.handle("task", [&](const LeasedJob&, RunContext&) {
    ++ran;
    return HandlerResult::completed();
  });

  EXPECT_EQ(worker.run(), 0);

  EXPECT_EQ(ran, 30);
}

TEST(WorkerLibrary, declares_the_limit_of_a_handler) {
  ServerNode server;
  Client client(server);
  client.enqueue("task", 1);
  auto settings = settings_for(server);
  settings.max_jobs = 1;
  Worker worker(settings);
  worker.handle(
      "task", [](const LeasedJob&, RunContext&) { return HandlerResult::completed(); }, {},
      at_most(60, 60'000, CountPolicy::started));

  EXPECT_EQ(worker.run(), 0);

  const auto state = client.ask<LimitState>(GetLimit{LimitScope::handler, "task"});
  EXPECT_EQ(state.limit, at_most(60, 60'000, CountPolicy::started));
  EXPECT_EQ(state.source, LimitSource::declared);
}

TEST(WorkerLibrary, pauses_a_handler_when_one_of_its_runs_says_so) {
  ServerNode server;
  Client client(server);
  const auto ids = client.enqueue("task", 1);
  auto settings = settings_for(server);
  settings.max_jobs = 1;
  Worker worker(settings);
  worker.handle("task", [](const LeasedJob&, RunContext&) {
    return HandlerResult::snoozed(1).and_pause(LimitScope::handler, 600'000);
  });

  EXPECT_EQ(worker.run(), 0);

  EXPECT_TRUE(client.ask<LimitState>(GetLimit{LimitScope::handler, "task"}).paused);
  EXPECT_EQ(client.ask<JobDetails>(GetJob{ids[0]}).job.attempts, 0);
}

TEST(WorkerLibrary, refuses_settings_that_cannot_work) {
  const auto run = [](const std::function<void(WorkerSettings&)>& change, std::optional<Limit> limit = {}) {
    WorkerSettings settings;
    settings.servers = {"tcp://127.0.0.1:1"};
    settings.stops_on_signals = false;
    settings.log_level = "off";
    change(settings);
    Worker worker(settings);
    worker.handle(
        "task", [](const LeasedJob&, RunContext&) { return HandlerResult::completed(); }, {}, limit);
    return worker.run();
  };
  const std::map<std::string, QueueShare> shares{{"default", {}}};

  EXPECT_EQ(run([](auto&) {}), 78);
  EXPECT_EQ(run([](auto& settings) { settings.queues = {{"default", 0}}; }), 78);
  EXPECT_EQ(run([&](auto& settings) { settings.shares = shares; }), 78);
  EXPECT_EQ(run([](auto& settings) { settings.workers = 4; }), 78);
  EXPECT_EQ(run([&](auto& settings) { settings.workers = 0, settings.shares = shares; }), 78);
  EXPECT_EQ(run([&](auto& settings) {
              settings.workers = 4;
              settings.shares = shares;
              settings.queues = {{"default", 1}};
            }),
            78);
  EXPECT_EQ(run([](auto& settings) {
              settings.workers = 4;
              settings.shares = {{"a", {.min = 3}}, {"b", {.min = 2}}};
            }),
            78);
  EXPECT_EQ(run([](auto& settings) {
              settings.workers = 4;
              settings.shares = {{"a", {.weight = 0}}};
            }),
            78);
  EXPECT_EQ(run([](auto& settings) { settings.queues = {{"default", 1}}; }, at_most(0, 1000)), 78);
}
