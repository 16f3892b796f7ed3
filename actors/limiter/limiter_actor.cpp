#include "actors/limiter/limiter_actor.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "protocol/bounds.hpp"

namespace stint {

namespace {

constexpr Duration rest_after_refusal = from_ms(100);
constexpr Duration wait_for_claim = from_ms(10);
constexpr Duration repeat_claim_after = from_ms(200);
constexpr Duration repeat_check_after = from_ms(200);
constexpr Duration want_snapshot_again_after = from_ms(200);

// In a turn that is late the wait may be over.
void retry_within(Duration wait, Batch& answer) {
  const std::int64_t wait_ms = to_ms(std::max(wait, Duration::zero()));
  answer.retry_in_ms = std::min(wait_ms, answer.retry_in_ms.value_or(wait_ms));
}

bool offers_permits(const RequestBatch& request) {
  if (request.max && *request.max <= 0) return false;
  return std::any_of(request.queues.begin(), request.queues.end(),
                     [](const auto& queue) { return queue.second > 0; });
}

Error overloaded(std::string message) {
  Error error{ErrorCode::overloaded, std::move(message)};
  error.retry_in_ms = 1'000;
  return error;
}

Instant end_of_wait(const RequestBatch& request, Instant now) {
  return now + from_ms(std::clamp<std::int64_t>(request.wait_ms, 0, Bounds::wait_ms));
}

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

// --- Asks ---

bool LimiterActor::is_certainly_new(const Session& session, std::int64_t ask) const {
  return session.highest_answered && ask > *session.highest_answered && !session.answered.contains(ask);
}

bool LimiterActor::has_room_for(const Session& session, const RequestBatch& request) const {
  const auto open_bound = static_cast<std::size_t>(Bounds::open_asks);
  return session.open.size() < open_bound && session.answered.ranges() <= open_bound &&
         asks_.size() < bounds_.asks &&
         lanes_.entries() + request.queues.size() * session.handlers->size() <= bounds_.lane_entries;
}

void LimiterActor::open_ask(Session& session, RequestBatch&& request, const Address& asker, Turn& turn) {
  if (!offers_permits(request)) {
    session.answered.add(request.ask);
    turn.send(asker, empty_answer(request, turn));
    return;
  }
  if (!has_room_for(session, request)) {
    turn.send(asker, overloaded("too many open asks"));
    return;
  }
  const AskAge age = ++ages_;
  session.open.emplace(request.ask, age);
  Ask& ask = asks_[age];
  ask.deadline = end_of_wait(request, turn.now());
  ask.askers = {asker};
  ask.request = std::move(request);
  park(age, turn);
}

void LimiterActor::repeat_ask(AskAge age, const RequestBatch& request, const Address& asker, Turn& turn) {
  Ask& ask = asks_.at(age);
  ask.deadline = end_of_wait(request, turn.now());
  add_asker(ask.state == AskState::claiming ? ask.late_askers : ask.askers, asker, turn);
  if (ask.state == AskState::parked) set_due(age, ask.deadline, turn);
}

void LimiterActor::park(AskAge age, Turn& turn) {
  Ask& ask = asks_.at(age);
  ask.state = AskState::parked;
  lanes_.park(age, ask.request.queues, *sessions_.at(ask.request.session).handlers);
  for (const auto& [queue, permits] : ask.request.queues) serve(queue, turn);
  if (ask.state != AskState::parked) return;
  if (ask.deadline <= turn.now() && !waits_for_a_claim(ask)) {
    close_empty(age, turn);
  } else {
    set_due(age, ask.deadline, turn);
  }
}

// The newest askers are the likeliest to be still there. What the others are told leaves the ask open.
void LimiterActor::add_asker(std::vector<Address>& askers, const Address& asker, Turn& turn) {
  // Its door passed it on again.
  if (std::find(askers.begin(), askers.end(), asker) != askers.end()) return;
  if (askers.size() >= bounds_.askers) {
    turn.send(askers.front(), overloaded("the ask was repeated too often"));
    askers.erase(askers.begin());
  }
  askers.push_back(asker);
}

void LimiterActor::close_empty(AskAge age, Turn& turn) {
  const Ask& ask = asks_.at(age);
  const Batch answer = empty_answer(ask.request, turn);
  for (const Address& asker : ask.askers) turn.send(asker, answer);
  erase_ask(age);
}

void LimiterActor::erase_ask(AskAge age) {
  const auto ask = asks_.find(age);
  const RequestBatch& request = ask->second.request;
  if (const auto found = sessions_.find(request.session); found != sessions_.end()) {
    Session& session = found->second;
    if (ask->second.state == AskState::parked) lanes_.unpark(age, request.queues, *session.handlers);
    session.open.erase(request.ask);
    if (request.ask > session.got) session.answered.add(request.ask);
  }
  due_.erase({ask->second.due, age});
  asks_.erase(ask);
}

void LimiterActor::set_due(AskAge age, Instant due, Turn& turn) {
  Ask& ask = asks_.at(age);
  due_.erase({ask.due, age});
  ask.due = due;
  due_.emplace(due, age);
  set_tick(due, turn);
}

void LimiterActor::set_tick(Instant at, Turn& turn) {
  if (tick_at_ && *tick_at_ <= at) return;
  tick_at_ = std::max(at, turn.now());
  turn.after(*tick_at_ - turn.now(), AskTick{});
}

bool LimiterActor::waits_for_a_claim(const Ask& ask) const {
  return std::any_of(ask.request.queues.begin(), ask.request.queues.end(),
                     [&](const auto& queue) { return claimed_queues_.count(queue.first) > 0; });
}

void LimiterActor::check(RequestBatch&& request, const Address& asker, Turn& turn) {
  if (options_.is_apart) {
    if (checks_.size() >= bounds_.asks) return turn.send(asker, overloaded("too many open asks"));
    checks_.add(request, asker, turn.now());
  }
  turn.send({Place::storage}, CheckAsk{std::move(request), asker});
}

void LimiterActor::repeat_checks(std::vector<CheckAsk>&& checks, Turn& turn) {
  for (CheckAsk& check : checks) turn.send({Place::storage}, std::move(check));
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

// --- Answers without jobs ---

std::optional<Error> LimiterActor::fault_of(const RequestBatch& request) const {
  if (!options_.homes) return std::nullopt;
  for (const auto& [queue, permits] : request.queues) {
    const Homes::Limiter& home = options_.homes->of(queue);
    if (home.node == options_.self) continue;
    return Error{ErrorCode::bad_message,
                 "queue " + queue + " is at home at " + home.name +
                     ": ask for it apart from queues that have another home (`welcome.homes`)",
                 "queues." + queue};
  }
  return std::nullopt;
}

Batch LimiterActor::empty_answer(const RequestBatch& request, Turn& turn) const {
  Batch answer{request.ask, {}, EmptyReason::no_permits, std::nullopt};
  if (!offers_permits(request)) return answer;
  answer.reason = EmptyReason::none;
  const auto session = sessions_.find(request.session);
  if (session == sessions_.end()) return answer;
  for (const auto& [queue, permits] : request.queues) {
    if (!lanes_.has_ready(queue, *session->second.handlers)) continue;
    if (gates_.room(LimitScope::queue, queue, turn.now()) <= 0) {
      explain_hold(LimitScope::queue, queue, answer, turn);
      continue;
    }
    for (const std::string& handler : *session->second.handlers) {
      if (lanes_.is_ready(queue, handler) && gates_.room(LimitScope::handler, handler, turn.now()) <= 0) {
        explain_hold(LimitScope::handler, handler, answer, turn);
      }
    }
  }
  for (const HeldLane& lane : held_lanes_) {
    const Handlers& served = session->second.handlers;
    if (request.queues.count(lane.queue) == 0) continue;
    if (!std::binary_search(served->begin(), served->end(), lane.handler)) continue;
    answer.reason = EmptyReason::limited;
    retry_within(lane.until - turn.now(), answer);
  }
  return answer;
}

// A limit counts for more than a pause: it ends by itself.
void LimiterActor::explain_hold(LimitScope scope, const std::string& name, Batch& answer, Turn& turn) const {
  const Gate& gate = *gates_.find(scope, name);
  const bool is_paused = gate.closed(turn.now()) == Closed::paused;
  if (!is_paused) {
    answer.reason = EmptyReason::limited;
  } else if (answer.reason == EmptyReason::none) {
    answer.reason = EmptyReason::paused;
  }
  if (const auto wait = gate.until_room(turn.now())) retry_within(*wait, answer);
}

// --- Claims ---

void LimiterActor::serve(const std::string& queue, Turn& turn) {
  if (claimed_queues_.count(queue) > 0) return;
  if (gates_.room(LimitScope::queue, queue, turn.now()) <= 0) return;
  if (const auto age = lanes_.oldest_servable(queue)) claim_for(*age, turn);
}

void LimiterActor::claim_for(AskAge age, Turn& turn) {
  Ask& ask = asks_.at(age);
  const Session& session = sessions_.at(ask.request.session);
  ClaimOnItsWay on_its_way;
  on_its_way.ask = age;
  Claim& claim = on_its_way.claim;
  claim.claim = ++claims_made_;
  claim.session = ask.request.session;
  claim.ask = ask.request.ask;
  claim.askers = ask.askers;
  for (const auto& [queue, permits] : ask.request.queues) {
    if (claimed_queues_.count(queue) > 0 || !lanes_.has_startable(queue, *session.handlers)) continue;
    const std::int64_t most = std::min(permits, gates_.room(LimitScope::queue, queue, turn.now()));
    if (most <= 0) continue;
    claim.queues.emplace(queue, most);
    claim.most += most;
    on_its_way.queues.push_back(queue);
    claimed_queues_.insert(queue);
  }
  assert(!claim.queues.empty());
  if (ask.request.max) claim.most = std::min(claim.most, *ask.request.max);
  lanes_.unpark(age, ask.request.queues, *session.handlers);
  ask.state = AskState::claiming;
  due_.erase({ask.due, age});
  turn.send({Place::storage}, claim);
  on_its_way.repeat_at = turn.now() + repeat_claim_after;
  claims_.emplace(claim.claim, std::move(on_its_way));
  if (options_.is_apart) set_gate_tick(turn);
}

void LimiterActor::repeat_claims(Turn& turn) {
  if (!options_.is_apart) return;
  for (auto& [number, claim] : claims_) {
    if (claim.outcome || claim.repeat_at > turn.now()) continue;
    claim.claim.is_repeated = true;
    claim.repeat_at = turn.now() + repeat_claim_after;
    turn.send({Place::storage}, claim.claim);
  }
}

void LimiterActor::settle(const ClaimOnItsWay& claim, Turn& turn) {
  for (const std::string& queue : claim.queues) claimed_queues_.erase(queue);
  for (const RefusedLane& lane : claim.outcome->refused) {
    lanes_.hold_lane(lane.queue, lane.handler, true);
    held_lanes_.insert({turn.now() + lane.retry_in, lane.queue, lane.handler});
  }
  set_gate_tick(turn);
  if (claim.outcome->taken > 0) {
    // Who asked again meanwhile is not among those whom storage has answered.
    Ask& ask = asks_.at(claim.ask);
    for (const Address& asker : ask.late_askers) check(RequestBatch(ask.request), asker, turn);
    if (claim.may_be_lost) {
      for (const Address& asker : ask.askers) check(RequestBatch(ask.request), asker, turn);
    }
    erase_ask(claim.ask);
  } else {
    take_back(claim, turn);
  }
  for (const std::string& queue : claim.queues) serve(queue, turn);
}

void LimiterActor::take_back(const ClaimOnItsWay& claim, Turn& turn) {
  Ask& ask = asks_.at(claim.ask);
  for (const Address& asker : std::exchange(ask.late_askers, {})) add_asker(ask.askers, asker, turn);
  ask.state = AskState::resting;
  const auto session = sessions_.find(ask.request.session);
  if (session == sessions_.end() || ask.request.ask <= session->second.got) {
    close_empty(claim.ask, turn);
    return;
  }
  const bool refused = std::any_of(claim.queues.begin(), claim.queues.end(), [&](const std::string& queue) {
    return gates_.room(LimitScope::queue, queue, turn.now()) > 0 &&
           lanes_.has_startable(queue, *session->second.handlers);
  });
  if (!refused) {
    park(claim.ask, turn);
  } else {
    set_due(claim.ask, std::min(ask.deadline, turn.now() + rest_after_refusal), turn);
  }
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
