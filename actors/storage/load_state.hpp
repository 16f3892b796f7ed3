// LoadState: rebuilds what the storage actor knows from its store, at the start and after a commit that
// failed (rules D2, D6).
#pragma once

#include <memory>
#include <string>

#include "actors/storage/storage_state.hpp"
#include "protocol/result.hpp"

namespace stint {

// What a start needs to know beyond the store.
struct StorageStart {
  Instant now{};  // by the clock that resume_clock() set
  WallMs wall_now = 0;
  std::string boot_id;
  Duration clock_offset{};  // of StintClock to CLOCK_BOOTTIME
  std::string new_log;      // the name of a new file's history: log_name()
};

// Replaces `state.loaded`, and writes what a start changes into the transaction that is open. On an error
// `state` is as it was.
Status load_state(StorageState& state, const StorageStart& start);

}  // namespace stint
