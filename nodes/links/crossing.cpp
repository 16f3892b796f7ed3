#include "nodes/links/crossing.hpp"

#include <variant>

#include "nodes/runtime/wire_message.hpp"

namespace stint {
namespace {

bool asks(Place place) { return place == Place::door || place == Place::worker; }

bool is_spoken_by(Place place, const ClusterNode& peer) {
  return place == Place::storage ? peer.is_storage : place == Place::limiter && peer.is_limiter;
}

template <class Part, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<Part, Types> || ...);

template <class Part>
inline constexpr bool is_for_limiter = is_one_of<Part, SessionOpened, SessionEnded, SessionSilent,
                                                 LimiterDelta, LimiterHead, AskIsNew, AskAnswered, Claimed>;
template <class Part>
inline constexpr bool is_of_limiter = is_one_of<Part, CheckAsk, SnapshotWanted, Claim, Acknowledge>;

}  // namespace

bool may_cross(const Address& from, const Address& to, const Message& message, const ClusterNode& peer) {
  return std::visit(
      [&]<class Part>(const Part&) {
        if constexpr (is_for_limiter<Part>) {
          return from.place == Place::storage && is_spoken_by(from.place, peer) && to.place == Place::limiter;
        } else if constexpr (is_of_limiter<Part>) {
          return from.place == Place::limiter && is_spoken_by(from.place, peer) && to.place == Place::storage;
        } else if constexpr (std::is_same_v<Part, BatchDropped>) {
          return from.place == Place::door && to.place == Place::storage;
        } else if constexpr (is_alternative<Part, Request> && !std::is_same_v<Part, Ping>) {
          // A ping every door answers itself.
          return asks(from.place) && to.place == responsible_for(message);
        } else if constexpr (is_alternative<Part, Answer>) {
          return is_spoken_by(from.place, peer) && asks(to.place);
        } else {
          return false;
        }
      },
      message);
}

}  // namespace stint
