// SessionDesk: opens, repeats and ends sessions (rule D5), and notes what every message of a session says by
// itself: that it lives, and which answers have reached it (rule D3).
#pragma once

#include <vector>

#include "actors/kernel/turn.hpp"
#include "actors/storage/limit_desk.hpp"
#include "actors/storage/limiter_news.hpp"
#include "actors/storage/run_ends.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class SessionDesk {
 public:
  SessionDesk(StorageState& state, RunEnds& ends, LimitDesk& limits, LimiterNews& news)
      : state_(state), ends_(ends), limits_(limits), news_(news) {}

  void on(Hello&& hello, Turn& turn);
  void on(Goodbye&& goodbye, Turn& turn);

  // The session a message names, which has now been heard of; null: unknown, or not open.
  Session* hear(const SessionId& id, std::int64_t got);
  // As hear(), but a session that is not open is given too: its reports are answered.
  Session* hear_any(const SessionId& id, std::int64_t got);
  // A report or heartbeat named a run of this receipt.
  void acknowledge(ReceiptId id);
  static Error unknown_session();

  // Writes what was noted, before the turn's commit.
  void before_commit();

 private:
  Welcome welcome(const Hello& hello) const;
  void open(const Hello& hello, Turn& turn);
  void reopen(Session& session, Turn& turn);
  // Ends what earlier sessions of this worker hold: it died with them.
  void take_over(const Session& by, Turn& turn);
  void store(Session& session);

  StorageState& state_;
  RunEnds& ends_;
  LimitDesk& limits_;
  LimiterNews& news_;
};

}  // namespace stint
