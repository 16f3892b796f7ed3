#include "actors/limiter/limiter_actor.hpp"

#include <algorithm>
#include <limits>

namespace stint {

namespace {

constexpr Duration wait_for_claim = from_ms(10);
constexpr Duration repeat_check_after = from_ms(200);
constexpr Duration want_snapshot_again_after = from_ms(200);

}  // namespace

// --- Messages ---

void LimiterActor::on(Started&&, Turn& turn) {
  if (options_.is_apart) want_snapshot(turn);
}

void LimiterActor::on(RequestBatch&& request, Turn& turn) {
  if (auto fault = fault_of(request)) return turn.reply(std::move(*fault));
  acknowledge(request.session, request.got, turn);
  const auto found = sessions_.find(request.session);
  if (found == sessions_.end()) {
    return check(std::move(request), turn.sender(), turn);
  }
  Session& session = found->second;
  heard_.splice(heard_.begin(), heard_, session.place);
  if (request.ask <= session.got) {  // overtaken: its session has the answer and waits for none
    turn.reply(empty_answer(request, turn));
  } else if (const auto open = session.open.find(request.ask); open != session.open.end()) {
    repeat_ask(open->second, request, turn.sender(), turn);
  } else if (is_certainly_new(session, request.ask)) {
    open_ask(session, std::move(request), turn.sender(), turn);
  } else {
    check(std::move(request), turn.sender(), turn);
  }
}

void LimiterActor::on(AskIsNew&& told, Turn& turn) {
  checks_.settle(told.asker);
  acknowledge(told.ask.session, told.ask.got, turn);
  const auto found = sessions_.find(told.ask.session);
  if (found == sessions_.end()) {
    turn.send(told.asker, overloaded("too many sessions"));
    return;
  }
  Session& session = found->second;
  const std::int64_t number = told.ask.ask;
  if (const auto open = session.open.find(number); open != session.open.end()) {
    repeat_ask(open->second, told.ask, told.asker, turn);
  } else if (number <= session.got || session.answered.contains(number)) {
    // Storage has no batch for it: it was answered empty, or its batch has come to nothing since.
    turn.send(told.asker, empty_answer(told.ask, turn));
  } else {
    open_ask(session, std::move(told.ask), told.asker, turn);
  }
}

void LimiterActor::on(AskAnswered&& told, Turn&) { checks_.settle(told.asker); }

void LimiterActor::on(SessionOpened&& opened, Turn& turn) {
  const auto found = sessions_.find(opened.session);
  if (found == sessions_.end()) {
    if (!make_room_for_session()) return;
    heard_.push_front(opened.session);
    Session& session = sessions_[opened.session];
    session.handlers = std::move(opened.handlers);
    session.highest_answered = opened.highest_answered;
    session.place = heard_.begin();
    return;
  }
  Session& session = found->second;
  if (session.handlers == opened.handlers || *session.handlers == *opened.handlers) return;
  std::set<std::string> queues;
  for (const auto& [number, age] : session.open) {
    Ask& ask = asks_.at(age);
    if (ask.state != AskState::parked) continue;
    lanes_.unpark(age, ask.request.queues, *session.handlers);
    lanes_.park(age, ask.request.queues, *opened.handlers);
    for (const auto& [queue, permits] : ask.request.queues) queues.insert(queue);
  }
  session.handlers = std::move(opened.handlers);
  for (const std::string& queue : queues) serve(queue, turn);
}

void LimiterActor::on(SessionEnded&& ended, Turn& turn) {
  const auto found = sessions_.find(ended.session);
  if (found == sessions_.end()) return;
  close_open_asks_up_to(found->second, std::numeric_limits<std::int64_t>::max(), turn);
  heard_.erase(found->second.place);
  sessions_.erase(found);
}

void LimiterActor::on(SessionSilent&& silent, Turn& turn) {
  const auto found = sessions_.find(silent.session);
  if (found == sessions_.end()) return;
  close_open_asks_up_to(found->second, std::numeric_limits<std::int64_t>::max(), turn);
}

void LimiterActor::on(LimiterDelta&& delta, Turn& turn) {
  if (delta.is_snapshot) {
    if (delta.epoch < epoch_) return;
    epoch_ = delta.epoch;
    snapshot_wanted_at_.reset();
    lanes_.forget_ready();
    gates_.clear();
    held_lanes_.clear();
    // Storage may have been rebuilt, and what it was asked forgotten.
    repeat_checks(checks_.say_again(turn.now() - repeat_check_after, turn.now()), turn);
  } else if (delta.epoch != epoch_ || delta.sequence != seen_ + 1) {
    const bool is_old = delta.epoch < epoch_ || (delta.epoch == epoch_ && delta.sequence <= seen_);
    return is_old ? void() : want_snapshot(turn);
  }
  seen_ = delta.sequence;
  std::set<std::string> opened;
  for (const ReadyCount& count : delta.counts) {
    lanes_.set_ready(count.queue, count.handler, count.ready);
    if (count.ready > 0) opened.insert(count.queue);
  }
  for (GateNews& news : delta.gates) learn(std::move(news), opened, turn);
  set_gate_tick(turn);
  settle_known(turn);
  for (const std::string& queue : opened) serve(queue, turn);
}

void LimiterActor::on(LimiterHead&& head, Turn& turn) {
  if (head.epoch != epoch_ || head.sequence != seen_) want_snapshot(turn);
}

void LimiterActor::on(LinkUp&&, Turn& turn) {
  snapshot_wanted_at_.reset();
  want_snapshot(turn);
  for (auto& [number, claim] : claims_) {
    claim.repeat_at = turn.now();
    claim.may_be_lost = true;
  }
  repeat_claims(turn);
  repeat_checks(checks_.say_again(turn.now(), turn.now()), turn);
}

void LimiterActor::on(Claimed&& claimed, Turn& turn) {
  const auto claim = claims_.find(claimed.claim);
  if (claim == claims_.end()) return;  // of before a commit that failed
  claim->second.outcome = std::move(claimed);
  settle_known(turn);
}

void LimiterActor::on(GateTick&&, Turn& turn) {
  if (gate_tick_at_ && *gate_tick_at_ <= turn.now()) gate_tick_at_.reset();
  std::set<std::string> opened;
  for (const auto& [scope, name] : gates_.take_due(turn.now())) {
    if (scope == LimitScope::queue) {
      opened.insert(name);
    } else {
      look_at_handler(name, opened, turn);
    }
  }
  while (!held_lanes_.empty() && held_lanes_.begin()->until <= turn.now()) {
    const HeldLane lane = *held_lanes_.begin();
    held_lanes_.erase(held_lanes_.begin());
    lanes_.hold_lane(lane.queue, lane.handler, false);
    opened.insert(lane.queue);
  }
  repeat_claims(turn);
  for (const std::string& queue : opened) serve(queue, turn);
  set_gate_tick(turn);
}

void LimiterActor::on(AskTick&&, Turn& turn) {
  if (tick_at_ && *tick_at_ <= turn.now()) tick_at_.reset();
  while (!due_.empty() && due_.begin()->first <= turn.now()) {
    const AskAge age = due_.begin()->second;
    const Ask& ask = asks_.at(age);
    if (waits_for_a_claim(ask)) {  // whether there is work for it is not known before that
      set_due(age, turn.now() + wait_for_claim, turn);
    } else if (ask.deadline <= turn.now()) {
      close_empty(age, turn);
    } else {
      park(age, turn);
    }
  }
  if (!due_.empty()) set_tick(due_.begin()->first, turn);
}

void LimiterActor::rolled_back(Turn&) {
  sessions_.clear();
  heard_.clear();
  asks_.clear();
  due_.clear();
  lanes_ = {};
  gates_.clear();
  held_lanes_.clear();
  seen_ = 0;
  claims_.clear();
  claimed_queues_.clear();
  checks_ = {};
}

// --- News ---

void LimiterActor::want_snapshot(Turn& turn) {
  if (snapshot_wanted_at_ && turn.now() - *snapshot_wanted_at_ < want_snapshot_again_after) return;
  snapshot_wanted_at_ = turn.now();
  turn.send({Place::storage}, SnapshotWanted{});
}

bool LimiterActor::is_known(const Claimed& outcome) const {
  return outcome.epoch < epoch_ || (outcome.epoch == epoch_ && outcome.sequence <= seen_);
}

// What an answer includes must be known before anything else is claimed (rule L12).
void LimiterActor::settle_known(Turn& turn) {
  std::vector<ClaimOnItsWay> known;
  for (auto claim = claims_.begin(); claim != claims_.end();) {
    if (claim->second.outcome && is_known(*claim->second.outcome)) {
      known.push_back(std::move(claim->second));
      claim = claims_.erase(claim);
    } else {
      ++claim;
    }
  }
  for (const ClaimOnItsWay& claim : known) settle(claim, turn);
}

void LimiterActor::learn(GateNews&& news, std::set<std::string>& opened, Turn& turn) {
  const LimitScope scope = news.scope;
  const std::string name = news.name;
  gates_.learn(std::move(news), turn.now());
  if (scope == LimitScope::queue) {
    if (gates_.room(scope, name, turn.now()) > 0) opened.insert(name);
  } else {
    look_at_handler(name, opened, turn);
  }
}

void LimiterActor::look_at_handler(const std::string& handler, std::set<std::string>& opened, Turn& turn) {
  const bool is_closed = gates_.room(LimitScope::handler, handler, turn.now()) <= 0;
  for (std::string& queue : lanes_.hold_handler(handler, is_closed)) {
    if (!is_closed) opened.insert(std::move(queue));
  }
}

std::optional<Instant> LimiterActor::next_gate_tick() const {
  std::optional<Instant> next = gates_.next_due();
  const auto include = [&](Instant at) { next = next ? std::min(*next, at) : at; };
  if (!held_lanes_.empty()) include(held_lanes_.begin()->until);
  if (options_.is_apart) {
    for (const auto& [number, claim] : claims_) {
      if (!claim.outcome) include(claim.repeat_at);
    }
  }
  return next;
}

void LimiterActor::set_gate_tick(Turn& turn) {
  const auto next = next_gate_tick();
  if (!next || (gate_tick_at_ && *gate_tick_at_ <= *next)) return;
  gate_tick_at_ = std::max(*next, turn.now());
  turn.after(*gate_tick_at_ - turn.now(), GateTick{});
}

// --- Sessions ---

// Storage hears of it even if the session is not known here: it may still hold a batch of it.
void LimiterActor::acknowledge(const SessionId& id, std::int64_t got, Turn& turn) {
  if (got <= 0) return;
  if (const auto found = sessions_.find(id); found != sessions_.end()) {
    Session& session = found->second;
    if (got <= session.got) return;
    session.got = got;
    session.answered.forget_up_to(got);
    // Such an ask was answered in an earlier life of this server, and this is an old copy of it.
    close_open_asks_up_to(session, got, turn);
  }
  turn.send({Place::storage}, Acknowledge{id, got});
}

void LimiterActor::close_open_asks_up_to(const Session& session, std::int64_t number, Turn& turn) {
  std::vector<AskAge> ages;
  for (auto open = session.open.begin(); open != session.open.end() && open->first <= number; ++open) {
    if (asks_.at(open->second).state != AskState::claiming) ages.push_back(open->second);
  }
  for (const AskAge age : ages) close_empty(age, turn);
}

// A forgotten session comes back with its next ask, by way of storage.
bool LimiterActor::make_room_for_session() {
  for (auto id = heard_.end(); sessions_.size() >= bounds_.sessions && id != heard_.begin();) {
    --id;
    if (!sessions_.at(*id).open.empty()) continue;
    sessions_.erase(*id);
    id = heard_.erase(id);
  }
  return sessions_.size() < bounds_.sessions;
}

}  // namespace stint
