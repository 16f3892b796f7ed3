#include "tests/sim/world/scene.hpp"

#include <algorithm>
#include <utility>

namespace stint::sim {

namespace {

StorageOptions options_with(const Defaults& defaults) {
  StorageOptions options;
  options.defaults = defaults;
  return options;
}

}  // namespace

Defaults short_defaults() {
  Defaults defaults;
  defaults.lease_ms = 2'000;
  defaults.timeout_ms = 6'000;
  defaults.wait_ms = 2'000;
  defaults.backoff_first_ms = 200;
  defaults.backoff_cap_ms = 1'000;
  return defaults;
}

Scene::Scene(std::uint64_t seed, Defaults with)
    : defaults(with), world(seed), server(world, network, checker, options_with(with)) {}

Worker& Scene::add_worker(WorkerSetup setup) {
  setup.name += "-" + std::to_string(workers_.size() + 1);
  workers_.push_back(std::make_unique<Worker>(world, network, checker, std::move(setup)));
  workers_.back()->start();
  return *workers_.back();
}

Producer& Scene::add_producer() {
  const std::string name = "p" + std::to_string(producers_.size() + 1);
  producers_.push_back(std::make_unique<Producer>(world, network, checker, name));
  return *producers_.back();
}

std::unique_ptr<Client> Scene::make_client(unsigned char number) {
  return std::make_unique<Client>(world, network, checker, SessionId{{number, 0xEE}});
}

Rogue& Scene::add_rogue() {
  const auto number = static_cast<unsigned char>(rogues_.size() + 1);
  rogues_.push_back(std::make_unique<Rogue>(world, network, checker, SessionId{{number, 0xBA, 0xD0}}));
  return *rogues_.back();
}

Operator& Scene::add_operator(std::vector<LimitName> names, Duration mean_pause) {
  const auto number = static_cast<unsigned char>(operators_.size() + 1);
  operators_.push_back(std::make_unique<Operator>(world, network, checker, SessionId{{number, 0x0B}},
                                                  std::move(names), mean_pause));
  return *operators_.back();
}

bool Scene::finish(Duration span) {
  return world.run_until(
      [&] {
        return std::all_of(producers_.begin(), producers_.end(),
                           [](const auto& producer) { return producer->all_acknowledged(); }) &&
               checker.all_are_final();
      },
      span);
}

void Scene::check_end() {
  checker.check_final();
  // What is parked may wait; nothing may be forgotten.
  if (server.longest_overdue() > 5 * second) world.fail("D9", "a request is never answered");
}

}  // namespace stint::sim
