#include <algorithm>

#include "actors/limiter/limiter_actor.hpp"
#include "protocol/bounds.hpp"

namespace stint {

namespace {

void retry_within(Duration wait, Batch& answer) {
  const std::int64_t wait_ms = to_ms(std::max(wait, Duration::zero()));
  answer.retry_in_ms = std::min(wait_ms, answer.retry_in_ms.value_or(wait_ms));
}

bool offers_permits(const RequestBatch& request) {
  if (request.max && *request.max <= 0) return false;
  return std::any_of(request.queues.begin(), request.queues.end(),
                     [](const auto& queue) { return queue.second > 0; });
}

Instant end_of_wait(const RequestBatch& request, Instant now) {
  return now + from_ms(std::clamp<std::int64_t>(request.wait_ms, 0, Bounds::wait_ms));
}

}  // namespace

// --- Asks ---

bool LimiterActor::is_certainly_new(const Session& session, std::int64_t ask) const {
  return session.highest_answered && ask > *session.highest_answered && !session.answered.contains(ask);
}

bool LimiterActor::is_open(const Session& session, AskAge age) const {
  const auto open = session.open.find(asks_.at(age).request.ask);
  return open != session.open.end() && open->second == age;
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
    if (is_open(session, age)) session.open.erase(request.ask);
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

// --- Answers without jobs ---

Error LimiterActor::overloaded(std::string message) {
  Error error{ErrorCode::overloaded, std::move(message)};
  error.retry_in_ms = 1'000;
  return error;
}

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

}  // namespace stint
