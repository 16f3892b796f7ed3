#include "actors/limiter/lane_index.hpp"

#include <algorithm>

namespace stint {

template <class Change>
void LaneIndex::change(const std::string& queue_name, const std::string& handler, Change change) {
  Queue& queue = queues_[queue_name];
  Lane& lane = queue.lanes[handler];
  if (lane.of_handler == nullptr) {
    lane.of_handler = &handlers_[handler];
    lane.of_handler->queues.insert(queue_name);
  }
  change(lane);
  if (lane.startable() && !lane.asks.empty()) {
    queue.servable.insert(&lane);
  } else {
    queue.servable.erase(&lane);
  }
  if (lane.blank()) drop(queue_name, handler);
}

// What there is nothing to know of goes, so that names that are gone cost nothing.
void LaneIndex::drop(const std::string& queue_name, const std::string& handler) {
  const auto of_handler = handlers_.find(handler);
  of_handler->second.queues.erase(queue_name);
  if (of_handler->second.queues.empty() && !of_handler->second.is_held) handlers_.erase(of_handler);
  Queue& queue = queues_.at(queue_name);
  queue.lanes.erase(handler);
  if (queue.lanes.empty()) queues_.erase(queue_name);
}

void LaneIndex::set_ready(const std::string& queue, const std::string& handler, std::int64_t ready) {
  change(queue, handler, [&](Lane& lane) { lane.ready = ready; });
}

void LaneIndex::forget_ready() {
  for (auto& [handler, lanes] : handlers_) lanes.is_held = false;
  std::vector<std::pair<std::string, std::string>> known;
  for (const auto& [queue_name, queue] : queues_) {
    for (const auto& [handler, lane] : queue.lanes) known.emplace_back(queue_name, handler);
  }
  for (const auto& [queue, handler] : known) {
    change(queue, handler, [](Lane& lane) {
      lane.ready = 0;
      lane.is_held = false;
    });
  }
  std::erase_if(handlers_, [](const auto& handler) { return handler.second.queues.empty(); });
}

template <class Fits>
bool LaneIndex::any_lane(const std::string& queue_name, const Handlers& handlers, Fits fits) const {
  const auto queue = queues_.find(queue_name);
  if (queue == queues_.end()) return false;
  const auto& lanes = queue->second.lanes;
  return std::any_of(handlers.begin(), handlers.end(), [&](const std::string& handler) {
    const auto lane = lanes.find(handler);
    return lane != lanes.end() && fits(lane->second);
  });
}

bool LaneIndex::has_ready(const std::string& queue, const Handlers& handlers) const {
  return any_lane(queue, handlers, [](const Lane& lane) { return lane.ready > 0; });
}

bool LaneIndex::has_startable(const std::string& queue, const Handlers& handlers) const {
  return any_lane(queue, handlers, [](const Lane& lane) { return lane.startable(); });
}

bool LaneIndex::is_ready(const std::string& queue, const std::string& handler) const {
  return has_ready(queue, {handler});
}

std::vector<std::string> LaneIndex::hold_handler(const std::string& handler, bool holds) {
  const auto known = handlers_.find(handler);
  if ((known != handlers_.end() && known->second.is_held) == holds) return {};
  HandlerLanes& lanes = handlers_[handler];
  lanes.is_held = holds;
  const std::vector<std::string> queues(lanes.queues.begin(), lanes.queues.end());
  for (const std::string& queue : queues) change(queue, handler, [](Lane&) {});
  if (queues.empty() && !holds) handlers_.erase(handler);
  return queues;
}

void LaneIndex::hold_lane(const std::string& queue, const std::string& handler, bool holds) {
  change(queue, handler, [&](Lane& lane) { lane.is_held = holds; });
}

void LaneIndex::park(AskAge ask, const Permits& queues, const Handlers& handlers) {
  for (const auto& [queue, permits] : queues) {
    if (permits <= 0) continue;
    for (const std::string& handler : handlers) {
      change(queue, handler, [&](Lane& lane) { entries_ += lane.asks.insert(ask).second ? 1 : 0; });
    }
  }
}

void LaneIndex::unpark(AskAge ask, const Permits& queues, const Handlers& handlers) {
  for (const auto& [queue, permits] : queues) {
    if (permits <= 0) continue;
    for (const std::string& handler : handlers) {
      change(queue, handler, [&](Lane& lane) { entries_ -= lane.asks.erase(ask); });
    }
  }
}

std::optional<AskAge> LaneIndex::oldest_servable(const std::string& queue_name) const {
  const auto queue = queues_.find(queue_name);
  if (queue == queues_.end()) return std::nullopt;
  std::optional<AskAge> oldest;
  for (const Lane* lane : queue->second.servable) {
    const AskAge age = *lane->asks.begin();
    if (!oldest || age < *oldest) oldest = age;
  }
  return oldest;
}

}  // namespace stint
