// Whether somebody is likely to be behind an open session.
#pragma once

#include "actors/storage/storage_state.hpp"

namespace stint {

// It holds leases, or was heard of lately: within a few leases' time.
inline bool is_living(StorageState& state, const Session& session) {
  constexpr std::int64_t silent_leases = 5;
  if (!session.open()) return false;
  if (state.leases().running(session.number()) > 0) return true;
  return state.now - session.last_message < silent_leases * from_ms(state.options.defaults.lease_ms);
}

}  // namespace stint
