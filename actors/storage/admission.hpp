// Admission: which jobs the limits let start in one claim, and which they hold back. It only counts; what
// really starts is charged by the ledger when it is handed out (rule L6: who is refused is charged nothing).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "actors/kernel/internal_messages.hpp"
#include "actors/limits/ledger.hpp"

namespace stint {

class Admission {
 public:
  explicit Admission(Ledger& ledger) : ledger_(ledger) {}

  // How many jobs of the queue may start, whatever their handlers.
  std::int64_t room_of_queue(std::string_view queue) const;
  // Whether one more job of the group may start; if so, it counts.
  bool admit(LaneGroup& group);
  // Groups that were held back because it is another queue's turn (rule L11).
  std::vector<RefusedLane> take_refused() { return std::move(refused_); }

 private:
  struct Room {
    NamedLimit* named = nullptr;
    std::int64_t left = 0;
  };
  std::int64_t& room_of(NamedLimit& named);
  bool is_its_turn(NamedLimit& handler, const LaneGroup& group);

  Ledger& ledger_;
  std::vector<Room> rooms_;  // of the names met so far: few in one claim
  std::vector<RefusedLane> refused_;
};

}  // namespace stint
