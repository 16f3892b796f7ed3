// lives_bench: how many whole job lives a second one server thread carries, from a client's socket through a
// worker's and back, every commit synced. One client thread enqueues, one worker thread asks and finishes,
// each with so many messages on the way. Prints a line of JSON; to be compared with a loop that does nothing
// but move the bytes.
//
// lives_bench JOBS BATCH PAYLOAD_BYTES OUTSTANDING DB_FILE [LIMITS]      a node in this process
// lives_bench JOBS BATCH PAYLOAD_BYTES OUTSTANDING tcp://HOST:PORT [LIMITS]  a node that runs already
//
// LIMITS: `none`; `unbinding`: the queue and the handler have limits that let everything through; `behind`:
// 50,000 jobs of a limited handler and a better priority stand in front of the others in the queue.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <pthread.h>
#include <set>
#include <string>
#include <thread>
#include <zmq.hpp>

#include "nodes/runtime/multipart.hpp"
#include "nodes/runtime/node.hpp"
#include "protocol/codec.hpp"
#include "protocol/frames.hpp"

namespace stint {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct Plan {
  std::int64_t jobs = 0;
  std::int64_t batch = 0;
  std::int64_t payload = 0;
  std::int64_t outstanding = 0;
  std::string target;
  std::string limits = "none";
};

constexpr std::int64_t limited_in_front = 50'000;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "lives_bench: %s\n", why.c_str());
  std::exit(1);
}

// For who profiles this.
void name_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

// A socket that blocks: this side has nothing else to do.
class Connection {
 public:
  Connection(zmq::context_t& context, const std::string& endpoint)
      : socket_(context, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::sndhwm, 0);
    socket_.set(zmq::sockopt::rcvhwm, 0);
    socket_.set(zmq::sockopt::linger, 0);
    socket_.connect(endpoint);
  }
  void send(std::string_view type, const std::string& body) {
    socket_.send(zmq::buffer(wire_magic), zmq::send_flags::sndmore);
    socket_.send(zmq::buffer(type), zmq::send_flags::sndmore);
    socket_.send(zmq::message_t(), zmq::send_flags::sndmore);
    socket_.send(zmq::buffer(body));
  }
  void send(const Request& request) { send(wire_type(request), encode(request)); }

  ParsedFrames receive() {
    zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
    if (zmq::poll(&item, 1, std::chrono::seconds(30)) == 0) give_up("no answer for 30 seconds");
    message_.receive(socket_);
    const auto parsed = parse_frames(message_.frames());
    if (!parsed) give_up("the answer has no frames");
    return *parsed;
  }
  Answer receive_answer() {
    const ParsedFrames frames = receive();
    auto answer = decode_answer(frames.type, frames.body, Bounds{});
    if (!answer) give_up("an answer cannot be read: " + answer.error().message);
    return std::move(*answer);
  }

 private:
  zmq::socket_t socket_;
  Multipart message_;
};

void enqueue_all(zmq::context_t& context, const std::string& endpoint, const Plan& plan) {
  Connection server(context, endpoint);
  Enqueue enqueue;
  enqueue.jobs.resize(static_cast<std::size_t>(plan.batch));
  for (NewJob& job : enqueue.jobs) {
    job.handler = "handler";
    job.payload.bytes.assign(static_cast<std::size_t>(plan.payload), 'x');
  }
  const std::string body = encode(Request(enqueue));
  std::int64_t open = 0;
  const auto take_answer = [&] {
    if (server.receive().type != "enqueued") give_up("an enqueue was refused");
    --open;
  };
  for (std::int64_t sent = 0; sent < plan.jobs; sent += plan.batch) {
    server.send("enqueue", body);
    if (++open == plan.outstanding) take_answer();
  }
  while (open > 0) take_answer();
}

void ask(Connection& server, const Request& request) {
  server.send(request);
  const Answer answer = server.receive_answer();
  if (const auto* error = std::get_if<Error>(&answer)) give_up("refused: " + error->message);
}

SetLimit limit_of(LimitScope scope, const std::string& name, const Limit& limit) {
  return {.scope = scope, .name = name, .limit = limit, .as = SetAs::operated, .if_version = {}};
}

