#include "nodes/runtime/node.hpp"

#include <cassert>
#include <random>
#include <utility>

#include "actors/storage/clock_resume.hpp"
#include "nodes/runners/command_runner.hpp"
#include "nodes/runtime/node_options.hpp"
#include "storage/sqlite_store.hpp"

namespace stint {
namespace {

std::uint64_t random_seed() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

Failure storage_failure(const Error& error) {
  const ExitStatus status = error.code == ErrorCode::internal      ? ExitStatus::io
                            : error.code == ErrorCode::bad_message ? ExitStatus::config
                                                                   : ExitStatus::cannot_create;
  return {.status = status, .message = error.message};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

}  // namespace

Result<std::unique_ptr<Node>, Failure> Node::open(NodeConfig config, StopSource& stop, Log& log,
                                                  std::unique_ptr<Runner> runner) {
  std::unique_ptr<Node> node(new Node(std::move(config), stop, log));
  if (auto failure = node->check_roles()) return std::move(*failure);
  if (auto failure = node->open_storage()) return std::move(*failure);
  if (auto failure = node->open_worker(std::move(runner))) return std::move(*failure);
  if (auto failure = node->open_door()) return std::move(*failure);
  node->make_loop();
  return node;
}

Node::~Node() = default;

void Node::run() {
  say_ready();
  loop_->run();
  say_stopped();
}

std::optional<WorkSummary> Node::work() const {
  if (!worker_) return std::nullopt;
  return worker_->summary();
}

std::optional<Failure> Node::check_roles() const {
  const Roles& roles = config_.roles;
  if (roles.storage != roles.limiter) {
    return Failure{
        .status = ExitStatus::config,
        .message = "the roles storage and limiter must be given together: this version has them in one node"};
  }
  if (roles.worker && !roles.storage && config_.worker.servers.empty()) {
    return Failure{.status = ExitStatus::config, .message = "a worker node needs a server"};
  }
  if (!roles.storage && !roles.worker) {
    return Failure{.status = ExitStatus::config,
                   .message = "a node needs a role: storage and limiter, or worker"};
  }
  return std::nullopt;
}

std::optional<Failure> Node::open_storage() {
  clock_.emplace(system_clock_);
  actors_.emplace(random_seed());
  if (!config_.roles.storage) return std::nullopt;
  auto store = open_sqlite_store(config_.database);
  if (!store) return storage_failure(store.error());
  store_ = std::move(*store);
  const auto header = store_->header();
  if (!header) return storage_failure(header.error());

  const MachineTime machine{read_boot_id(), system_clock_.since_boot(), system_clock_.wall_now()};
  const Duration offset = resume_clock(*header, machine);
  clock_.emplace(system_clock_, offset);
  storage_.emplace(*store_, storage_options(config_));
  const StorageStart start{clock_->now(), clock_->wall_now(), machine.boot_id, offset,
                           log_name(random_seed(), random_seed())};
  if (const Status loaded = storage_->load(start); !loaded) return storage_failure(loaded.error());
  // The start itself is kept before anything is served: a file that cannot be written is found out now.
  if (const Status kept = store_->commit(start.now, start.wall_now); !kept)
    return storage_failure(kept.error());
  actors_->host(Place::storage, *storage_);
  limiter_.emplace();
  actors_->host(Place::limiter, *limiter_);
  return std::nullopt;
}

std::optional<Failure> Node::open_worker(std::unique_ptr<Runner> runner) {
  if (!config_.roles.worker) return std::nullopt;
  runner_ = std::move(runner);
  if (runner_ == nullptr) {
    CommandRunnerOptions options;
    options.handlers = config_.worker.handlers;
    options.result_bytes = config_.bounds.result_bytes;
    runner_ = std::make_unique<CommandRunner>(std::move(options));
  }
  worker_.emplace(worker_options(config_));
  actors_->host(Place::worker, *worker_);
  if (config_.roles.storage) return std::nullopt;
  auto link = ServerLink::open(context_, {.servers = config_.worker.servers, .bounds = config_.bounds}, log_);
  if (!link) return link.error();
  link_ = std::move(*link);
  return std::nullopt;
}

std::optional<Failure> Node::open_door() {
  if (config_.front_door.empty()) return std::nullopt;
  FrontDoorConfig door;
  door.endpoint = config_.front_door;
  door.insecure = config_.insecure;
  door.bounds = config_.bounds;
  door.server = config_.name;
  if (storage_) door.epoch = storage_->epoch();
  auto opened = FrontDoor::open(context_, std::move(door));
  if (!opened) return opened.error();
  door_ = std::move(*opened);
  return std::nullopt;
}

void Node::make_loop() {
  waiter_.emplace(*clock_, stop_);
  if (door_) waiter_->watch([this] { return door_->socket(); });
  if (link_) {
    waiter_->watch([this] { return link_->socket(); });
    waiter_->watch([this] { return link_->monitor(); });
  }
  if (runner_) waiter_->watch(runner_->fd());
  loop_.emplace(LoopParts{
      .clock = *clock_,
      .actors = *actors_,
      .waiter = *waiter_,
      .log = log_,
      .store = store_.get(),
      .door = door_.get(),
      .link = link_.get(),
      .runner = runner_.get(),
      .stop_within = from_ms(config_.worker.grace_ms) + WorkerActor::after_grace + std::chrono::seconds(1)});
}

void Node::say_stopped() {
  if (!door_) return log_.info("stopped");
  const DoorCounts& counts = door_->counts();
  log_.info("stopped", {{"requests", counts.requests},
                        {"faults", counts.faults},
                        {"overloaded", counts.overloaded},
                        {"answers_dropped", counts.answers_dropped}});
}

// The line that scripts wait for.
void Node::say_ready() {
  const std::string door = front_door().empty() ? "none" : front_door();
  if (storage_) {
    const JobCounts& jobs = storage_->job_counts();
    log_.info("ready", {{"node", config_.name},
                        {"front_door", door},
                        {"database", config_.database},
                        {"epoch", storage_->epoch()},
                        {"jobs", jobs.waiting + jobs.scheduled + jobs.retrying},
                        {"leases", jobs.running},
                        {"dead", jobs.dead}});
  } else {
    log_.info("ready",
              {{"node", config_.name}, {"front_door", door}, {"servers", joined(config_.worker.servers)}});
  }
}

}  // namespace stint
