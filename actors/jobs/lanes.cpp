#include "actors/jobs/lanes.hpp"

namespace stint {

LaneGroup* Lanes::find(std::string_view queue, std::string_view handler) {
  const auto found = groups_.find(GroupName{queue, handler});
  return found == groups_.end() ? nullptr : found->get();
}

LaneGroup& Lanes::group(std::string_view queue, std::string_view handler) {
  if (LaneGroup* known = find(queue, handler)) return *known;
  auto fresh = std::make_unique<LaneGroup>();
  fresh->queue = queue;
  fresh->handler = handler;
  const auto of_queue = queues_.try_emplace(fresh->queue).first;
  of_queue->second.name = of_queue->first;
  fresh->of_queue = &of_queue->second;
  of_queue->second.groups.emplace(fresh->handler, fresh.get());
  return **groups_.insert(std::move(fresh)).first;
}

void Lanes::insert(LaneGroup& group, int priority, const LanePosition& position) {
  Lane& into = lane(group, priority);
  const bool was_empty = into.empty();
  const LanePosition old_front = was_empty ? LanePosition{} : into.front();
  into.insert(position);
  recount(group, 1);
  if (into.front() != position) return;
  if (!was_empty) group.of_queue->heads.erase({priority, old_front, &group});
  group.of_queue->heads.insert({priority, position, &group});
}

bool Lanes::remove(LaneGroup& group, int priority, const LanePosition& position) {
  Lane& from = lane(group, priority);
  const bool is_front = !from.empty() && from.front() == position;
  if (!from.remove(position)) return false;
  recount(group, -1);
  if (is_front) {
    group.of_queue->heads.erase({priority, position, &group});
    if (!from.empty()) group.of_queue->heads.insert({priority, from.front(), &group});
  }
  return true;
}

void Lanes::load(LaneGroup& group, int priority, const LanePosition& position) {
  lane(group, priority).append_unsorted(position);
  recount(group, 1);
}

void Lanes::loaded() {
  for (const auto& group : groups_) {
    for (int priority = 0; priority < 10; ++priority) {
      Lane* lane = group->lanes[static_cast<std::size_t>(priority)].get();
      if (lane == nullptr || lane->empty()) continue;
      lane->sort();
      group->of_queue->heads.insert({priority, lane->front(), group.get()});
    }
  }
}

void Lanes::touch(LaneGroup& group) {
  if (group.touched) return;
  group.touched = true;
  touched_.push_back(&group);
}

void Lanes::settle(const std::function<void(const LaneGroup&)>& changed) {
  for (LaneGroup* group : std::exchange(touched_, {})) {
    group->touched = false;
    if (group->counts.waiting != group->settled_waiting) {
      group->settled_waiting = group->counts.waiting;
      changed(*group);
    }
    if (group->counts == JobCounts{}) forget(*group);
  }
}

void Lanes::forget(LaneGroup& group) {
  QueueLanes& of_queue = *group.of_queue;
  of_queue.groups.erase(group.handler);
  if (of_queue.groups.empty()) queues_.erase(queues_.find(of_queue.name));
  groups_.erase(groups_.find(GroupName{group.queue, group.handler}));
}

Lane& Lanes::lane(LaneGroup& group, int priority) {
  std::unique_ptr<Lane>& lane = group.lanes.at(static_cast<std::size_t>(priority));
  if (lane == nullptr) lane = std::make_unique<Lane>();
  return *lane;
}

void Lanes::recount(LaneGroup& group, std::int64_t difference) {
  group.counts.waiting += difference;
  touch(group);
}

}  // namespace stint
