// Nodes of a cluster as tests need them: real doors, real links over loopback, real loops, turned one after
// the other in one thread; the actors are the test's.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "nodes/config/cluster.hpp"
#include "nodes/links/link_port.hpp"
#include "nodes/runtime/front_door.hpp"
#include "nodes/runtime/node_loop.hpp"
#include "protocol/codec.hpp"
#include "tests/nodes/socket_client.hpp"

namespace stint::test {

// The machine's time, and what the test adds to it.
class TestClock final : public Clock {
 public:
  Duration since_boot() override { return system_.since_boot() + ahead; }
  WallMs wall_now() override { return system_.wall_now(); }
  Duration ahead{};

 private:
  SystemClock system_;
};

class NoWait final : public Waiter {
 public:
  int wait(std::optional<Instant>) override { return 0; }
};

// An endpoint where nobody listens, below the ports that the system gives to connections.
inline std::string free_endpoint() {
  static std::mt19937 random{std::random_device{}()};
  for (;;) {
    zmq::context_t context{1};
    zmq::socket_t probe(context, zmq::socket_type::router);
    const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(20'000 + random() % 12'000);
    if (zmq_bind(probe.handle(), endpoint.c_str()) == 0) return endpoint;
  }
}

class ClusterEnd {
 public:
  struct Setup {
    ClusterConfig cluster;
    NodeNumber number = 0;
    std::string name;
    std::uint64_t start = 0;
    std::optional<std::uint64_t> hash;  // nothing: that of the cluster
    Store* store = nullptr;
  };

  ClusterEnd(Setup setup, std::function<void(ActorSystem&)> host)
      : clock(test_clock), map(setup.cluster), actors(setup.number, map.routes_of(setup.number)) {
    auto opened = LinkPort::open(context,
                                 {.cluster = map,
                                  .self = setup.number,
                                  .name = setup.name,
                                  .cluster_hash = setup.hash.value_or(cluster_hash(setup.cluster)),
                                  .start = setup.start,
                                  .bounds = {}},
                                 clock, log);
    EXPECT_TRUE(opened.ok());
    links = std::move(*opened);
    auto bound = FrontDoor::open(context, {.endpoint = map.find(setup.number)->endpoint,
                                           .bounds = {},
                                           .server = setup.name,
                                           .peers = links.get()});
    EXPECT_TRUE(bound.ok()) << bound.error().message;
    door = std::move(*bound);
    host(actors);
    loop.emplace(LoopParts{.clock = clock,
                           .actors = actors,
                           .waiter = waiter,
                           .log = log,
                           .store = setup.store,
                           .door = door.get(),
                           .peers = links.get(),
                           .storage_node = ClusterMap::storage});
  }

  // Of its own, as a process has: its endpoint is free again when it is gone.
  zmq::context_t context{1};
  TestClock test_clock;
  NodeClock clock;
  NoWait waiter;
  Log log{"off"};
  ClusterMap map;
  ActorSystem actors;
  std::unique_ptr<LinkPort> links;
  std::unique_ptr<FrontDoor> door;
  std::optional<NodeLoop> loop;
};

// A client that asks without waiting.
class PatientClient {
 public:
  PatientClient(zmq::context_t& context, const std::string& endpoint)
      : client_(context, zmq::socket_type::dealer, endpoint) {}

  void send(const Request& request, const std::string& correlation = "c") {
    client_.send({"STINT1", std::string(wire_type(request)), correlation, encode(request)});
  }
  void send(const Frames& whole) { client_.send(whole); }
  // Nothing: no answer is there.
  std::optional<Answer> take() {
    frames = client_.receive();
    if (!frames) return std::nullopt;
    auto answer = decode_answer(frames->at(1), frames->at(3), Bounds{});
    if (answer) return std::move(*answer);
    return Error{ErrorCode::internal, "an answer that cannot be read: " + frames->at(1)};
  }
  // Of the last answer.
  std::optional<Frames> frames;

 private:
  SocketClient client_;
};

}  // namespace stint::test
