#include "nodes/runtime/node.hpp"

#include <cassert>
#include <random>
#include <utility>

#include "actors/storage/clock_resume.hpp"
#include "nodes/config/cluster.hpp"
#include "nodes/runners/command_runner.hpp"
#include "nodes/runtime/node_options.hpp"
#include "protocol/version.hpp"
#include "storage/copy_database.hpp"
#include "storage/sqlite_store.hpp"

namespace stint {
namespace {

std::uint64_t random_number() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

Failure storage_failure(const Error& error) {
  const ExitStatus status = error.code == ErrorCode::internal      ? ExitStatus::io
                            : error.code == ErrorCode::bad_message ? ExitStatus::config
                                                                   : ExitStatus::cannot_create;
  return {.status = status, .message = error.message};
}

std::string roles_text(const Roles& roles) {
  std::string text;
  const auto add = [&](bool has, const char* role) {
    if (has) text.append(text.empty() ? "" : ",").append(role);
  };
  add(roles.storage, "storage");
  add(roles.limiter, "limiter");
  add(roles.worker, "worker");
  return text;
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
  node->open_limiter();
  if (auto failure = node->open_worker(std::move(runner))) return std::move(*failure);
  if (auto failure = node->open_recording()) return std::move(*failure);
  if (auto failure = node->open_links()) return std::move(*failure);
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

std::optional<Failure> Node::check_roles() {
  const Roles& roles = config_.roles;
  const auto refuse = [](std::string message) {
    return Failure{.status = ExitStatus::config, .message = std::move(message)};
  };
  if (!roles.storage && !roles.limiter && !roles.worker) {
    return refuse("a node needs a role: storage, limiter or worker");
  }
  if (!roles.storage && !roles.limiter) {
    if (config_.worker.servers.empty()) return refuse("a worker node needs a server");
    return std::nullopt;
  }
  if (!config_.cluster.any()) {
    if (roles.storage == roles.limiter) return std::nullopt;
    return refuse("the roles storage and limiter on different nodes need a [cluster]");
  }
  cluster_.emplace(config_.cluster);
  const auto number = cluster_->place_of(config_.name, roles);
  if (!number) return refuse(number.error().message);
  if (config_.front_door.empty()) return refuse("a node of a cluster needs a front door");
  number_ = *number;
  return std::nullopt;
}

std::optional<Failure> Node::open_events() {
  if (config_.events.empty()) return std::nullopt;
  auto opened = EventPort::open(context_, {.endpoint = config_.events, .insecure = config_.insecure});
  if (!opened) return opened.error();
  events_ = std::move(*opened);
  return std::nullopt;
}

std::optional<Failure> Node::open_storage() {
  clock_.emplace(system_clock_);
  start_.seed = random_number();
  actors_.emplace(start_.seed, cluster_ ? cluster_->routes_of(number_) : Routes{});
  if (!config_.roles.storage) return std::nullopt;
  if (!config_.record.file.empty()) {
    const Status copied = copy_database(config_.database, database_of(config_.record.file));
    if (!copied) return storage_failure(copied.error());
  }
  auto store = open_sqlite_store(config_.database);
  if (!store) return storage_failure(store.error());
  store_ = std::move(*store);
  if (auto failure = open_events()) return failure;
  const auto header = store_->header();
  if (!header) return storage_failure(header.error());

  const MachineTime machine{read_boot_id(), system_clock_.since_boot(), system_clock_.wall_now()};
  const Duration offset = resume_clock(*header, machine);
  clock_.emplace(system_clock_, offset);
  StorageOptions options = storage_options(config_);
  if (events_) options.events = events_->endpoint();
  if (cluster_) options.homes = cluster_->routes_of(number_).homes;
  options.self = number_;
  storage_.emplace(*store_, std::move(options));
  const StorageStart start{clock_->now(), clock_->wall_now(), machine.boot_id, offset,
                           log_name(random_number(), random_number())};
  start_.storage = start;
  if (const Status loaded = storage_->load(start); !loaded) return storage_failure(loaded.error());
  // The start itself is kept before anything is served: a file that cannot be written is found out now.
  if (const Status kept = store_->commit(start.now, start.wall_now); !kept)
    return storage_failure(kept.error());
  actors_->host(Place::storage, *storage_);
  return std::nullopt;
}

void Node::open_limiter() {
  if (!config_.roles.limiter) return;
  LimiterOptions options;
  if (cluster_) options.homes = cluster_->routes_of(number_).homes;
  options.self = number_;
  options.is_apart = !config_.roles.storage;
  limiter_.emplace(std::move(options));
  actors_->host(Place::limiter, *limiter_);
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
  WorkerOptions work = worker_options(config_);
  start_.session = work.session;
  worker_.emplace(std::move(work));
  actors_->host(Place::worker, *worker_);
  // A node of a cluster reaches its server itself.
  if (config_.roles.storage || config_.roles.limiter) return std::nullopt;
  auto link = ServerLink::open(context_, {.servers = config_.worker.servers, .bounds = config_.bounds}, log_);
  if (!link) return link.error();
  link_ = std::move(*link);
  return std::nullopt;
}

std::optional<Failure> Node::open_recording() {
  if (config_.record.file.empty()) return std::nullopt;
  start_.version = stint_version;
  start_.config_text = config_.record.config_text;
  start_.name = config_.name;
  start_.roles = config_.roles;
  if (events_) start_.events = events_->endpoint();
  auto recorder = Recorder::open(config_.record.file, start_, log_);
  if (!recorder) return storage_failure(recorder.error());
  recorder_ = std::move(*recorder);
  actors_->observe(*recorder_);
  return std::nullopt;
}

std::optional<Failure> Node::open_links() {
  if (!cluster_) return std::nullopt;
  LinkPortConfig links{.cluster = *cluster_,
                       .self = number_,
                       .name = config_.name,
                       .cluster_hash = cluster_hash(config_.cluster),
                       .start = random_number(),
                       .bounds = config_.bounds};
  auto opened = LinkPort::open(context_, std::move(links), *clock_, log_);
  if (!opened) return opened.error();
  peers_ = std::move(*opened);
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
  door.peers = peers_.get();
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
  if (peers_) {
    for (const zmq::socket_ref socket : peers_->sockets()) waiter_->watch([socket] { return socket; });
  }
  if (events_) waiter_->watch([this] { return events_->socket(); });
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
      .peers = peers_.get(),
      .storage_node = ClusterMap::storage,
      .events = events_.get(),
      .stop_within = from_ms(config_.worker.grace_ms) + WorkerActor::after_grace + std::chrono::seconds(1)});
}

void Node::say_stopped() {
  if (peers_) {
    const LinkCounts& counts = peers_->counts();
    log_.info("links closed", {{"sent", counts.sent},
                               {"received", counts.received},
                               {"lost", counts.lost},
                               {"refused", counts.refused}});
  }
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
  const std::string roles = roles_text(config_.roles);
  if (storage_) {
    const JobCounts& jobs = storage_->job_counts();
    log_.info("ready", {{"node", config_.name},
                        {"roles", roles},
                        {"front_door", door},
                        {"events", events_ ? events_->endpoint() : "none"},
                        {"database", config_.database},
                        {"epoch", storage_->epoch()},
                        {"jobs", jobs.waiting + jobs.scheduled + jobs.retrying},
                        {"leases", jobs.running},
                        {"dead", jobs.dead}});
  } else if (cluster_) {
    log_.info("ready", {{"node", config_.name},
                        {"roles", roles},
                        {"front_door", door},
                        {"storage", config_.cluster.storage}});
  } else {
    log_.info("ready", {{"node", config_.name},
                        {"roles", roles},
                        {"front_door", door},
                        {"servers", joined(config_.worker.servers)}});
  }
}

}  // namespace stint
