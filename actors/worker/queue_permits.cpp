#include "actors/worker/queue_permits.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stint {

std::int64_t Offer::permits() const {
  if (is_of_one_permit) return 1;
  std::int64_t count = 0;
  for (const auto& [queue, permits] : queues) count += permits;
  return count;
}

QueuePermits::QueuePermits(const std::map<std::string, std::int64_t>& permits) {
  for (const auto& [queue, count] : permits) slots_[queue].permits = count;
  set_homes({});
}

void QueuePermits::set_homes(const HomesOfQueues& homes) {
  queues_by_home_.clear();
  for (const auto& [queue, slots] : slots_) {
    const auto home = homes.find(queue);
    queues_by_home_[home == homes.end() ? std::string() : home->second].push_back(queue);
  }
}

std::vector<std::string> QueuePermits::queues() const {
  std::vector<std::string> names;
  for (const auto& [queue, slots] : slots_) names.push_back(queue);
  return names;
}

void QueuePermits::hold(const std::string& queue) { ++slots_[queue].held; }

void QueuePermits::give_back(const std::string& queue) {
  auto& slots = slots_[queue];
  assert(slots.held > 0);
  --slots.held;
}

bool QueuePermits::has_permit(const std::string& queue) const {
  const auto slots = slots_.find(queue);
  return slots != slots_.end() && slots->second.held < slots->second.permits;
}

// A queue that no ask offers must be asked for, or its jobs would wait for other queues' asks. Beside one
// that is open, a quarter of the permits is worth a message; fewer go with the next.
bool QueuePermits::Slots::is_worth_asking() const {
  if (free() <= 0) return false;
  return offered == 0 || free() * 4 >= permits;
}

std::vector<Offer> QueuePermits::worth_asking(const std::set<std::string>& closed, Instant) {
  std::vector<Offer> offers;
  for (const auto& [home, queues] : queues_by_home_) {
    Offer offer;
    bool is_worth_asking = false;
    for (const auto& queue : queues) {
      const Slots& slots = slots_.at(queue);
      if (slots.free() <= 0 || closed.contains(queue)) continue;
      offer.queues[queue] = slots.free();
      is_worth_asking |= slots.is_worth_asking();
    }
    if (is_worth_asking) offers.push_back(std::move(offer));
  }
  return offers;
}

void QueuePermits::offer(const Offer& offer) {
  for (const auto& [queue, count] : offer.queues) slots_.at(queue).offered += count;
}

void QueuePermits::take_back(const Offer& offer) {
  for (const auto& [queue, count] : offer.queues) slots_.at(queue).offered -= count;
}

}  // namespace stint
