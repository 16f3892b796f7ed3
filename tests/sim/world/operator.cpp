#include "tests/sim/world/operator.hpp"

#include <algorithm>
#include <array>

namespace stint::sim {

namespace {

constexpr Duration patience = 1 * second;
// What was said in the storm may come after what ends it: a pause without an end among it.
constexpr Duration stragglers_arrive_within = 20 * second;

template <class Value, std::size_t count>
Value one_of(World& world, const std::array<Value, count>& values) {
  return values[static_cast<std::size_t>(world.between(0, std::ssize(values) - 1))];
}

}  // namespace

Limit any_limit(World& world, LimitScope scope) {
  Limit limit;
  const bool limits_running = world.chance(0.3);
  if (limits_running) limit.max_running = world.between(1, 6);
  if (limits_running && world.chance(0.3)) return limit;
  if (scope == LimitScope::queue) {
    limit.rate = one_of(world, std::array{2.5, 5.0, 10.0, 33.3, 100.0});
    limit.burst = world.between(0, 8);
  } else {
    limit.max = world.between(1, 8);
    limit.window_ms = one_of<std::int64_t>(world, std::array<std::int64_t, 5>{50, 200, 500, 1'000, 3'000});
    limit.count = world.chance(0.5) ? CountPolicy::started : CountPolicy::completed;
  }
  return limit;
}

Operator::Operator(World& world, Network& network, Checker& checker, SessionId session,
                   std::vector<LimitName> names, Duration mean_pause)
    : world_(world),
      client_(world, network, checker, session),
      names_(std::move(names)),
      mean_pause_(mean_pause) {}

void Operator::act_later() {
  world_.after(world_.between(mean_pause_ / 10, mean_pause_ * 2), [this] {
    if (!on_) return;
    act();
    act_later();
  });
}

const LimitName& Operator::any_name() {
  return names_[static_cast<std::size_t>(world_.between(0, std::ssize(names_) - 1))];
}

void Operator::act() {
  const auto& [scope, name] = any_name();
  switch (world_.between(0, 9)) {
    case 0:
      client_.send(ClearLimit{scope, name, world_.chance(0.3)});
      return;
    case 1:
      client_.send(Pause{scope, name, world_.between(50, 2'000)});
      return;
    case 2:
      if (world_.chance(0.3)) client_.send(Pause{scope, name, std::nullopt});
      client_.send(Resume{scope, name});
      return;
    case 3: {
      SetLimit request{scope, name, {}, SetAs::operated, std::nullopt};
      request.limit.unlimited = true;
      client_.send(request);
      return;
    }
    case 4:
      client_.send(GetLimit{scope, name});
      return;
    default:
      client_.send(SetLimit{scope, name, any_limit(world_, scope),
                            world_.chance(0.2) ? SetAs::declared : SetAs::operated, std::nullopt});
  }
}

void Operator::end() {
  on_ = false;
  lift();
  world_.after(stragglers_arrive_within, [this] { lift(); });
}

void Operator::lift() {
  for (const auto& [scope, name] : names_) {
    SetLimit unlimited{scope, name, {}, SetAs::operated, std::nullopt};
    unlimited.limit.unlimited = true;
    lifting_.push_back({unlimited, {}});
    lifting_.push_back({Resume{scope, name}, {}});
  }
  lift_all();
}

void Operator::lift_all() {
  std::erase_if(lifting_, [this](const Lifting& lifting) {
    return std::any_of(lifting.sent.begin(), lifting.sent.end(), [this](std::uint64_t number) {
      const auto& answers = client_.answers(number);
      return !answers.empty() && std::holds_alternative<LimitState>(answers.front());
    });
  });
  for (Lifting& lifting : lifting_) lifting.sent.push_back(client_.send(lifting.request));
  if (!lifting_.empty()) world_.after(patience, [this] { lift_all(); });
}

}  // namespace stint::sim
