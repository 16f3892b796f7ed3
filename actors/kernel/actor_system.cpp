#include "actors/kernel/actor_system.hpp"

#include <algorithm>
#include <utility>

namespace stint {

Instant Turn::now() const { return system_.now_; }
WallMs Turn::wall_now() const { return system_.wall_now_; }
std::mt19937_64& Turn::random() { return system_.random_; }

void Turn::send(const Address& to, Message message, std::uint64_t tag) {
  const Address target = system_.resolve(to, message);
  Envelope envelope{Address{self_.place, tag, system_.routes_.self}, target, std::move(message)};
  if (system_.is_here(target) && system_.hosts(target.place)) {
    system_.mailboxes_[ActorSystem::index(target.place)].push_back(std::move(envelope));
  } else if (target.place != Place::nobody) {
    system_.outgoing_.push_back(std::move(envelope));
  }
}

void Turn::after(Duration delay, Message message) {
  const Instant at = system_.now_ + std::max(delay, Duration::zero());
  system_.timers_.push({at, ++system_.timers_set_, self_.place, std::move(message)});
}

void ActorSystem::host(Place place, Actor& actor) {
  assert(!hosts(place));
  actors_[index(place)] = &actor;
  mailboxes_[index(place)].push_back({{}, {place, 0, routes_.self}, Started{}});
}

bool ActorSystem::post(Envelope envelope) {
  if (observer_ != nullptr) observer_->posted(envelope);
  envelope.to = resolve(envelope.to, envelope.message);
  if (envelope.from.node == 0) envelope.from.node = routes_.self;
  if (!is_here(envelope.to)) {
    outgoing_.push_back(std::move(envelope));
    return true;
  }
  if (!hosts(envelope.to.place)) return false;
  auto& mailbox = mailboxes_[index(envelope.to.place)];
  if (mailbox.size() >= mailbox_bound) return false;
  mailbox.push_back(std::move(envelope));
  return true;
}

void ActorSystem::run(Instant now, WallMs wall_now) {
  if (observer_ != nullptr) observer_->begins(now, wall_now);
  now_ = std::max(now_, now);
  wall_now_ = wall_now;
  fire_timers();
  run_mailboxes();
  for (std::size_t place = 0; place < places; ++place) {
    if (actors_[place] == nullptr) continue;
    Turn turn(*this, Address{static_cast<Place>(place), 0, routes_.self}, Address{});
    actors_[place]->before_commit(turn);
  }
}

std::vector<Envelope> ActorSystem::take_outgoing() {
  if (observer_ != nullptr) observer_->leaves(outgoing_);
  return std::exchange(outgoing_, {});
}

void ActorSystem::committed(Instant now) {
  if (observer_ != nullptr) observer_->committed(now);
  now_ = std::max(now_, now);
  for (Actor* actor : actors_) {
    if (actor != nullptr) actor->committed(now_);
  }
}

void ActorSystem::rolled_back(Instant now, WallMs wall_now) {
  if (observer_ != nullptr) observer_->rolled_back(now, wall_now);
  now_ = std::max(now_, now);
  wall_now_ = wall_now;
  outgoing_.clear();
  for (std::size_t place = 0; place < places; ++place) {
    if (actors_[place] == nullptr) continue;
    Turn turn(*this, Address{static_cast<Place>(place), 0, routes_.self}, Address{});
    actors_[place]->rolled_back(turn);
  }
}

std::optional<Instant> ActorSystem::next_deadline() const {
  const auto waits = [](const auto& mailbox) { return !mailbox.empty(); };
  if (!outgoing_.empty() || std::any_of(mailboxes_.begin(), mailboxes_.end(), waits)) return now_;
  if (timers_.empty()) return std::nullopt;
  return timers_.top().at;
}

void ActorSystem::fire_timers() {
  // Those set in this turn wait for the next one, or a timer of zero would keep the turn for ever.
  const std::uint64_t set_before = timers_set_;
  while (!timers_.empty() && timers_.top().at <= now_ && timers_.top().number <= set_before) {
    // priority_queue gives its top as const only so that the order cannot be broken; it is popped at once.
    Timer timer = std::move(const_cast<Timer&>(timers_.top()));
    timers_.pop();
    mailboxes_[index(timer.place)].push_back({{}, {timer.place, 0, routes_.self}, std::move(timer.message)});
  }
}

void ActorSystem::run_mailboxes() {
  for (bool idle = false; !idle;) {
    idle = true;
    for (std::size_t place = 0; place < places; ++place) {
      auto& mailbox = mailboxes_[place];
      while (!mailbox.empty()) {
        idle = false;
        Envelope envelope = std::move(mailbox.front());
        mailbox.pop_front();
        Turn turn(*this, envelope.to, envelope.from);
        actors_[place]->deliver(std::move(envelope.message), turn);
      }
    }
  }
}

Address ActorSystem::resolve(const Address& to, const Message& message) const {
  Address target = to;
  if (to.place == Place::server) {
    const Place place = responsible_for(message);
    if (!routes_.homes && !hosts(place)) return {to.place, to.id, routes_.self};
    target = {place, to.id, 0};
    if (place == Place::limiter && routes_.homes) {
      const auto& queues = std::get<RequestBatch>(message).queues;
      // One that names no queue is any limiter's to refuse.
      target = routes_.homes->limiter_of(queues.empty() ? std::string_view() : queues.begin()->first);
      target.id = to.id;
    }
  }
  if (target.node == 0) target.node = target.place == Place::storage ? routes_.storage : routes_.self;
  return target;
}

Place responsible_for(const Message& request) {
  return std::holds_alternative<RequestBatch>(request) ? Place::limiter : Place::storage;
}

}  // namespace stint
