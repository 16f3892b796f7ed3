#include "actors/storage/storage_actor.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace stint {

namespace {

// While leases are held the clock is read at least this often, so that a gap between readings is one of the
// server, not of its work (rule D6).
constexpr Duration lease_tick = std::chrono::milliseconds(50);
constexpr Duration longest_turn = std::chrono::milliseconds(100);
constexpr Duration head_tick = std::chrono::seconds(1);
constexpr int quiet_heads = 10;  // so many ticks apart while nothing happens
constexpr Duration recovery_tick = std::chrono::milliseconds(100);
// What one turn does of work that may be much: the rest waits for the next one.
constexpr std::size_t leases_a_turn = 1000;
constexpr std::int64_t due_a_turn = 2000;
constexpr std::int64_t retry_when_unavailable_ms = 500;

}  // namespace

StorageActor::StorageActor(Store& store, StorageOptions options) : state_(store, std::move(options)) {}

StorageActor::~StorageActor() = default;

Status StorageActor::load(const StorageStart& start) {
  start_ = start;
  state_.now = start.now;
  state_.wall_now = start.wall_now;
  if (Status loaded = load_state(state_, start_); !loaded) return loaded;
  // What the config has changed is kept with the start itself, or not at all.
  if (!state_.events().empty()) keep_events();
  state_.ledger().store(state_.store, true);
  last_commit_ = {start.now, start.wall_now};
  mode_ = Mode::serving;
  return Done{};
}

void StorageActor::before_commit(Turn& turn) {
  will_commit_ = false;
  if (mode_ == Mode::must_load) return;
  desk_.before_commit();
  EventsWritten written;
  if (!state_.events().empty()) {
    written.chunk = keep_events();
    event_desk_.answer_news(written.chunk, turn);
  }
  state_.ledger().store(state_.store, state_.store.has_changes());
  publish(std::move(written), turn);
  will_commit_ = state_.store.has_changes();
}

EventChunk StorageActor::keep_events() {
  EventBuilder::Flushed flushed = state_.events().flush(state_.wall_now);
  for (const TopicRow& topic : flushed.topics) state_.store.put_topic(topic);
  state_.store.append_events(flushed.chunk);
  return std::move(flushed.chunk);
}

void StorageActor::publish(EventsWritten written, Turn& turn) {
  written.passing = limits_.take_passing();
  if (state_.options.events.empty()) return;
  const std::int64_t seq = state_.events().last_seq();
  if (heads_unsaid_ >= quiet_heads || (heads_unsaid_ > 0 && seq != head_said_)) {
    written.head = EventLogHead{seq, state_.events().log()};
    heads_unsaid_ = 0;
    head_said_ = seq;
  }
  if (written.chunk.messages == 0 && written.passing.empty() && !written.head) return;
  written.log = state_.events().log();
  turn.send({Place::events, 0}, std::move(written));
}

void StorageActor::committed(Instant now) {
  last_commit_ = {now, state_.wall_now + to_ms(now - state_.now)};
  clock_read_at_ = stamped_at_ = now;
  state_.leases().read_clock(now);
  // The same moment for both, by which a run's entry in a window is found again.
  const Instant left = std::max(now, state_.ledger().now());
  state_.leases().stamp(left);
  state_.ledger().stamp(left);
  if (mode_ == Mode::must_commit && will_commit_) mode_ = Mode::serving;
}

void StorageActor::rolled_back(Turn& turn) {
  state_.now = turn.now();
  state_.wall_now = turn.wall_now();
  if (mode_ != Mode::must_load) {
    heartbeats_.answer_all(turn);
    event_desk_.answer_all(not_serving(), turn);
  }
  mode_ = Mode::must_load;
  reload();
  finish(turn);
}

void StorageActor::begin(Turn& turn) {
  state_.now = turn.now();
  state_.wall_now = turn.wall_now();
  if (mode_ == Mode::must_load) return;
  state_.leases().read_clock(state_.now);
  heed_standstill();
  state_.ledger().begin(state_.now);
  if (mode_ == Mode::serving && std::exchange(tell_all_due_, false)) news_.tell_all(turn);
}

// What was sent right before the node stood still may have left only now (rule L1).
void StorageActor::heed_standstill() {
  const bool stood_still = state_.now - clock_read_at_ > longest_turn;
  if (stood_still && clock_read_at_ == stamped_at_) {
    const Instant left = std::max(state_.now, state_.ledger().now());
    state_.leases().stamp_again(left);
    state_.ledger().stamp_again(left);
  }
  clock_read_at_ = std::max(clock_read_at_, state_.now);
}

