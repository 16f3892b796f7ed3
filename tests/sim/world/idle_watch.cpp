#include "tests/sim/world/idle_watch.hpp"

#include <algorithm>
#include <utility>

namespace stint::sim {

namespace {

// Nobody sets a longer window here, so nobody needs older entries.
constexpr Duration longest_window = 120 * second;
// Longer than a server needs to load, and a worker to find it again.
constexpr Duration recovery = 1 * second;
// A bucket fills from when its hand-outs have left; here from when they were decided on.
constexpr Duration stamp_lag = 20 * millisecond;
// Less than any job is delayed by.
constexpr Duration shortest_delay = 900 * microsecond;

}  // namespace

// After another boot of its machine, what it counts is as old as at the last commit (rule L10).
void IdleWatch::server_starts(Duration ahead, bool is_another_boot) {
  ahead_ = ahead;
  if (is_another_boot) {
    const Duration passed = world_.now() - std::max(committed_at_, aged_until_);
    aged_until_ = world_.now();
    for (auto& [name, room] : rooms_) {
      for (auto& [at, commit] : room.entries) at += passed;
    }
  }
  if (restored_at_ && is_another_boot) *restored_at_ += world_.now() - known_until_;
  disturbed();
}

void IdleWatch::committed(const std::vector<StoreChange>& changes) {
  known_until_ = std::exchange(committed_at_, world_.now());
  ++commits_;
  if (std::exchange(awaits_first_commit_, false)) restored_at_ = world_.now();
  // What has changed fills from now on; until now the old did.
  for (const auto& [name, room] : rooms_) heed(name);
  for (const StoreChange& change : changes) {
    std::visit([&](const auto& one) { apply(one); }, change);
  }
}

void IdleWatch::apply(const JobInserted& inserted) {
  const JobRow& row = inserted.row;
  jobs_[row.id] = {row.queue, row.handler};
  const bool is_ready =
      !row.run_at_ms && row.ready_at.time_since_epoch() - ahead_ <= world_.turn_began() + shortest_delay;
  if (is_ready) ready_[{row.queue, row.handler}].insert(row.id);
}

void IdleWatch::apply(const JobChange& change) {
  const Job& job = jobs_.at(change.id);
  if (change.dead) ready_[{job.queue, job.handler}].erase(change.id);
}

void IdleWatch::apply(const JobDeleted& deleted) {
  const Job& job = jobs_.at(deleted.id);
  ready_[{job.queue, job.handler}].erase(deleted.id);
}

void IdleWatch::apply(const ReceiptRow& row) {
  if (charged_.first != world_.turn()) charged_ = {world_.turn(), {}};
  for (const JobRun& run : row.runs) {
    const Job& job = jobs_.at(run.id);
    ready_[{job.queue, job.handler}].erase(run.id);
    charged_.second.insert(run);
    charge({LimitScope::queue, job.queue}, true);
    charge({LimitScope::handler, job.handler}, true);
    // Who starts is not asleep, whatever else it leaves waiting.
    std::erase_if(since_, [&](const auto& lane) {
      return lane.first.first == job.queue || lane.first.second == job.handler;
    });
  }
}

void IdleWatch::apply(const LogRow& row) {
  if (row.run.run == 0) return;
  const Job& job = jobs_.at(row.run.id);
  end({LimitScope::queue, job.queue}, row);
  end({LimitScope::handler, job.handler}, row);
}

void IdleWatch::apply(const SessionRow& row) {
  if (row.ended || row.taken_over) {
    sessions_.erase(row.id);
  } else {
    sessions_[row.id] = {row.handlers.begin(), row.handlers.end()};
  }
}

void IdleWatch::leaves(const Batch& batch) {
  if (charged_.first != world_.turn()) charged_ = {world_.turn(), {}};
  for (const LeasedJob& job : batch.jobs) {
    if (charged_.second.contains({job.id, job.run})) continue;
    charge({LimitScope::queue, job.queue}, false);
    charge({LimitScope::handler, job.handler}, false);
  }
}

void IdleWatch::disturbed() {
  since_.clear();
  undisturbed_since_ = world_.now() + recovery;
  for (auto& [name, room] : rooms_) {
    room.level = 0;
    room.level_at = world_.now();
    for (auto& [at, commit] : room.entries) {
      if (commit + 1 >= commits_) at = world_.now();
    }
  }
}

// What is in force by now, and what of the old still counts.
IdleWatch::Room& IdleWatch::heed(const LimitName& name) {
  Room& room = rooms_[name];
  const InForce& now_in_force = limits_.in_force(name);
  const Duration now = world_.now();
  const double rate = room.known.rate ? room.known.rate->per_second : 0;
  room.level += rate * std::chrono::duration<double>(now - room.level_at).count();
  room.level_at = now;
  if (now_in_force != room.known) {
    since_.clear();
    const auto counts_starts = [](const InForce& force) { return force.slots && force.slots->counts_starts; };
    if (counts_starts(now_in_force) && !counts_starts(room.known)) {
      for (std::int64_t run = 0; run < room.running; ++run) room.entries.emplace_back(now, commits_);
    }
    // By a slower rate that takes long to make up for.
    room.level -= rate * std::chrono::duration<double>(stamp_lag).count();
    room.known = now_in_force;
  }
  if (room.known.rate) room.level = std::min(room.level, room.known.rate->burst);
  while (!room.entries.empty() && room.entries.front().first + longest_window <= now) {
    room.entries.pop_front();
  }
  return room;
}

void IdleWatch::charge(const LimitName& name, bool is_new) {
  Room& room = heed(name);
  if (is_new) ++room.running;
  if (room.known.rate) room.level -= 1;
  if (room.known.slots && room.known.slots->counts_starts) room.entries.emplace_back(world_.now(), commits_);
}

void IdleWatch::end(const LimitName& name, const LogRow& row) {
  Room& room = heed(name);
  --room.running;
  const bool counts = room.known.slots && !room.known.slots->counts_starts;
  if (counts && row.end == RunEnd::completed) room.entries.emplace_back(world_.now(), commits_);
}

bool IdleWatch::has_room(const LimitName& name) {
  if (limits_.is_paused(name)) return false;
  const Room& room = heed(name);
  if (room.known.max_running && room.running >= *room.known.max_running) return false;
  if (room.known.rate && room.level < 1) return false;
  if (!room.known.slots) return true;
  const WatchedSlots& slots = *room.known.slots;
  if (restored_at_ && *restored_at_ + slots.window > world_.now()) return false;
  std::int64_t taken = slots.counts_starts ? 0 : room.running;
  for (const auto& [at, commit] : room.entries) taken += at + slots.window > world_.now() ? 1 : 0;
  return taken < slots.max;
}

std::set<IdleWatch::Lane> IdleWatch::startable() {
  std::set<Lane> lanes;
  for (const auto& [lane, jobs] : ready_) {
    if (jobs.empty()) continue;
    if (has_room({LimitScope::queue, lane.first}) && has_room({LimitScope::handler, lane.second})) {
      lanes.insert(lane);
    }
  }
  return lanes;
}

void IdleWatch::look(const std::vector<const RequestBatch*>& asks) {
  const std::set<Lane> lanes = startable();
  std::set<Lane> wanted;
  for (const RequestBatch* ask : asks) {
    const auto session = sessions_.find(ask->session);
    if (session == sessions_.end() || ask->max.value_or(1) <= 0) continue;
    for (const Lane& lane : lanes) {
      const auto permits = ask->queues.find(lane.first);
      if (permits == ask->queues.end() || permits->second <= 0) continue;
      if (session->second.contains(lane.second)) wanted.insert(lane);
    }
  }
  std::erase_if(since_, [&](const auto& lane) { return !wanted.contains(lane.first); });
  if (world_.now() < undisturbed_since_) return;
  for (const Lane& lane : wanted) {
    const Duration since = since_.emplace(lane, world_.now()).first->second;
    const Duration wait = world_.now() - since;
    longest_wait_ = std::max(longest_wait_, wait);
    if (wait <= patience_) continue;
    world_.fail("L2", "a job of queue " + lane.first + " and handler " + lane.second +
                          " may start, a worker waits for it, and for " + std::to_string(wait / millisecond) +
                          " ms nothing happens");
    since_.clear();
    return;
  }
}

}  // namespace stint::sim
