// ActorSystem: the actors of one node, their mailboxes and timers. Its owner (the node's loop, or a
// simulator) gives it the time and the messages from outside, and takes away what leaves.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "actors/kernel/actor.hpp"
#include "actors/kernel/turn_observer.hpp"
#include "actors/limits/homes.hpp"

namespace stint {

// Where the actors of a cluster live. A node that is alone has none of it.
struct Routes {
  NodeNumber self = 0;
  NodeNumber storage = 0;
  std::optional<Homes> homes;  // of queues; nothing: this node's limiter owns all
};

class ActorSystem {
 public:
  // Messages a mailbox takes from outside before post() refuses.
  static constexpr std::size_t mailbox_bound = 20'000;

  explicit ActorSystem(std::uint64_t seed, Routes routes = {}) : random_(seed), routes_(std::move(routes)) {}
  ActorSystem(const ActorSystem&) = delete;
  ActorSystem& operator=(const ActorSystem&) = delete;

  // Sees all from now on; it must live as long as this.
  void observe(TurnObserver& observer) { observer_ = &observer; }

  // The actor is its caller's and must live as long as this. It is told Started in the next turn.
  void host(Place place, Actor& actor);
  bool hosts(Place place) const { return actors_[index(place)] != nullptr; }

  // From outside, to be handled in the next turn. False: the mailbox is full, or nobody lives there. What is
  // for an actor of another node leaves with this turn.
  bool post(Envelope envelope);

  // Where the actor lives that answers this request; `server` of this node: nobody does.
  Address destination(const Message& request) const { return resolve({Place::server}, request); }
  bool is_here(const Address& to) const { return to.node == routes_.self; }

  // Begins a turn: fires due timers, runs mailboxes until they are empty, and tells the actors that a commit
  // is next.
  void run(Instant now, WallMs wall_now);

  // Then, once the owner has committed: what leaves for places outside, in the order it was sent ...
  std::vector<Envelope> take_outgoing();
  // ... and once that has left, with the clock read again.
  void committed(Instant now);
  // Or, if the commit failed: drops what would have left and tells the actors.
  void rolled_back(Instant now, WallMs wall_now);

  // When the next timer is due, or the last turn's moment if messages wait already, to be handled or to
  // leave.
  std::optional<Instant> next_deadline() const;

 private:
  friend class Turn;
  struct Timer {
    Instant at;
    std::uint64_t number;  // timers of one instant fire in the order they were set
    Place place;
    Message message;
  };
  struct Later {
    bool operator()(const Timer& a, const Timer& b) const {
      return a.at != b.at ? a.at > b.at : a.number > b.number;
    }
  };
  static constexpr std::size_t places = static_cast<std::size_t>(Place::count_);
  static constexpr std::size_t index(Place place) { return static_cast<std::size_t>(place); }

  void fire_timers();
  void run_mailboxes();
  // Requests to `server` go to the actor that answers them, if this node knows where that lives.
  Address resolve(const Address& to, const Message& message) const;

  std::array<Actor*, places> actors_{};
  std::array<std::deque<Envelope>, places> mailboxes_;
  std::priority_queue<Timer, std::vector<Timer>, Later> timers_;
  std::uint64_t timers_set_ = 0;
  std::vector<Envelope> outgoing_;
  std::mt19937_64 random_;
  Routes routes_;
  TurnObserver* observer_ = nullptr;
  Instant now_{};
  WallMs wall_now_ = 0;
};

// The actor that answers a request: asks go to a limiter, all else to storage.
Place responsible_for(const Message& request);

}  // namespace stint
