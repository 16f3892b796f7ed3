// FairTurns: which of several queues may take the room of a handler that they share (rule L11). A value; the
// ledger owns one for each limited handler.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/time.hpp"

namespace stint {

class FairTurns {
 public:
  // So long room is kept for the queue whose turn it is; who does not claim by then loses the turn.
  static constexpr Duration offer = std::chrono::milliseconds(20);

  // A queue's claim found no room: it waits.
  void wait(std::string_view queue);
  // There is room. Nothing: the queue may take it; else for how long it is kept for one that was served
  // longer ago.
  std::optional<Duration> kept_for_others(std::string_view queue, Instant now);
  void served(std::string_view queue);

 private:
  struct Queue {
    std::uint64_t served = 0;  // its place among all that were: 0 is never
    bool waits = false;
  };
  using Queues = std::map<std::string, Queue, std::less<>>;

  // The one that waits and was served longest ago, but for `queue`; end: none was served longer ago than
  // that.
  Queues::iterator before(std::string_view queue);
  Queue& at(std::string_view queue);
  void forget_idle();

  Queues queues_;
  std::uint64_t times_served_ = 0;
  std::optional<Instant> offered_at_;  // since then room is kept for somebody
};

}  // namespace stint
