// GateBoard: a limiter's copies of the gates that storage has told it of (rule L12), and when each of those
// that are closed will open. Owned by the limiter actor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/kernel/internal_messages.hpp"
#include "actors/limits/gate.hpp"

namespace stint {

class GateBoard {
 public:
  using Name = std::pair<LimitScope, std::string>;

  void learn(GateNews&& news, Instant now);
  void clear();

  // Null: the name has no limit.
  const Gate* find(LimitScope scope, const std::string& name) const;
  std::int64_t room(LimitScope scope, const std::string& name, Instant now) const;

  // The gates that were closed, as far as was known, and are to be looked at now.
  std::vector<Name> take_due(Instant now);
  // When take_due() is next worth a call.
  std::optional<Instant> next_due() const;

 private:
  struct Entry {
    Gate gate;
    std::optional<Instant> opens_at;  // its place in `opening_`; nothing: it is open, or nobody knows
  };
  void place(const Name& name, Entry& entry, Instant now);
  void remove_place(const Name& name, Entry& entry);

  std::map<Name, Entry> gates_;
  std::set<std::pair<Instant, Name>> opening_;
};

}  // namespace stint
