// Heartbeats: extends leases, and tells workers what became of their runs: at once, or when it becomes known
// while the heartbeat is parked.
#pragma once

#include <set>
#include <utility>

#include "actors/kernel/turn.hpp"
#include "actors/storage/alarm.hpp"
#include "actors/storage/session_desk.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class Heartbeats {
 public:
  Heartbeats(StorageState& state, SessionDesk& desk) : state_(state), desk_(desk) {}

  void on(Heartbeat&& heartbeat, Turn& turn);
  void on(HeartbeatTick&& tick, Turn& turn);

  // A lease was asked to be cancelled: its worker is told.
  void tell_cancel(Lease& lease);
  // Answers the parked heartbeats that have news.
  void answer_news(Turn& turn);
  // Memory is about to be rebuilt: none stays parked.
  void answer_all(Turn& turn);

 private:
  void answer(Session& session, Turn& turn);

  StorageState& state_;
  SessionDesk& desk_;
  std::set<std::pair<Instant, SessionNumber>> parked_;
  Alarm alarm_;
};

}  // namespace stint
