#include "tests/sim/world/scene.hpp"

#include <algorithm>
#include <utility>

namespace stint::sim {

namespace {

StorageOptions options_with(const Defaults& defaults, const ClusterMap* cluster) {
  StorageOptions options;
  options.defaults = defaults;
  if (cluster != nullptr) options.homes = cluster->routes_of(ClusterMap::storage).homes;
  return options;
}

std::unique_ptr<const ClusterMap> cluster_of(int limiter_nodes) {
  if (limiter_nodes == 0) return nullptr;
  ClusterConfig config;
  config.storage = "storage";
  for (int node = 1; node <= limiter_nodes; ++node) {
    const std::string name = "limiter-" + std::to_string(node);
    config.limiters[name] = name;
  }
  return std::make_unique<const ClusterMap>(config);
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

Scene::Scene(std::uint64_t seed, Defaults with, int limiter_nodes)
    : defaults(with),
      world(seed),
      cluster_(cluster_of(limiter_nodes)),
      server(world, network, checker, options_with(with, cluster_.get()),
             {cluster_.get(), ClusterMap::storage, cluster_ ? &fabric : nullptr}) {
  for (int node = 0; node < limiter_nodes; ++node) {
    limiter_networks_.push_back(std::make_unique<Network>(world));
    const auto number = static_cast<NodeNumber>(ClusterMap::storage + 1 + node);
    limiter_nodes_.push_back(std::make_unique<Server>(world, *limiter_networks_.back(), checker,
                                                      options_with(with, cluster_.get()),
                                                      ServerPlace{cluster_.get(), number, &fabric}));
  }
  watch_idleness();
}

void Scene::start_all() {
  server.start();
  for (const auto& node : limiter_nodes_) node->start();
}

std::vector<Network*> Scene::networks() {
  std::vector<Network*> all{&network};
  for (const auto& one : limiter_networks_) all.push_back(one.get());
  return all;
}

Network& Scene::any_network() {
  if (limiter_networks_.empty() || enters_at_storage_) return network;
  const std::vector<Network*> all = networks();
  return *all[static_cast<std::size_t>(world.between(0, std::ssize(all) - 1))];
}

std::string Scene::queue_at(const Server& limiter, const std::string& prefix) const {
  const Routes routes = cluster_->routes_of(ClusterMap::storage);
  for (int number = 1;; ++number) {
    std::string queue = prefix + std::to_string(number);
    if (routes.homes->of(queue).node == limiter.place().self) return queue;
  }
}

// Every few milliseconds, while all is well.
void Scene::watch_idleness() {
  std::vector<const RequestBatch*> asks = server.open_asks();
  bool is_well = server.is_well() && fabric.all_up();
  for (const auto& node : limiter_nodes_) {
    is_well = is_well && node->is_well();
    for (const RequestBatch* ask : node->open_asks()) asks.push_back(ask);
  }
  if (is_well) {
    checker.idle.look(asks);
  } else {
    checker.idle.disturbed();
  }
  world.after(20 * millisecond, [this] { watch_idleness(); });
}

Worker& Scene::add_worker(WorkerSetup setup) {
  setup.name += "-" + std::to_string(workers_.size() + 1);
  workers_.push_back(std::make_unique<Worker>(world, any_network(), checker, std::move(setup)));
  workers_.back()->start();
  return *workers_.back();
}

Producer& Scene::add_producer() {
  const std::string name = "p" + std::to_string(producers_.size() + 1);
  producers_.push_back(std::make_unique<Producer>(world, any_network(), checker, name));
  return *producers_.back();
}

std::unique_ptr<Client> Scene::make_client(unsigned char number) {
  return std::make_unique<Client>(world, any_network(), checker, SessionId{{number, 0xEE}});
}

Rogue& Scene::add_rogue() {
  const auto number = static_cast<unsigned char>(rogues_.size() + 1);
  rogues_.push_back(std::make_unique<Rogue>(world, any_network(), checker, SessionId{{number, 0xBA, 0xD0}}));
  return *rogues_.back();
}

Operator& Scene::add_operator(std::vector<LimitName> names, Duration mean_pause) {
  const auto number = static_cast<unsigned char>(operators_.size() + 1);
  operators_.push_back(std::make_unique<Operator>(world, any_network(), checker, SessionId{{number, 0x0B}},
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
  const auto check = [&](const Server& node) {
    const auto request = node.overdue_by(5 * second);
    if (request) world.fail("D9", "a request is never answered: " + *request);
  };
  check(server);
  for (const auto& node : limiter_nodes_) check(*node);
}

}  // namespace stint::sim
