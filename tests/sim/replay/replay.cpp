#include "tests/sim/replay/replay.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "actors/kernel/actor_system.hpp"
#include "actors/limiter/limiter_actor.hpp"
#include "actors/storage/storage_actor.hpp"
#include "actors/worker/worker_actor.hpp"
#include "nodes/config/read_config.hpp"
#include "nodes/links/cluster_map.hpp"
#include "nodes/record/recorded_message.hpp"
#include "nodes/runtime/node_options.hpp"
#include "storage/copy_database.hpp"
#include "storage/sqlite_store.hpp"

namespace stint::sim {

namespace {

std::string place_text(const Address& address) {
  return std::to_string(static_cast<int>(address.place)) + "/" + std::to_string(address.id) + "/" +
         std::to_string(address.node);
}

class Replay {
 public:
  using Tell = std::function<void(const std::string&)>;
  Replay(RecordingReader reader, const Tell& tell) : reader_(std::move(reader)), tell_(tell) {}

  // The node as Node::open() makes it, without its ports.
  Status make(const std::string& database, const std::string& scratch) {
    const RecordedStart& start = reader_.start();
    if (Status config = read_config(); !config) return config;
    Routes routes;
    if (config_.cluster.any()) {
      const ClusterMap cluster(config_.cluster);
      const auto number = cluster.place_of(config_.name, config_.roles);
      if (!number) return number.error();
      number_ = *number;
      routes = cluster.routes_of(number_);
    }
    actors_.emplace(start.seed, routes);
    if (config_.roles.storage) {
      if (Status storage = make_storage(database, scratch, routes); !storage) return storage;
    }
    if (config_.roles.limiter) {
      LimiterOptions options;
      options.homes = routes.homes;
      options.self = number_;
      options.is_apart = !config_.roles.storage;
      limiter_.emplace(std::move(options));
      actors_->host(Place::limiter, *limiter_);
    }
    if (config_.roles.worker) {
      WorkerOptions options = worker_options(config_);
      options.session = start.session;
      worker_.emplace(std::move(options));
      actors_->host(Place::worker, *worker_);
    }
    return Done{};
  }

  Result<Replayed> run() {
    while (auto entry = reader_.next()) {
      const Status done =
          std::visit([this](auto&& part) { return play(std::move(part)); }, std::move(*entry));
      if (!done) return done.error();
      if (outcome_.difference) break;
    }
    if (began_) outcome_.span = now_ - *began_;
    return std::move(outcome_);
  }

 private:
  Status read_config() {
    const RecordedStart& start = reader_.start();
    auto file = parse_config(start.config_text, "the recorded config");
    if (!file) return Error{ErrorCode::bad_message, to_string(file.error().front())};
    NodeSettings settings;
    settings.name = start.name;
    settings.roles = start.roles;
    auto config = resolve_config(*file, settings);
    if (!config) return Error{ErrorCode::bad_message, to_string(config.error().front())};
    config_ = std::move(*config);
    return Done{};
  }

  Status make_storage(const std::string& database, const std::string& scratch, const Routes& routes) {
    const RecordedStart& start = reader_.start();
    if (Status copied = copy_database(database, scratch); !copied) return copied;
    auto store = open_sqlite_store(scratch);
    if (!store) return store.error();
    store_ = std::move(*store);
    StorageOptions options = storage_options(config_);
    options.version = start.version;
    options.events = start.events;
    options.homes = routes.homes;
    options.self = number_;
    storage_.emplace(*store_, std::move(options));
    if (Status loaded = storage_->load(start.storage); !loaded) return loaded;
    stamp_ = now_ = start.storage.now;
    stamp_ms_ = start.storage.wall_now;
    if (Status kept = store_->commit(stamp_, stamp_ms_); !kept) return kept;
    actors_->host(Place::storage, *storage_);
    return Done{};
  }

  Status play(RecordedPost&& post) {
    auto message = message_of(post.kind, post.body, now_);
    if (!message) return message.error();
    tell_("  " + post.kind + " from " + place_text(post.from) + " to " + place_text(post.to));
    ++outcome_.messages;
    static_cast<void>(actors_->post({post.from, post.to, std::move(*message)}));
    return Done{};
  }

  Status play(RecordedTurn&& turn) {
    now_ = std::max(now_, turn.now);
    if (!began_) began_ = now_;
    wall_now_ = turn.wall_now;
    ++outcome_.turns;
    tell_("turn " + std::to_string(outcome_.turns) + " at " + std::to_string((now_ - *began_).count()) +
          " us");
    actors_->run(turn.now, turn.wall_now);
    return Done{};
  }

  Status play(RecordedLeave&& leave) {
    if (store_ != nullptr && store_->has_changes()) {
      if (Status kept = store_->commit(stamp_, stamp_ms_); !kept) return kept;
    }
    std::string lines;
    for (const Envelope& envelope : actors_->take_outgoing()) {
      lines += line_of(envelope, now_);
      ++outcome_.left;
    }
    if (!lines.empty()) tell_("    leaves: " + lines);
    if (lines != leave.lines) outcome_.difference = {outcome_.turns, std::move(leave.lines), lines};
    return Done{};
  }

  Status play(RecordedCommit&& commit) {
    now_ = std::max(now_, commit.now);
    stamp_ = commit.now;
    stamp_ms_ = wall_now_;
    actors_->committed(commit.now);
    return Done{};
  }

  Status play(RecordedRollback&& rollback) {
    now_ = std::max(now_, rollback.now);
    tell_("  its commit failed");
    actors_->rolled_back(rollback.now, rollback.wall_now);
    return Done{};
  }

  RecordingReader reader_;
  const Tell& tell_;
  NodeConfig config_;
  NodeNumber number_ = 0;
  std::unique_ptr<Store> store_;
  std::optional<StorageActor> storage_;
  std::optional<LimiterActor> limiter_;
  std::optional<WorkerActor> worker_;
  std::optional<ActorSystem> actors_;
  Instant now_{};
  WallMs wall_now_ = 0;
  Instant stamp_{};
  WallMs stamp_ms_ = 0;
  std::optional<Instant> began_;
  Replayed outcome_;
};

}  // namespace

Result<Replayed> replay(const std::string& recording, const std::string& scratch,
                        const std::function<void(const std::string&)>& tell) {
  auto reader = RecordingReader::open(recording);
  if (!reader) return reader.error();
  Replay replay(std::move(*reader), tell);
  if (Status made = replay.make(database_of(recording), scratch); !made) return made.error();
  return replay.run();
}

}  // namespace stint::sim
