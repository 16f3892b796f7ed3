#include "actors/events/event.hpp"

#include <array>

namespace stint {

std::string_view to_string(EventKind kind) {
  static constexpr std::array<std::string_view, static_cast<std::size_t>(EventKind::count_)> words = {
      "enqueued", "started",     "completed", "failed",    "snoozed",
      "released", "undelivered", "lost",      "cancelled", "requeued"};
  return words.at(static_cast<std::size_t>(kind));
}

}  // namespace stint
