// Ports: where a node's loop meets the world outside its actors. The loop owns none of them; a test hands in
// its own.
#pragma once

#include <cstddef>
#include <optional>

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
