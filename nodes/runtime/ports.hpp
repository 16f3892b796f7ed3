// Ports: where a node's loop meets the world outside its actors. The loop owns none of them; a test hands in
// its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/kernel/actor_system.hpp"
#include "protocol/error.hpp"
#include "protocol/time.hpp"

namespace stint {

// Waits for the loop.
class Waiter {
 public:
  virtual ~Waiter() = default;
  // Returns when any port has something, somebody asked the node to stop, or `until` is reached; without one,
  // it may wait for ever. Returns how often the node was asked to stop since the last call.
  virtual int wait(std::optional<Instant> until) = 0;
};

class Port {
 public:
  virtual ~Port() = default;
  // Takes at most `most` messages and posts them to the actors; never blocks. Returns how many it took.
  virtual std::size_t receive(ActorSystem& actors, std::size_t most) = 0;
  // Sends what an actor said. Never blocks. False: it cannot leave, and is dropped and counted.
  virtual bool send(Envelope&& envelope) = 0;
};

// Clients come in here.
class Door : public Port {
 public:
  // From now on every request but ping is answered so, and ping says not ready; nothing: they are let in
  // again.
  virtual void refuse(std::optional<Error> error) = 0;
  // Answers each request that is open.
  virtual void answer_all(const Error& error) = 0;

  // Of requests that were passed on to another node of the cluster, and not answered yet (rule D9). A door
  // without a cluster has none.
  // The link is up anew: they are passed on again.
  virtual void pass_on_again(NodeNumber node) { static_cast<void>(node); }
  // What storage said may be lost: so are the asks that limiters are to answer, for batches come from
  // storage.
  virtual void pass_on_asks_again() {}
  // What was said over it may be lost: those that must not be done twice are answered as unknown.
  virtual void give_up_single(NodeNumber node) { static_cast<void>(node); }
  // All are answered so.
  virtual void answer_passed_on(NodeNumber node, const Error& error) {
    static_cast<void>(node), static_cast<void>(error);
  }
};

// What another node of the cluster said to the front door.
struct LinkFrames {
  std::string_view routing_id;
  std::string_view type;
  std::string_view correlation;
  std::string_view body;
};

// What the door answers.
struct LinkReply {
  std::string_view type;
  std::string body;
};

// The ways to the other nodes of a cluster. Messages leave over a socket of their own for each node; what
// other nodes say comes in at the door, which hands it on.
class Peers {
 public:
  // When to ask again for a node that cannot be reached.
  static constexpr std::int64_t away_retry_ms = 250;

  struct News {
    enum class Kind {
      lost,     // what was said to the node, or by it, may be lost
      up,       // it hears again
      refuses,  // it will not answer what was passed on to it: `error`
    };
    NodeNumber node = 0;
    Kind kind = Kind::lost;
    Error error{};
  };

  virtual ~Peers() = default;
  // Once a turn, before the door takes messages: looks after the connections.
  virtual void tend(Instant now) = 0;
  // When tend() should be called next, whatever else happens.
  virtual std::optional<Instant> next_deadline() const = 0;
  virtual const std::string& name_of(NodeNumber node) const = 0;
  // What this node's own actors need is reachable: requests make sense.
  virtual bool is_ready() const = 0;

  static bool is_for_links(std::string_view type) { return type.starts_with("link"); }
  // Posts what it says to the actors. Nothing: there is no answer.
  virtual std::optional<LinkReply> hear(const LinkFrames& frames, ActorSystem& actors) = 0;
  // What came for this node's door, and what happened to the links, since the last call.
  virtual std::vector<Envelope> take_answers() = 0;
  virtual std::vector<News> take_news() = 0;

  // Never block. False: the node cannot be reached now.
  virtual bool send(Envelope&& envelope) = 0;
  // A client's request, as it came.
  virtual bool pass_on(const Address& from, const Address& to, std::string_view type,
                       std::string_view body) = 0;
  // As of a door, of the requests that came from other nodes' doors.
  virtual void refuse(std::optional<Error> error) = 0;
  virtual void answer_all(const Error& error) = 0;
};

// The way of a worker node to its server.
class Link : public Port {
 public:
  // Called once a turn: looks after the connection, tells the worker LinkUp and LinkDown.
  virtual void tend(ActorSystem& actors, Instant now) = 0;
  // When tend() should be called next, whatever else happens.
  virtual std::optional<Instant> next_deadline() const = 0;
};

// Subscribers of the event stream connect here.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // Hears who subscribes to what. Called once a turn, before anything is published; never blocks.
  virtual void tend() = 0;
  // Tells subscribers what a turn had to say. Never blocks: one who reads too slowly misses messages.
  virtual void publish(EventsWritten&& written) = 0;
};

}  // namespace stint