void prepare(zmq::context_t& context, const std::string& endpoint, const Plan& plan) {
  Connection server(context, endpoint);
  if (plan.limits == "unbinding") {
    Limit rate;
    rate.rate = Limit::most_rate;
    rate.burst = Limit::most_starts;
    ask(server, limit_of(LimitScope::queue, "default", rate));
    Limit window;
    window.max = Limit::most_starts;
    window.window_ms = 1'000;
    ask(server, limit_of(LimitScope::handler, "handler", window));
  } else if (plan.limits == "behind") {
    Limit one_an_hour;
    one_an_hour.max = 1;
    one_an_hour.window_ms = 3'600'000;
    ask(server, limit_of(LimitScope::handler, "limited", one_an_hour));
    Enqueue enqueue;
    enqueue.jobs.resize(1'000);
    for (NewJob& job : enqueue.jobs) {
      job.handler = "limited";
      job.priority = 0;
    }
    for (std::int64_t sent = 0; sent < limited_in_front; sent += std::ssize(enqueue.jobs))
      ask(server, enqueue);
  }
}

class Worker {
 public:
  Worker(zmq::context_t& context, const std::string& endpoint, const Plan& plan)
      : server_(context, endpoint), plan_(plan) {
    session_.bytes.fill(static_cast<unsigned char>(std::rand()));
  }

  void run() {
    Hello hello;
    hello.worker = "lives-bench";
    hello.session = session_;
    hello.handlers["handler"] = {};
    if (plan_.limits == "behind") hello.handlers["limited"] = {};
    hello.queues = {"default"};
    server_.send(hello);
    if (!std::holds_alternative<Welcome>(server_.receive_answer())) give_up("no welcome");
    for (std::int64_t i = 0; i < std::min<std::int64_t>(plan_.outstanding, Bounds::open_asks); ++i) ask();
    while (done_ < plan_.jobs || acknowledged_ < done_) {
      Answer answer = server_.receive_answer();
      if (const auto* batch = std::get_if<Batch>(&answer)) {
        finish(*batch);
      } else if (const auto* finished = std::get_if<Finished>(&answer)) {
        if (!finished->stale.empty() || !finished->rejected.empty()) give_up("a report was refused");
        acknowledged_ += static_cast<std::int64_t>(finished->accepted.size());
      } else if (const auto* error = std::get_if<Error>(&answer)) {
        give_up("refused: " + error->message);
      }
    }
    server_.send(Goodbye{session_});
    while (!std::holds_alternative<Farewell>(server_.receive_answer())) {
    }
  }

 private:
  void ask() {
    RequestBatch request;
    request.session = session_;
    request.ask = ++asks_;
    request.queues["default"] = plan_.batch;
    request.got = got_;
    request.wait_ms = 30'000;
    server_.send(request);
  }
  void finish(const Batch& batch) {
    answered_.insert(batch.ask);
    while (answered_.erase(got_ + 1) != 0) ++got_;
    if (!batch.jobs.empty()) {
      Finish report;
      report.session = session_;
      report.got = got_;
      report.results.reserve(batch.jobs.size());
      for (const LeasedJob& job : batch.jobs) {
        RunResult& result = report.results.emplace_back();
        result.id = job.id;
        result.run = job.run;
      }
      server_.send(report);
      done_ += static_cast<std::int64_t>(batch.jobs.size());
    }
    if (done_ < plan_.jobs) ask();
  }

  Connection server_;
  const Plan& plan_;
  SessionId session_;
  std::int64_t asks_ = 0;
  std::int64_t got_ = 0;
  std::int64_t done_ = 0;
  std::int64_t acknowledged_ = 0;
  std::set<std::int64_t> answered_;  // above got_
};

// Seconds.
double measure(const std::string& endpoint, const Plan& plan) {
  zmq::context_t context{1};
  prepare(context, endpoint, plan);
  const auto start = SteadyClock::now();
  std::thread worker([&] {
    name_thread("worker");
    Worker(context, endpoint, plan).run();
  });
  enqueue_all(context, endpoint, plan);
  worker.join();
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// `server_us`: of the server thread's own time a life, where it is known; unlike the rate it hardly depends
// on what else the machine does.
void print(const Plan& plan, double seconds, std::optional<double> server_us) {
  std::printf(
      "{\"bench\":\"lives\",\"jobs\":%lld,\"batch\":%lld,\"payload\":%lld,\"outstanding\":%lld,"
      "\"limits\":\"%s\",\"lives_per_s\":%.0f",
      static_cast<long long>(plan.jobs), static_cast<long long>(plan.batch),
      static_cast<long long>(plan.payload), static_cast<long long>(plan.outstanding), plan.limits.c_str(),
      static_cast<double>(plan.jobs) / seconds);
  if (server_us) std::printf(",\"server_us\":%.2f", *server_us);
  std::printf("}\n");
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void measure_own_node(const Plan& plan) {
  for (const char* suffix : {"", "-wal"}) std::filesystem::remove(plan.target + suffix);
  NodeConfig config;
  config.front_door = "tcp://127.0.0.1:*";
  config.events.clear();
  config.database = plan.target;
  CallStop stop;
  Log log("warning");
  auto node = Node::open(config, stop, log);
  if (!node) give_up(node.error().message);
  const std::string endpoint = (*node)->front_door();
  double server_seconds = 0;
  std::thread server([&] {
    name_thread("server");
    (*node)->run();
    server_seconds = thread_seconds();
  });
  const double seconds = measure(endpoint, plan);
  stop.stop();
  server.join();
  print(plan, seconds, server_seconds * 1e6 / static_cast<double>(plan.jobs));
}

}  // namespace
}  // namespace stint

int main(int argc, char** argv) {
  if (argc != 6 && argc != 7) {
    std::fprintf(stderr,
                 "usage: lives_bench JOBS BATCH PAYLOAD_BYTES OUTSTANDING DB_FILE|ENDPOINT "
                 "[none|unbinding|behind]\n");
    return 64;
  }
  const stint::Plan plan{
      std::atoll(argv[1]),         std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]), argv[5],
      argc == 7 ? argv[6] : "none"};
  if (plan.jobs < 1 || plan.batch < 1 || plan.jobs % plan.batch != 0 || plan.payload < 0 ||
      plan.outstanding < 1 ||
      (plan.limits != "none" && plan.limits != "unbinding" && plan.limits != "behind")) {
    std::fprintf(
        stderr, "lives_bench: JOBS must be a multiple of BATCH, all of them above 0, LIMITS as said above\n");
    return 64;
  }
  if (plan.target.find("://") != std::string::npos) {
    stint::print(plan, stint::measure(plan.target, plan), std::nullopt);
  } else {
    stint::measure_own_node(plan);
  }
}
