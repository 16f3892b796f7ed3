// What a start on a restored backup does otherwise than one on the file of an earlier life (rule L10). Nobody
// knows what the original has done since the backup was taken: it may have given numbers, started jobs, and
// have workers that still run some. What limits make of that, the ledger knows (Ledger::Kept).
#pragma once

#include "actors/storage/storage_state.hpp"
#include "storage/store.hpp"

namespace stint {

// The file is a backup that was not loaded yet.
bool is_backup(const StoreHeader& header);

// From here on no number is given that the original may have given since: of jobs, receipts and sessions, and
// of starts, by which limiters and workers tell one life of storage from another.
void part_from_original(StoreHeader& header);

// All that was loaded of sessions and their leases ends, in the transaction that is open. Workers say hello
// again, and what they still run is void. Such a run ends as one whose worker is lost does (rules D3, D7):
// when its batch was acknowledged it may have done its work, so it has spent an attempt; a batch that nobody
// acknowledged has cost none. Running limits count from zero: they count leases (rule L4).
void end_old_sessions(StorageState& state);

}  // namespace stint
