#include "actors/limiter/lane_index.hpp"

#include <algorithm>

namespace stint {

// Lanes and queues of which there is nothing to know are dropped, so that names that are gone cost nothing.
template <class Change>
void LaneIndex::change(const std::string& queue_name, const std::string& handler, Change change) {
  Queue& queue = queues_[queue_name];
  Lane& lane = queue.lanes[handler];
  change(lane);
  if (lane.ready > 0 && !lane.asks.empty()) {
    queue.servable.insert(&lane);
  } else {
    queue.servable.erase(&lane);
  }
  if (lane.ready > 0 || !lane.asks.empty()) return;
  queue.lanes.erase(handler);
  if (queue.lanes.empty()) queues_.erase(queue_name);
}

void LaneIndex::set_ready(const std::string& queue, const std::string& handler, std::int64_t ready) {
  change(queue, handler, [&](Lane& lane) { lane.ready = ready; });
}

bool LaneIndex::has_ready(const std::string& queue_name, const Handlers& handlers) const {
  const auto queue = queues_.find(queue_name);
  if (queue == queues_.end()) return false;
  const auto& lanes = queue->second.lanes;
  return std::any_of(handlers.begin(), handlers.end(), [&](const std::string& handler) {
    const auto lane = lanes.find(handler);
    return lane != lanes.end() && lane->second.ready > 0;
  });
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