void StorageActor::finish(Turn& turn) {
  const bool recovers = mode_ != Mode::serving;
  if (!recovers) {
    heartbeats_.answer_news(turn);
    news_.tell_changes(turn);
    if (state_.ledger().has_started() && !std::exchange(stamp_tick_set_, true)) {
      turn.after(Duration::zero(), StampTick{});
    }
    if (const auto due = state_.board().next_due(state_.now, state_.wall_now)) {
      due_alarm_.ring_at(std::max(*due, state_.now), DueTick{}, turn);
    }
  }
  if (!lease_tick_set_ && (recovers || tell_all_due_ || !state_.leases().empty())) {
    lease_tick_set_ = true;
    turn.after(recovers ? recovery_tick : lease_tick, LeaseTick{});
  }
}

void StorageActor::handle(Started&&, Turn& turn) {
  news_.tell_all(turn);
  retention_.start(turn);
  heads_unsaid_ = quiet_heads;
  turn.after(head_tick, HeadTick{});
}

void StorageActor::handle(Claim&& claim, Turn& turn) {
  if (mode_ != Mode::serving) return news_.not_claimed(claim.claim, turn);
  claims_.on(std::move(claim), turn);
}

void StorageActor::handle(CheckAsk&& check, Turn& turn) {
  if (mode_ != Mode::serving) return claims_.answer(check, not_serving(), turn);
  claims_.on(std::move(check), turn);
}

void StorageActor::handle(Acknowledge&& acknowledge, Turn& turn) {
  if (mode_ == Mode::serving) claims_.on(std::move(acknowledge), turn);
}

// What could not leave is ready again at once, rather than at the end of its lease.
void StorageActor::handle(BatchDropped&& dropped, Turn& turn) {
  if (mode_ != Mode::serving || dropped.runs.empty()) return;
  if (!state_.leases().drop_copy(dropped.runs.front())) return;
  for (const JobRun& run : dropped.runs) {
    const Lease* lease = state_.leases().find(run.id);
    if (lease != nullptr && lease->run() == run) ends_.end_undelivered(run.id, turn.random());
  }
}

void StorageActor::handle(Ping&&, Turn& turn) {
  turn.reply(Pong{state_.options.server, state_.options.version, state_.epoch, mode_ == Mode::serving});
}

void StorageActor::handle(LeaseTick&&, Turn& turn) {
  lease_tick_set_ = false;
  if (mode_ == Mode::must_load) reload();
  if (mode_ != Mode::serving) return;
  std::set<SessionNumber> silent;
  for (const JobId job : state_.leases().overdue(state_.now, leases_a_turn)) {
    silent.insert(state_.leases().find(job)->session);
    ends_.end_overdue(job, turn.random());
  }
  // Before the limiter hears that the jobs are ready again.
  for (const SessionNumber number : silent) {
    if (const Session* session = state_.sessions().find(number)) news_.silent(session->row.id, turn);
  }
}

void StorageActor::handle(DueTick&&, Turn&) {
  due_alarm_.rang(state_.now);
  if (mode_ != Mode::serving) return;
  for (const LanePosition& place : state_.board().move_due(state_.now, state_.wall_now, due_a_turn)) {
    auto row = state_.store.job(place.id);
    if (!row || !*row) continue;
    (*row)->ready_at = place.ready_at;
    (*row)->run_at_ms.reset();
    state_.store.change_job(change_of(**row));
  }
}

void StorageActor::handle(HeartbeatTick&& tick, Turn& turn) { heartbeats_.on(std::move(tick), turn); }

void StorageActor::handle(PruneTick&& tick, Turn& turn) {
  if (mode_ != Mode::serving) return retention_.postpone(turn);
  retention_.on(std::move(tick), turn);
}

void StorageActor::handle(SnapshotWanted&& wanted, Turn& turn) {
  if (mode_ == Mode::serving) news_.on(std::move(wanted), turn);
}

void StorageActor::handle(HeadTick&&, Turn& turn) {
  turn.after(head_tick, HeadTick{});
  ++heads_unsaid_;
  if (mode_ != Mode::serving) return;
  limits_.tick();
  news_.tell_heads(turn);
}

Error StorageActor::not_serving() {
  return {ErrorCode::storage_unavailable,
          "the storage could not write and is recovering; whether the request was "
          "done is not known: send it again",
          {},
          {},
          retry_when_unavailable_ms};
}

void StorageActor::reload() {
  state_.store.rollback();
  start_.now = state_.now;
  start_.wall_now = state_.wall_now;
  if (!load_state(state_, start_)) return;
  mode_ = Mode::must_commit;
  tell_all_due_ = true;
}

}  // namespace stint
