#include "actors/worker/shares.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stint {

namespace {

constexpr Duration shortest_pause = std::chrono::milliseconds(10);
constexpr Duration longest_pause = std::chrono::seconds(60);

}  // namespace

Shares::Shares(std::int64_t workers, const std::map<std::string, ShareOfWorkers>& shares)
    : workers_(std::max<std::int64_t>(workers, 0)) {
  std::int64_t left = workers_;
  for (const auto& [name, share] : shares) {
    Queue& queue = queues_[name];
    queue.weight = std::clamp<std::int64_t>(share.weight, 1, most_weight);
    queue.min = std::clamp<std::int64_t>(share.min, 0, left);
    left -= queue.min;
  }
}

void Shares::set_homes(const HomesOfQueues& homes) {
  for (auto& [name, queue] : queues_) {
    const auto home = homes.find(name);
    queue.home = home == homes.end() ? std::string() : home->second;
  }
}

std::vector<std::string> Shares::queues() const {
  std::vector<std::string> names;
  for (const auto& [name, queue] : queues_) names.push_back(name);
  return names;
}

// --- What is held ---

void Shares::hold(const std::string& name) {
  const auto queue = queues_.find(name);
  ++(queue == queues_.end() ? strays_[name] : queue->second.held);
}

void Shares::give_back(const std::string& name) {
  const auto queue = queues_.find(name);
  auto& held = queue == queues_.end() ? strays_[name] : queue->second.held;
  assert(held > 0);
  --held;
}

bool Shares::has_permit(const std::string& name) const {
  std::int64_t held = 0;
  for (const auto& [other, queue] : queues_) held += queue.held;
  return queues_.contains(name) && held < workers_;
}

// What is neither used nor kept for some queue's `min`.
std::int64_t Shares::spare() const {
  std::int64_t left = workers_ - shared_offers_;
  for (const auto& [name, queue] : queues_) left -= queue.used() + queue.reserve();
  return std::max<std::int64_t>(left, 0);
}

// --- What is offered ---

std::vector<Offer> Shares::worth_asking(const std::set<std::string>& closed, Instant now) {
  for (auto& [name, queue] : queues_) {
    if (!queue.is_watched() && queue.look_again <= now) queue.may_have_work = true;
  }
  const Group competitors = competing(closed);
  std::vector<Offer> offers = grabs(competitors);
  watch_reserves(closed, offers);
  // Only once nobody may want what they hold, and then for all at once: what waits cannot be called back.
  if (competitors.empty()) watch_the_rest(closed, offers);
  return offers;
}

Shares::Group Shares::competing(const std::set<std::string>& closed) {
  Group group;
  for (auto& named : queues_) {
    if (named.second.may_have_work && !closed.contains(named.first)) group.push_back(&named);
  }
  return group;
}

// The queue's `min` and its share, rounded up: of what cannot be divided, everyone gets some in turn.
std::int64_t Shares::most_for(const Queue& queue, const Group& competitors) const {
  std::int64_t rest = workers_ - shared_offers_;
  for (const auto& [name, other] : queues_) rest -= std::max(other.min, other.used());
  std::int64_t weights = 0;
  for (const Named* competitor : competitors) {
    const Queue& other = competitor->second;
    weights += other.weight;
    rest += std::max(other.min, other.used()) - other.min;
  }
  rest = std::max<std::int64_t>(rest, 0);
  return queue.min + (rest * queue.weight + weights - 1) / weights;
}

// Turns in proportion to the weights, as evenly spaced as can be.
Shares::Named& Shares::take_turn(const Group& group) {
  std::int64_t weights = 0;
  Named* next = nullptr;
  for (Named* named : group) {
    weights += named->second.weight;
    named->second.turn_credit += named->second.weight;
    if (next == nullptr || named->second.turn_credit > next->second.turn_credit) next = named;
  }
  next->second.turn_credit -= weights;
  return *next;
}

