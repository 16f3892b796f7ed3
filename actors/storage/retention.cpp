#include "actors/storage/retention.hpp"

#include <vector>

namespace stint {

namespace {

constexpr Duration between_rounds = std::chrono::seconds(10);
constexpr Duration between_steps = std::chrono::milliseconds(5);
constexpr std::int64_t rows_a_step = 1000;
constexpr int dead_a_step = 100;
constexpr int sessions_a_step = 1000;
// A session's row may say that it was last heard of this much earlier than it was.
constexpr Duration row_may_lag = std::chrono::minutes(1);

}  // namespace

void Retention::start(Turn& turn) { turn.after(between_rounds, PruneTick{}); }

void Retention::on(PruneTick&&, Turn& turn) {
  bool more = delete_old_dead();
  more |= forget_sessions(turn);
  const bool more_rows = prune_rows();
  if (!more_rows) forget_topics();
  more |= more_rows;
  turn.after(more ? between_steps : between_rounds, PruneTick{});
}

// The store could do it, but then nobody would count them.
bool Retention::delete_old_dead() {
  const WallMs before_ms = state_.wall_now - state_.options.defaults.keep_dead_ms;
  for (int step = 0; step < dead_a_step; ++step) {
    const std::optional<JobId> id = state_.board().dead_before(before_ms);
    if (!id) return false;
    const auto row = state_.store.job(*id);
    if (!row || !*row) return false;
    state_.board().exhume(state_.board().lanes.group((*row)->queue, (*row)->handler), **row);
    state_.store.delete_job(*id);
    state_.store.delete_logs_of(*id);
  }
  return true;
}

bool Retention::forget_sessions(Turn& turn) {
  const Instant before = state_.now - from_ms(state_.options.defaults.keep_sessions_ms);
  std::vector<SessionNumber> forgotten;
  const auto& sessions = state_.sessions().all();
  auto session = sessions.upper_bound(looked_at_);
  for (int step = 0; step < sessions_a_step && session != sessions.end(); ++step, ++session) {
    looked_at_ = session->first;
    const bool in_use = session->second.parked || state_.leases().running(session->first) > 0;
    if (session->second.last_message < before && !in_use) forgotten.push_back(session->first);
  }
  const bool more = session != sessions.end();
  if (!more) looked_at_ = 0;
  for (const SessionNumber number : forgotten) {
    news_.ended(state_.sessions().find(number)->row.id, turn);
    state_.sessions().forget(number);
  }
  return more;
}

// Heads of topics whose events have all been pruned.
void Retention::forget_topics() {
  const auto oldest = state_.store.oldest_event();
  if (oldest && *oldest > 0) state_.events().forget_topics_before(*oldest);
}

bool Retention::prune_rows() {
  const Defaults& keep = state_.options.defaults;
  PruneLimits limits;
  limits.logs_before_ms = state_.wall_now - keep.keep_logs_ms;
  limits.events_before_ms = state_.wall_now - keep.keep_events_ms;
  limits.events_bytes = keep.keep_events_bytes;
  limits.sessions_before = state_.now - from_ms(keep.keep_sessions_ms) - row_may_lag;
  limits.batch_keys_before = state_.now - from_ms(keep.keep_batch_keys_ms);
  limits.batch_keys = keep.keep_batch_keys;
  limits.rows = rows_a_step;
  return state_.store.prune(limits);
}

}  // namespace stint
