#include "actors/storage/heartbeats.hpp"

#include <algorithm>
#include <utility>

#include "actors/jobs/backoff.hpp"

namespace stint {

void Heartbeats::on(Heartbeat&& heartbeat, Turn& turn) {
  Session* session = desk_.hear(heartbeat.session, heartbeat.got);
  if (session == nullptr) return turn.reply(SessionDesk::unknown_session());
  if (session->parked) answer(*session, turn);

  HeartbeatOk news;
  bool is_new = false;
  for (const RunningJob& running : heartbeat.jobs) {
    const JobRun run{running.id, running.run};
    Lease* lease = state_.leases().find(running.id);
    if (lease == nullptr || lease->run() != run || lease->session != session->number()) {
      news.lost.push_back(run);
      is_new = true;
      continue;
    }
    desk_.acknowledge(lease->receipt);
    state_.leases().extend(*lease, state_.now);
    if (running.progress) lease->progress = running.progress;
    if (!lease->job.cancel_requested) continue;
    news.cancel.push_back(run);
    // Told again with every heartbeat, but only the first time is worth an early answer.
    is_new |= !std::exchange(lease->cancel_told, true);
  }
  if (is_new || heartbeat.wait_ms <= 0) return turn.reply(std::move(news));
  const Instant until = later(state_.now, std::min(heartbeat.wait_ms, Bounds::wait_ms));
  session->parked = ParkedHeartbeat{turn.sender(), until, {}, std::move(news.cancel)};
  parked_.insert({until, session->number()});
  alarm_.ring_at(until, HeartbeatTick{}, turn);
}

void Heartbeats::on(HeartbeatTick&&, Turn& turn) {
  alarm_.rang(state_.now);
  while (!parked_.empty() && parked_.begin()->first <= state_.now) {
    const auto [until, number] = *parked_.begin();
    parked_.erase(parked_.begin());
    Session* session = state_.sessions().find(number);
    // It may have been answered, and another one be parked in its place.
    if (session != nullptr && session->parked && session->parked->until == until) answer(*session, turn);
  }
  if (!parked_.empty()) alarm_.ring_at(parked_.begin()->first, HeartbeatTick{}, turn);
}

void Heartbeats::tell_cancel(Lease& lease) {
  Session* session = state_.sessions().find(lease.session);
  if (session == nullptr || !session->parked) return;
  lease.cancel_told = true;
  session->parked->cancel.push_back(lease.run());
  state_.sessions().note_news(*session);
}

void Heartbeats::answer_news(Turn& turn) {
  for (const SessionNumber number : state_.sessions().take_with_news()) {
    Session* session = state_.sessions().find(number);
    if (session != nullptr && session->parked) answer(*session, turn);
  }
}

void Heartbeats::answer_all(Turn& turn) {
  for (const auto& until_and_number : parked_) {
    Session* session = state_.sessions().find(until_and_number.second);
    if (session != nullptr) state_.sessions().note_news(*session);
  }
  answer_news(turn);
  parked_.clear();
}

void Heartbeats::answer(Session& session, Turn& turn) {
  ParkedHeartbeat parked = std::move(*session.parked);
  session.parked.reset();
  parked_.erase({parked.until, session.number()});
  turn.send(parked.asker, HeartbeatOk{std::move(parked.lost), std::move(parked.cancel), SessionState::run});
}

}  // namespace stint
