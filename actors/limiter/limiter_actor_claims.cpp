#include <algorithm>
#include <cassert>

#include "actors/limiter/limiter_actor.hpp"

namespace stint {

namespace {

constexpr Duration rest_after_refusal = from_ms(100);
constexpr Duration repeat_claim_after = from_ms(200);

}  // namespace

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
  const bool is_its = session != sessions_.end() && is_open(session->second, claim.ask);
  if (!is_its || ask.request.ask <= session->second.got) {
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

}  // namespace stint