std::vector<Offer> Shares::grabs(const Group& competitors) {
  std::map<std::string, std::int64_t> wanted;
  std::map<std::string, std::int64_t> most;
  Group below;  // those that may be given more
  for (Named* named : competitors) {
    const auto& [name, queue] = *named;
    if (queue.offered > 0) continue;  // one ask at a time: its answer comes at once
    wanted[name] = queue.reserve();
    most[name] = most_for(queue, competitors);
    below.push_back(named);
  }
  for (std::int64_t left = spare(); left > 0; --left) {
    std::erase_if(below, [&](const Named* named) {
      return named->second.used() + wanted[named->first] >= most[named->first];
    });
    if (below.empty()) break;
    ++wanted[take_turn(below).first];
  }
  std::vector<Offer> offers;
  for (const auto& [name, count] : wanted) {
    if (count > 0) offers.push_back({.queues = {{name, count}}, .longest_wait_ms = 0});
  }
  return offers;
}

void Shares::watch_reserves(const std::set<std::string>& closed, std::vector<Offer>& offers) {
  std::map<std::string, Offer> by_home;
  for (const auto& [name, queue] : queues_) {
    if (queue.may_have_work || queue.offered > 0 || queue.reserve() == 0 || closed.contains(name)) continue;
    by_home[queue.home].queues[name] = queue.reserve();
  }
  for (auto& [home, offer] : by_home) offers.push_back(std::move(offer));
}

void Shares::watch_the_rest(const std::set<std::string>& closed, std::vector<Offer>& offers) {
  std::map<std::string, Offer> by_home;
  for (const auto& [name, queue] : queues_) {
    if (queue.is_watched() || queue.reserve() > 0 || closed.contains(name)) continue;
    Offer& watch = by_home[queue.home];
    watch.queues[name] = 1;
    watch.is_of_one_permit = true;
  }
  std::int64_t left = spare();
  const bool are_too_many = std::ssize(by_home) > left;
  for (auto& [home, watch] : by_home) {
    if (left-- == 0) return;
    // The others want their turn.
    if (are_too_many) watch.longest_wait_ms = to_ms(look_again_after);
    offers.push_back(std::move(watch));
  }
}

void Shares::offer(const Offer& offer) {
  shared_offers_ += offer.is_of_one_permit;
  for (const auto& [name, count] : offer.queues) {
    Queue& queue = queues_.at(name);
    (offer.is_of_one_permit ? queue.watchers : queue.offered) += count;
  }
}

void Shares::take_back(const Offer& offer) {
  shared_offers_ -= offer.is_of_one_permit;
  for (const auto& [name, count] : offer.queues) {
    Queue& queue = queues_.at(name);
    (offer.is_of_one_permit ? queue.watchers : queue.offered) -= count;
  }
}

// --- What the answers tell ---

void Shares::learn(const Offer& offer, const OfferAnswer& answer, Instant now) {
  const Duration pause =
      std::clamp(answer.retry_in.value_or(look_again_after), shortest_pause, longest_pause);
  for (const auto& [name, count] : offer.queues) {
    Queue& queue = queues_.at(name);
    queue.look_again = now + pause;
    const auto brought = answer.brought.find(name);
    const std::int64_t jobs = brought == answer.brought.end() ? 0 : brought->second;
    if (!answer.has_waited) {
      // With fewer jobs than were asked for it may be limited: the next answer, an empty one, says until
      // when.
      queue.may_have_work = jobs > 0;
    } else if (jobs > 0 && !queue.is_watched()) {
      queue.may_have_work = true;
    }
  }
}

Instant Shares::next_look() const {
  Instant next = Instant::max();
  if (spare() == 0) return next;
  for (const auto& [name, queue] : queues_) {
    if (!queue.may_have_work && !queue.is_watched()) next = std::min(next, queue.look_again);
  }
  return next;
}

}  // namespace stint
