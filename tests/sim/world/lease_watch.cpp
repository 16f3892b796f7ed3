#include "tests/sim/world/lease_watch.hpp"

#include <algorithm>

namespace stint::sim {

namespace {

// Storage counts from the beginning of its turn.
constexpr Duration tolerance = 5 * millisecond;
// A batch that could not leave ends in the next turn, however slow that is.
constexpr Duration stuck_at_most = 1 * second;
// Shorter gaps are none.
constexpr Duration shortest_gap = 100 * millisecond;

std::string name_of(const JobRun& run) {
  return "job " + std::to_string(run.id) + " run " + std::to_string(run.run);
}

}  // namespace

// --- Commits ---

void LeaseWatch::committed(const std::vector<StoreChange>& changes) {
  lost_.clear();
  ended_.clear();
  check_takeovers(changes);
  for (const StoreChange& change : changes) {
    std::visit([&](const auto& one) { apply(one); }, change);
  }
  for (const LogRow& row : lost_) check_lost(row);
  check_ended_sessions();
  check_stuck();
}

void LeaseWatch::apply(const ReceiptRow& row) {
  if (!sessions_.contains(row.session)) {
    world_.fail("D5",
                "a batch is handed to session number " + std::to_string(row.session) + ", which is none");
  }
  for (const JobRun& run : row.runs) leases_[run] = Lease{row.id, row.session, world_.now(), std::nullopt};
}

void LeaseWatch::apply(const ReceiptAcknowledged& acknowledged) {
  for (auto& [run, lease] : leases_) {
    if (lease.receipt == acknowledged.id) lease.acknowledged_in = world_.turn();
  }
}

void LeaseWatch::apply(const LogRow& row) {
  if (row.end == RunEnd::lost) {
    lost_.push_back(row);
  } else {
    leases_.erase(row.run);
  }
}

void LeaseWatch::apply(const SessionRow& row) {
  sessions_[row.number] = {row, world_.turn()};
  if (row.ended || row.taken_over) ended_.insert(row.number);
  if (row.number > last_void_) void_sessions_.erase(row.id);
}

// Only the first hello of a session takes over from earlier ones.
void LeaseWatch::check_takeovers(const std::vector<StoreChange>& changes) {
  std::set<std::string> opened;  // workers
  for (const StoreChange& change : changes) {
    const auto* row = std::get_if<SessionRow>(&change);
    if (row == nullptr) continue;
    const auto known = sessions_.find(row->number);
    if (known == sessions_.end()) {
      opened.insert(row->worker);
    } else if (row->taken_over && !known->second.row.taken_over && !opened.contains(row->worker)) {
      world_.fail("D5", "session " + to_string(row->id).substr(0, 6) + " is taken over by no new session");
    }
  }
}

void LeaseWatch::check_lost(const LogRow& row) {
  const auto lease = leases_.extract(row.run);
  if (lease.empty() || ended_.contains(row.session)) return;
  const Duration silence = world_.now() - lease.mapped().heard;
  if (silence < lease_ - tolerance) {
    world_.fail("D6", name_of(row.run) + " is lost " + std::to_string(silence / millisecond) +
                          " ms after storage heard of it");
  }
  if (world_.now() < stood_still_until_ + lease_ / 3 - tolerance) {
    world_.fail("D6", name_of(row.run) + " is lost right after storage stood still");
  }
}

void LeaseWatch::check_ended_sessions() {
  for (const SessionNumber number : ended_) {
    const SessionRow& session = sessions_.at(number).row;
    if (!session.ended && !session.taken_over) continue;
    for (const auto& [run, lease] : leases_) {
      if (lease.session == number)
        world_.fail("D5", name_of(run) + " is still on, but its session has ended");
    }
  }
}

void LeaseWatch::check_stuck() {
  for (auto& [run, lease] : leases_) {
    if (!lease.stuck_since || world_.now() - *lease.stuck_since < stuck_at_most) continue;
    lease.stuck_since.reset();
    world_.fail("D3", name_of(run) + " is still on, and no copy of its batch could leave");
  }
}

// --- Messages ---

bool LeaseWatch::is_of(const JobRun& run, const SessionId& session) const {
  const auto lease = leases_.find(run);
  if (lease == leases_.end()) return false;
  const auto its_session = sessions_.find(lease->second.session);
  return its_session != sessions_.end() && its_session->second.row.id == session;
}

bool LeaseWatch::is_of_another(const JobRun& run, const SessionId& session) const {
  return leases_.contains(run) && !is_of(run, session);
}

void LeaseWatch::leaves(const Batch& batch) {
  for (const LeasedJob& job : batch.jobs) {
    const auto lease = leases_.find({job.id, job.run});
    if (lease == leases_.end()) continue;
    lease->second.heard = world_.now();
    lease->second.has_left = true;
    lease->second.stuck_since.reset();
    if (lease->second.acknowledged_in.value_or(world_.turn()) != world_.turn()) {
      world_.fail("L7", name_of(lease->first) + " starts again although its batch has arrived");
    }
  }
}

void LeaseWatch::cannot_leave(const Batch& batch) {
  for (const LeasedJob& job : batch.jobs) {
    const auto lease = leases_.find({job.id, job.run});
    if (lease == leases_.end() || lease->second.has_left || lease->second.stuck_since) continue;
    lease->second.stuck_since = world_.now();
  }
}

void LeaseWatch::hears(const Request& request) {
  const auto* heartbeat = std::get_if<Heartbeat>(&request);
  if (heartbeat == nullptr) return;
  for (const RunningJob& job : heartbeat->jobs) {
    const JobRun run{job.id, job.run};
    if (is_of(run, heartbeat->session)) leases_.at(run).heard = world_.now();
  }
}

void LeaseWatch::answers(const Request& request, const Answer& answer) {
  const auto* heartbeat = std::get_if<Heartbeat>(&request);
  const auto* news = std::get_if<HeartbeatOk>(&answer);
  if (heartbeat != nullptr && news != nullptr) check_heartbeat(*heartbeat, *news);
  const auto* finish = std::get_if<Finish>(&request);
  if (news != nullptr && heartbeat != nullptr) check_void(heartbeat->session);
  if (finish != nullptr && std::holds_alternative<Finished>(answer)) check_void(finish->session);
  const auto* error = std::get_if<Error>(&answer);
  if (error == nullptr || error->code != ErrorCode::unknown_session) return;
  if (heartbeat != nullptr) check_unknown(heartbeat->session);
  if (const auto* ask = std::get_if<RequestBatch>(&request)) check_unknown(ask->session);
  if (finish != nullptr) check_unknown(finish->session);
}

void LeaseWatch::check_void(const SessionId& session) {
  if (!void_sessions_.contains(session)) return;
  world_.fail("L10", "session " + to_string(session).substr(0, 6) +
                         " is known although it is of the time "
                         "before the restore");
}

void LeaseWatch::check_unknown(const SessionId& session) {
  for (const auto& [number, known] : sessions_) {
    const bool is_open = !known.row.ended && !known.row.taken_over && known.changed_in != world_.turn();
    if (is_open && known.row.id == session) {
      world_.fail("D5", "session " + to_string(session).substr(0, 6) + " is on disk but said to be unknown");
    }
  }
}

void LeaseWatch::check_heartbeat(const Heartbeat& heartbeat, const HeartbeatOk& answer) {
  for (const RunningJob& job : heartbeat.jobs) {
    const JobRun run{job.id, job.run};
    const bool is_told = std::find(answer.lost.begin(), answer.lost.end(), run) != answer.lost.end();
    if (is_of_another(run, heartbeat.session) && !is_told) {
      world_.fail("D4", "a heartbeat for " + name_of(run) + ", which is another session's, is taken");
    }
  }
}

// --- The server ---

void LeaseWatch::storage_starts() {
  for (auto& [run, lease] : leases_) lease.heard = world_.now();
  stood_still_until_ = {};
  storage_falters();
}

void LeaseWatch::storage_falters() {
  for (auto& [run, lease] : leases_) {
    lease.has_left = true;
    lease.stuck_since.reset();
  }
}

// That counts for nothing.
void LeaseWatch::storage_stands_still(Duration until) {
  const Duration gap = until - std::max(world_.now(), stood_still_until_);
  if (gap <= shortest_gap) return;
  for (auto& [run, lease] : leases_) lease.heard += gap;
  stood_still_until_ = until;
}

}  // namespace stint::sim
