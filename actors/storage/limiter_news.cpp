#include "actors/storage/limiter_news.hpp"

namespace stint {

namespace {

constexpr Address limiter{Place::limiter, 0};

}  // namespace

void LimiterNews::tell_all(Turn& turn) {
  for (const auto& [number, session] : state_.sessions().all()) {
    if (session.open()) opened(session, turn);
  }
  std::vector<ReadyCount> counts;
  for (const auto& [queue, handler] : std::exchange(told_before_reload_, {})) {
    if (state_.board().lanes.find(queue, handler) == nullptr) counts.push_back({queue, handler, 0});
  }
  state_.board().lanes.settle([](const LaneGroup&) {});
  for (const auto& [queue, lanes] : state_.board().lanes.queues()) {
    for (const auto& [handler, group] : lanes.groups) {
      counts.push_back({queue, std::string(handler), group->counts.waiting});
    }
  }
  send(std::move(counts), turn);
}

void LimiterNews::tell_lanes(Turn& turn) {
  std::vector<ReadyCount> counts;
  state_.board().lanes.settle([&](const LaneGroup& group) {
    counts.push_back({group.queue, group.handler, group.counts.waiting});
  });
  if (!counts.empty()) send(std::move(counts), turn);
}

void LimiterNews::opened(const Session& session, Turn& turn) {
  turn.send(limiter, SessionOpened{session.row.id, session.handler_list, session.highest_answered});
}

void LimiterNews::ended(const SessionId& session, Turn& turn) { turn.send(limiter, SessionEnded{session}); }

void LimiterNews::silent(const SessionId& session, Turn& turn) { turn.send(limiter, SessionSilent{session}); }

void LimiterNews::before_reload() {
  for (const auto& [queue, lanes] : state_.board().lanes.queues()) {
    for (const auto& [handler, group] : lanes.groups) {
      if (group->settled_waiting != 0) told_before_reload_.emplace(queue, handler);
    }
  }
}

void LimiterNews::send(std::vector<ReadyCount> counts, Turn& turn) {
  turn.send(limiter, LanesChanged{++sequence_, std::move(counts)});
}

}  // namespace stint
