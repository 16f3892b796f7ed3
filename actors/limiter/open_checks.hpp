// OpenChecks: the asks that a limiter has given to storage to check and has not heard of since. Between nodes
// such a word can be lost; it is said again then (rule D9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "actors/kernel/internal_messages.hpp"

namespace stint {

class OpenChecks {
 public:
  std::size_t size() const { return checks_.size(); }

  void add(const RequestBatch& ask, const Address& asker, Instant now) {
    checks_.insert_or_assign(key_of(asker), Open{{ask, asker}, now});
  }
  void settle(const Address& asker) { checks_.erase(key_of(asker)); }

  // Those that were said at `latest` or before. They count as said `now`.
  std::vector<CheckAsk> say_again(Instant latest, Instant now) {
    std::vector<CheckAsk> again;
    for (auto& [key, open] : checks_) {
      if (open.said_at > latest) continue;
      open.said_at = now;
      again.push_back(open.check);
    }
    return again;
  }

 private:
  struct Open {
    CheckAsk check;
    Instant said_at{};
  };
  using Key = std::tuple<NodeNumber, Place, std::uint64_t>;
  static Key key_of(const Address& asker) { return {asker.node, asker.place, asker.id}; }

  std::map<Key, Open> checks_;
};

}  // namespace stint
