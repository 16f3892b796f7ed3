#include "actors/storage/admission.hpp"

#include <algorithm>

namespace stint {

std::int64_t Admission::room_of_queue(std::string_view queue) const {
  const NamedLimit* named = ledger_.find(LimitScope::queue, queue);
  return named == nullptr ? Gate::no_bound : named->gate.room(ledger_.now());
}

bool Admission::admit(LaneGroup& group) {
  const Ledger::Limits limits = ledger_.of(group);
  if (!limits.any()) return true;
  // Asked by index: a second name may move the first one's room.
  if (limits.queue != nullptr && room_of(*limits.queue) <= 0) return false;
  if (limits.handler != nullptr) {
    if (room_of(*limits.handler) <= 0) {
      limits.handler->turns.wait(group.queue);
      return false;
    }
    if (!is_its_turn(*limits.handler, group)) return false;
    --room_of(*limits.handler);
  }
  if (limits.queue != nullptr) --room_of(*limits.queue);
  return true;
}

bool Admission::is_its_turn(NamedLimit& handler, const LaneGroup& group) {
  const auto kept = handler.turns.kept_for_others(group.queue, ledger_.now());
  if (!kept) return true;
  refused_.push_back({group.queue, group.handler, *kept});
  return false;
}

std::int64_t& Admission::room_of(NamedLimit& named) {
  const auto met =
      std::find_if(rooms_.begin(), rooms_.end(), [&](const Room& room) { return room.named == &named; });
  if (met != rooms_.end()) return met->left;
  return rooms_.emplace_back(Room{&named, named.gate.room(ledger_.now())}).left;
}

}  // namespace stint
