#include "actors/storage/limiter_news.hpp"

#include <algorithm>
#include <cassert>

namespace stint {

namespace {

// More than a limiter has on their way at a time.
constexpr std::size_t most_empty_claims = 1'000;

GateNews news_of(const NamedLimit& named) {
  const bool holds = named.gate.rules().any() || named.gate.is_paused_at_all();
  return {named.scope, named.name, holds ? std::optional(named.gate.state()) : std::nullopt};
}

}  // namespace

LimiterNews::LimiterNews(StorageState& state) : state_(state) {
  if (!state.options.homes) {
    streams_.push_back({{Place::limiter, 0}});
    return;
  }
  for (const Homes::Limiter& limiter : state.options.homes->all()) {
    streams_.push_back({{Place::limiter, 0, limiter.node}});
  }
}

void LimiterNews::tell_all(Turn& turn) {
  state_.board().lanes.settle([](const LaneGroup&) {});
  state_.ledger().take_untold();
  for (Stream& stream : streams_) tell_snapshot(stream, turn);
}

// It may have begun a new life, and forgotten what it answered.
void LimiterNews::on(SnapshotWanted&&, Turn& turn) {
  SessionNumber& last_older = state_.loaded->last_older_session;
  last_older = std::max(last_older, state_.loaded->last_session);
  tell_snapshot(stream_of(turn.sender()), turn);
}

void LimiterNews::tell_snapshot(Stream& stream, Turn& turn) {
  for (const auto& [number, session] : state_.sessions().all()) {
    if (session.open()) {
      turn.send(stream.limiter,
                SessionOpened{session.row.id, session.handler_list, session.highest_answered});
    }
  }
  const std::size_t own = static_cast<std::size_t>(&stream - streams_.data());
  LimiterDelta delta;
  delta.is_snapshot = true;
  for (const auto& [queue, lanes] : state_.board().lanes.queues()) {
    if (home_of(queue) != own) continue;
    for (const auto& [handler, group] : lanes.groups) {
      delta.counts.push_back({queue, std::string(handler), group->counts.waiting});
    }
  }
  for (const auto& [key, named] : state_.ledger().names()) {
    if (named.scope == LimitScope::queue && home_of(named.name) != own) continue;
    GateNews news = news_of(named);
    if (news.state) delta.gates.push_back(std::move(news));
  }
  send(stream, std::move(delta), turn);
}

void LimiterNews::tell_changes(Turn& turn) {
  std::vector<LimiterDelta> deltas(streams_.size());
  state_.board().lanes.settle([&](const LaneGroup& group) {
    deltas[home_of(group.queue)].counts.push_back({group.queue, group.handler, group.counts.waiting});
  });
  for (const NamedLimit* named : state_.ledger().take_untold()) {
    if (named->scope == LimitScope::queue) {
      deltas[home_of(named->name)].gates.push_back(news_of(*named));
    } else {
      for (LimiterDelta& delta : deltas) delta.gates.push_back(news_of(*named));
    }
  }
  for (std::size_t index = 0; index < streams_.size(); ++index) {
    if (deltas[index].counts.empty() && deltas[index].gates.empty()) continue;
    send(streams_[index], std::move(deltas[index]), turn);
  }
}

void LimiterNews::tell_heads(Turn& turn) {
  if (!state_.options.homes) return;
  for (const Stream& stream : streams_) turn.send(stream.limiter, LimiterHead{state_.epoch, stream.sequence});
}

void LimiterNews::opened(const Session& session, Turn& turn) {
  to_all(SessionOpened{session.row.id, session.handler_list, session.highest_answered}, turn);
}

void LimiterNews::ended(const SessionId& session, Turn& turn) { to_all(SessionEnded{session}, turn); }

void LimiterNews::silent(const SessionId& session, Turn& turn) { to_all(SessionSilent{session}, turn); }

void LimiterNews::claimed(std::uint64_t claim, std::int64_t taken, std::vector<RefusedLane> refused,
                          Turn& turn) {
  tell_changes(turn);
  Stream& stream = stream_of(turn.sender());
  if (taken == 0 && state_.options.homes) note_empty(stream, claim);
  turn.reply(Claimed{claim, taken, state_.epoch, stream.sequence, std::move(refused)});
}

void LimiterNews::note_empty(Stream& stream, std::uint64_t claim) {
  stream.empty_claims.push_back(claim);
  if (stream.empty_claims.size() > most_empty_claims) stream.empty_claims.pop_front();
}

bool LimiterNews::has_come_to_nothing(std::uint64_t claim, Turn& turn) {
  const auto& claims = stream_of(turn.sender()).empty_claims;
  return std::find(claims.begin(), claims.end(), claim) != claims.end();
}

// Between actors of one node nothing gets lost.
void LimiterNews::answered(const CheckAsk& check, Turn& turn) {
  if (state_.options.homes) turn.reply(AskAnswered{check.asker});
}

void LimiterNews::not_claimed(std::uint64_t claim, Turn& turn) {
  Stream& stream = stream_of(turn.sender());
  if (state_.options.homes) note_empty(stream, claim);
  turn.reply(Claimed{claim, 0, state_.epoch, stream.sequence});
}

std::size_t LimiterNews::home_of(const std::string& queue) const {
  if (streams_.size() == 1) return 0;
  const NodeNumber node = state_.options.homes->of(queue).node;
  const auto stream = std::find_if(streams_.begin(), streams_.end(),
                                   [&](const Stream& each) { return each.limiter.node == node; });
  return static_cast<std::size_t>(stream - streams_.begin());
}

LimiterNews::Stream& LimiterNews::stream_of(const Address& limiter) {
  if (streams_.size() == 1) return streams_.front();
  const auto stream = std::find_if(streams_.begin(), streams_.end(),
                                   [&](const Stream& each) { return each.limiter.node == limiter.node; });
  assert(stream != streams_.end());
  return *stream;
}

void LimiterNews::send(Stream& stream, LimiterDelta delta, Turn& turn) {
  delta.epoch = state_.epoch;
  delta.sequence = ++stream.sequence;
  turn.send(stream.limiter, std::move(delta));
}

template <class Message>
void LimiterNews::to_all(const Message& message, Turn& turn) {
  for (const Stream& stream : streams_) turn.send(stream.limiter, message);
}

}  // namespace stint
