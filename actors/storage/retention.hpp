// Retention: forgets what is past its time, a little at a time.
#pragma once

#include "actors/kernel/turn.hpp"
#include "actors/storage/limiter_news.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class Retention {
 public:
  Retention(StorageState& state, LimiterNews& news) : state_(state), news_(news) {}

  void start(Turn& turn);
  // Looks at a bounded number of things; comes again soon if there is more to look at.
  void on(PruneTick&& tick, Turn& turn);
  // Nothing may be changed now; comes again later.
  void postpone(Turn& turn) { start(turn); }

 private:
  bool delete_old_dead();
  bool forget_sessions(Turn& turn);
  bool prune_rows();
  void forget_topics();

  StorageState& state_;
  LimiterNews& news_;
  SessionNumber looked_at_ = 0;  // the sessions up to it were looked at in this round
};

}  // namespace stint
