// Network: connections between one server and the processes that talk to it, with everything that goes wrong
// on the way. Like ZeroMQ's: a connection comes back by itself under a new number, and answers to an old one
// are lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tests/sim/world/world.hpp"

namespace stint::sim {

// The frames of one request or answer.
struct Frames {
  std::string type;
  std::string correlation;
  std::string body;
};

struct Faults {
  Duration least_latency = 50 * microsecond;
  Duration most_latency = 2 * millisecond;
  double slow = 0;  // takes up to `slowest`
  Duration slowest = 500 * millisecond;
  double lost = 0;
  double doubled = 0;
  double reordered = 0;  // may overtake what was sent before
  double late = 0;  // of what was on its way when its connection broke: reaches the next server after all
};

// One side of a connection.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual void connected() = 0;
  virtual void disconnected() = 0;
  virtual void received(Frames answer) = 0;
};

// Which peer asked, by which of its connections.
struct Connection {
  int peer = 0;
  std::uint64_t number = 0;
};

class ServerSide {
 public:
  virtual ~ServerSide() = default;
  virtual void received(Connection from, Frames request) = 0;
};

class Network {
 public:
  explicit Network(World& world) : world_(world) {}

  Faults faults;

  int join(Peer& peer);
  void leave(int peer);
  // Its connection breaks and comes back by itself.
  void drop_connection(int peer);
  // Nothing passes until it is healed; its connection breaks unless the silence is short.
  void cut(int peer, Duration span);
  bool is_connected(int peer) const;
  // Whether that connection is still the peer's.
  bool reaches(Connection to) const;

  void server_is_up(ServerSide& server);
  void server_is_down();

  void to_server(int peer, Frames request);
  void to_peer(Connection to, Frames answer);

 private:
  struct Link {
    Peer* peer = nullptr;
    std::uint64_t connection = 0;  // 0: none
    Duration cut_until{};
    Duration last_to_server{};
    Duration last_to_peer{};
    bool tries = false;  // an attempt to connect is on its way
  };

  Duration arrival(Duration& last);
  void arrive_at_server(Connection from, const Frames& request, int tries_left);
  void arrive_at_peer(Connection to, const Frames& answer);
  void try_to_connect(int peer);
  void break_connection(int peer);
  bool is_cut(const Link& link) const { return world_.now() < link.cut_until; }

  World& world_;
  ServerSide* server_ = nullptr;
  std::map<int, Link> links_;
  int peers_ = 0;
  std::uint64_t connections_ = 0;
};

}  // namespace stint::sim
