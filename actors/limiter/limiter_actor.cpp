#include "actors/limiter/limiter_actor.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "protocol/bounds.hpp"

namespace stint {

namespace {

constexpr Duration rest_after_refusal = from_ms(100);
constexpr Duration wait_for_claim = from_ms(10);

bool offers_permits(const RequestBatch& request) {
  if (request.max && *request.max <= 0) return false;
  return std::any_of(request.queues.begin(), request.queues.end(),
                     [](const auto& queue) { return queue.second > 0; });
}

Batch empty_answer(const RequestBatch& request) {
  const EmptyReason reason = offers_permits(request) ? EmptyReason::none : EmptyReason::no_permits;
  return Batch{request.ask, {}, reason, std::nullopt};
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

void LimiterActor::on(RequestBatch&& request, Turn& turn) {
  acknowledge(request.session, request.got, turn);
  const auto found = sessions_.find(request.session);
  if (found == sessions_.end()) {
    turn.send({Place::storage}, CheckAsk{std::move(request), turn.sender()});
    return;
  }
  Session& session = found->second;
  heard_.splice(heard_.begin(), heard_, session.place);
  if (request.ask <= session.got) {  // overtaken: its session has the answer and waits for none
    turn.reply(empty_answer(request));
  } else if (const auto open = session.open.find(request.ask); open != session.open.end()) {
    repeat_ask(open->second, request, turn.sender(), turn);
  } else if (is_certainly_new(session, request.ask)) {
    open_ask(session, std::move(request), turn.sender(), turn);
  } else {
    turn.send({Place::storage}, CheckAsk{std::move(request), turn.sender()});
  }
}

void LimiterActor::on(AskIsNew&& told, Turn& turn) {
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
    turn.send(told.asker, empty_answer(told.ask));
  } else {
    open_ask(session, std::move(told.ask), told.asker, turn);
  }
}

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

void LimiterActor::on(LanesChanged&& changed, Turn& turn) {
  lanes_seen_ = changed.sequence;
  for (const ReadyCount& count : changed.counts) lanes_.set_ready(count.queue, count.handler, count.ready);
  for (auto claim = claims_.begin(); claim != claims_.end();) {
    if (claim->second.outcome && claim->second.outcome->sequence <= lanes_seen_) {
      const ClaimOnItsWay settled = std::move(claim->second);
      claim = claims_.erase(claim);
      settle(settled, turn);
    } else {
      ++claim;
    }
  }
  for (const ReadyCount& count : changed.counts) {
    if (count.ready > 0) serve(count.queue, turn);
  }
}

void LimiterActor::on(Claimed&& claimed, Turn& turn) {
  const auto claim = claims_.find(claimed.claim);
  if (claim == claims_.end()) return;  // of before a commit that failed
  claim->second.outcome = claimed;
  if (claimed.sequence > lanes_seen_) return;
  const ClaimOnItsWay settled = std::move(claim->second);
  claims_.erase(claim);
  settle(settled, turn);
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
  lanes_seen_ = 0;
  claims_.clear();
  claimed_queues_.clear();
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
    turn.send(asker, empty_answer(request));
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
  if (askers.size() >= bounds_.askers) {
    turn.send(askers.front(), overloaded("the ask was repeated too often"));
    askers.erase(askers.begin());
  }
  askers.push_back(asker);
}

void LimiterActor::close_empty(AskAge age, Turn& turn) {
  const Ask& ask = asks_.at(age);
  for (const Address& asker : ask.askers) turn.send(asker, empty_answer(ask.request));
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

// --- Claims ---

void LimiterActor::serve(const std::string& queue, Turn& turn) {
  if (claimed_queues_.count(queue) > 0) return;
  if (const auto age = lanes_.oldest_servable(queue)) claim_for(*age, turn);
}

// How many jobs of a queue may start now for an ask with so many permits. The queue's tokens, its running
// limit and the windows of its handlers will have their say here.
std::int64_t LimiterActor::may_start(const std::string&, std::int64_t permits) const { return permits; }

void LimiterActor::claim_for(AskAge age, Turn& turn) {
  Ask& ask = asks_.at(age);
  const Session& session = sessions_.at(ask.request.session);
  Claim claim{++claims_made_, ask.request.session, ask.request.ask, {}, 0, ask.askers};
  ClaimOnItsWay on_its_way;
  on_its_way.ask = age;
  for (const auto& [queue, permits] : ask.request.queues) {
    if (claimed_queues_.count(queue) > 0 || !lanes_.has_ready(queue, *session.handlers)) continue;
    const std::int64_t most = may_start(queue, permits);
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
  claims_.emplace(claim.claim, std::move(on_its_way));
  turn.send({Place::storage}, std::move(claim));
}

void LimiterActor::settle(const ClaimOnItsWay& claim, Turn& turn) {
  for (const std::string& queue : claim.queues) claimed_queues_.erase(queue);
  if (claim.outcome->taken > 0) {
    // Who asked again meanwhile is not among those whom storage has answered.
    const Ask& ask = asks_.at(claim.ask);
    for (const Address& asker : ask.late_askers) turn.send({Place::storage}, CheckAsk{ask.request, asker});
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
    return lanes_.has_ready(queue, *session->second.handlers);
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
