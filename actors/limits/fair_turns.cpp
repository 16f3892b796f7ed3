#include "actors/limits/fair_turns.hpp"

#include <algorithm>

namespace stint {

namespace {

// Queues that only once had jobs for the handler are not remembered for ever; beyond so many that wait, all
// are as good as new.
constexpr std::size_t most_queues = 1'000;

}  // namespace

void FairTurns::wait(std::string_view queue) { at(queue).waits = true; }

std::optional<Duration> FairTurns::kept_for_others(std::string_view queue, Instant now) {
  for (auto first = before(queue); first != queues_.end(); first = before(queue)) {
    if (!offered_at_) offered_at_ = now;
    const Duration left = *offered_at_ + offer - now;
    if (left > Duration::zero()) {
      wait(queue);
      return left;
    }
    first->second.waits = false;
    offered_at_.reset();
  }
  return std::nullopt;
}

void FairTurns::served(std::string_view queue) {
  Queue& served = at(queue);
  served.served = ++times_served_;
  served.waits = false;
  offered_at_.reset();
}

FairTurns::Queues::iterator FairTurns::before(std::string_view queue) {
  const auto own = queues_.find(queue);
  const std::uint64_t own_place = own == queues_.end() ? 0 : own->second.served;
  auto first = queues_.end();
  for (auto other = queues_.begin(); other != queues_.end(); ++other) {
    if (other == own || !other->second.waits || other->second.served >= own_place) continue;
    if (first == queues_.end() || other->second.served < first->second.served) first = other;
  }
  return first;
}

FairTurns::Queue& FairTurns::at(std::string_view queue) {
  const auto found = queues_.find(queue);
  if (found != queues_.end()) return found->second;
  forget_idle();
  return queues_[std::string(queue)];
}

void FairTurns::forget_idle() {
  if (queues_.size() < most_queues) return;
  std::erase_if(queues_, [](const auto& queue) { return !queue.second.waits; });
  if (queues_.size() >= most_queues) queues_.clear();
}

}  // namespace stint
