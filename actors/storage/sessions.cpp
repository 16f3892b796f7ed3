#include "actors/storage/sessions.hpp"

#include <algorithm>
#include <utility>

#include "protocol/bounds.hpp"

namespace stint {

Session& Sessions::add(SessionRow row) {
  const SessionNumber number = row.number;
  Session& session = by_number_[number];
  auto handlers = row.handlers;
  std::sort(handlers.begin(), handlers.end());
  session.handlers.insert(handlers.begin(), handlers.end());
  session.handler_list = std::make_shared<const std::vector<std::string>>(std::move(handlers));
  session.last_message = row.last_message;
  by_id_[row.id] = &session;
  by_worker_[row.worker].insert(number);
  session.row = std::move(row);
  return session;
}

void Sessions::forget(SessionNumber number) {
  const auto session = by_number_.find(number);
  if (session == by_number_.end()) return;
  by_id_.erase(session->second.row.id);
  const auto worker = by_worker_.find(session->second.row.worker);
  worker->second.erase(number);
  if (worker->second.empty()) by_worker_.erase(worker);
  by_number_.erase(session);
}

Session* Sessions::find(const SessionId& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

Session* Sessions::find(SessionNumber number) {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : &found->second;
}

std::vector<Session*> Sessions::of_worker(std::string_view worker) {
  std::vector<Session*> sessions;
  const auto found = by_worker_.find(worker);
  if (found == by_worker_.end()) return sessions;
  for (const SessionNumber number : found->second) sessions.push_back(find(number));
  return sessions;
}

void Sessions::note_news(const Session& session) {
  if (session.parked) with_news_.push_back(session.number());
}

void note_got(Session& session, std::int64_t got) {
  if (got <= session.got) return;
  session.got = got;
  session.over.erase(session.over.begin(), session.over.upper_bound(got));
}

void note_answered(Session& session, std::int64_t ask) {
  if (session.highest_answered) session.highest_answered = std::max(*session.highest_answered, ask);
}

void note_over(Session& session, std::int64_t ask) {
  if (ask <= session.got) return;
  session.over.insert(ask);
  // A worker has so many open at most: older ones it will not repeat.
  if (std::ssize(session.over) > 2 * Bounds::open_asks) session.over.erase(session.over.begin());
}

}  // namespace stint
