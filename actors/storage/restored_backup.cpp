#include "actors/storage/restored_backup.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "actors/storage/run_ends.hpp"

namespace stint {

bool is_backup(const StoreHeader& header) { return header.boot_id == boot_of_backups; }

void part_from_original(StoreHeader& header) {
  header.last_job += ids_apart;
  header.last_receipt += ids_apart;
  header.last_session += ids_apart;
  header.starts += ids_apart;
}

void end_old_sessions(StorageState& state) {
  std::vector<JobId> running;
  state.leases().each([&](const Lease& lease, const Receipt&) { running.push_back(lease.job.id); });
  std::sort(running.begin(), running.end());
  std::mt19937_64 unused;  // a lost run waits for nothing
  for (const JobId job : running) RunEnds(state).end_lost(job, unused);

  std::vector<SessionNumber> sessions;
  for (const auto& [number, session] : state.sessions().all()) sessions.push_back(number);
  for (const SessionNumber number : sessions) {
    state.sessions().forget(number);
    state.store.delete_session(number);
  }
  state.sessions().take_with_news();
}

}  // namespace stint
