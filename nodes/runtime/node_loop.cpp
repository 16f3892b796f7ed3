#include "nodes/runtime/node_loop.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "nodes/runtime/wire_message.hpp"

namespace stint {
namespace {

// Each try may read the whole store again.
constexpr Duration first_retry = std::chrono::milliseconds(250);
constexpr Duration longest_retry = std::chrono::seconds(2);
constexpr std::int64_t storage_retry_ms = 500;
constexpr std::int64_t shutdown_retry_ms = 1'000;

Error storage_is_unavailable() {
  Error error{ErrorCode::storage_unavailable,
              "the storage failed; whether the request was carried out is unknown"};
  error.retry_in_ms = storage_retry_ms;
  return error;
}

Error shutting_down() {
  Error error{ErrorCode::shutting_down, "the server is shutting down"};
  error.retry_in_ms = shutdown_retry_ms;
  return error;
}

Error is_unreachable(const std::string& node) {
  Error error{ErrorCode::unavailable, "node " + node + " cannot be reached"};
  error.retry_in_ms = Peers::away_retry_ms;
  return error;
}

// Who waits for an answer to this message.
std::optional<Address> asker_of(const Envelope& envelope) {
  if (const auto* check = std::get_if<CheckAsk>(&envelope.message)) return check->asker;
  return std::visit(
      [&]<class Part>(const Part&) -> std::optional<Address> {
        if constexpr (is_alternative<Part, Request>) return envelope.from;
        return std::nullopt;
      },
      envelope.message);
}

BatchDropped runs_of(const Message& message) {
  BatchDropped runs;
  if (const auto* batch = std::get_if<Batch>(&message)) {
    for (const LeasedJob& job : batch->jobs) runs.runs.push_back({job.id, job.run});
  }
  return runs;
}

LogLevel level_of(WorkerNotice::Level level) {
  switch (level) {
    case WorkerNotice::Level::info:
      return LogLevel::info;
    case WorkerNotice::Level::warning:
      return LogLevel::warning;
    case WorkerNotice::Level::error:
      return LogLevel::error;
  }
  return LogLevel::info;
}

}  // namespace

NodeLoop::NodeLoop(LoopParts parts)
    : parts_(parts), stamp_(parts_.clock.now()), stamp_ms_(parts_.clock.wall_now()) {
  if (serves_itself()) tell_worker(LinkUp{});
}

void NodeLoop::run() {
  while (turn()) {
  }
}

bool NodeLoop::turn() {
  if (ended_) return false;
  const int asked_to_stop = parts_.waiter.wait(next_deadline());
  has_turned_ = true;
  const Instant now = parts_.clock.now();
  heed_stop(asked_to_stop);
  if (stop_at_ && now >= *stop_at_) {
    parts_.log.warning("the worker did not stop in time");
    end();
  }
  if (ended_) return false;

  const std::size_t taken = take_messages(now);
  if (retry_at_ && now < *retry_at_) return true;
  parts_.actors.run(now, parts_.clock.wall_now());
  budget_.worked(taken, parts_.clock.now() - now);
  if (!commit()) return true;
  send_all(parts_.actors.take_outgoing());
  stamp_ = parts_.clock.now();
  stamp_ms_ = parts_.clock.wall_now();
  parts_.actors.committed(stamp_);
  return !ended_;
}

std::optional<Instant> NodeLoop::next_deadline() const {
  // The actors have been told Started, and nothing from outside need ever come.
  if (!has_turned_) return stamp_;
  std::optional<Instant> deadline = stop_at_;
  const auto include = [&](std::optional<Instant> other) {
    if (other && (!deadline || *other < *deadline)) deadline = other;
  };
  // While the storage is out, actors stand still until it is tried again.
  include(storage_is_out() ? retry_at_ : parts_.actors.next_deadline());
  if (parts_.link != nullptr) include(parts_.link->next_deadline());
  if (parts_.peers != nullptr) include(parts_.peers->next_deadline());
  return deadline;
}

// The first asks the worker to finish, the second to give up what it has begun; the third ends the node as it
// stands.
void NodeLoop::heed_stop(int times) {
  for (; times > 0 && !ended_; --times) {
    ++asked_to_stop_;
    if (!parts_.actors.hosts(Place::worker) || storage_is_out() || asked_to_stop_ > 2) {
      end();
      continue;
    }
    if (asked_to_stop_ == 1) stop_at_ = parts_.clock.now() + parts_.stop_within;
    tell_worker(StopWork{});
  }
}

void NodeLoop::end() {
  if (parts_.door != nullptr) {
    parts_.door->refuse(shutting_down());
    parts_.door->answer_all(shutting_down());
  }
  ended_ = true;
}

bool NodeLoop::commit() {
  if (parts_.store == nullptr) return true;
  if (!parts_.store->has_changes()) return !storage_is_out();
  const Instant begun = parts_.clock.now();
  const Status committed = parts_.store->commit(stamp_, stamp_ms_);
  budget_.committed(parts_.clock.now() - begun);
  if (!committed) {
    lose_storage(committed.error());
  } else if (storage_is_out()) {
    regain_storage();
  }
  return committed.ok();
}

// Actors rebuild what they know, and the storage actor leaves something to commit: that commit must succeed
// before anything is served again (rule D2).
void NodeLoop::lose_storage(const Error& error) {
  if (!storage_is_out()) {
    parts_.log.error("storage failed", {{"reason", error.message}});
    retry_after_ = first_retry;
  } else {
    parts_.log.debug("storage still fails", {{"reason", error.message}});
    retry_after_ = std::min(2 * retry_after_, longest_retry);
  }
  if (parts_.door != nullptr) {
    parts_.door->refuse(storage_is_unavailable());
    parts_.door->answer_all(storage_is_unavailable());
  }
  if (parts_.peers != nullptr) {
    parts_.peers->refuse(storage_is_unavailable());
    parts_.peers->answer_all(storage_is_unavailable());
  }
  parts_.actors.rolled_back(parts_.clock.now(), parts_.clock.wall_now());
  retry_at_ = parts_.clock.now() + retry_after_;
}

void NodeLoop::regain_storage() {
  parts_.log.info("storage serves again");
  retry_at_.reset();
  if (parts_.door != nullptr) parts_.door->refuse(std::nullopt);
  if (parts_.peers != nullptr) parts_.peers->refuse(std::nullopt);
  if (serves_itself()) tell_worker(LinkUp{});
}

std::size_t NodeLoop::take_messages(Instant now) {
  std::size_t taken = 0;
  if (parts_.peers != nullptr) parts_.peers->tend(now);
  if (parts_.door != nullptr) taken += parts_.door->receive(parts_.actors, budget_.frames());
  if (parts_.peers != nullptr) hear_peers();
  if (parts_.events != nullptr) parts_.events->tend();
  if (parts_.link != nullptr) {
    parts_.link->tend(parts_.actors, now);
    taken += parts_.link->receive(parts_.actors, budget_.frames());
  }
  if (parts_.runner != nullptr) hear_runner();
  return taken;
}

void NodeLoop::hear_runner() {
  for (Message& message : parts_.runner->take()) runner_said_.push_back(std::move(message));
  if (storage_is_out()) return;
  for (Message& message : runner_said_) tell_worker(std::move(message));
  runner_said_.clear();
}

void NodeLoop::send_all(std::vector<Envelope>&& outgoing) {
  for (Envelope& envelope : outgoing) send_one(std::move(envelope));
}

void NodeLoop::send_one(Envelope&& envelope) {
  if (!parts_.actors.is_here(envelope.to)) return send_to_node(std::move(envelope));
  switch (envelope.to.place) {
    case Place::door:
      if (parts_.door != nullptr) answer_client(std::move(envelope));
      return;
    case Place::server:
      if (parts_.link != nullptr) parts_.link->send(std::move(envelope));
      return;
    case Place::runner:
      if (auto* start = std::get_if<StartRun>(&envelope.message)) {
        if (parts_.runner != nullptr) parts_.runner->start(std::move(*start));
      } else if (auto* stop = std::get_if<StopRun>(&envelope.message)) {
        if (parts_.runner != nullptr) parts_.runner->stop(stop->run);
      } else if (std::holds_alternative<WorkerStopped>(envelope.message)) {
        end();
      }
      return;
    case Place::log:
      if (const auto* notice = std::get_if<WorkerNotice>(&envelope.message)) {
        parts_.log.write(level_of(notice->level), notice->text, {});
      }
      return;
    case Place::events:
      if (auto* written = std::get_if<EventsWritten>(&envelope.message)) {
        if (parts_.events != nullptr) parts_.events->publish(std::move(*written));
      }
      return;
    default:
      assert(!"nobody of this node lives there");
  }
}

void NodeLoop::answer_client(Envelope&& envelope) {
  BatchDropped dropped = runs_of(envelope.message);
  if (!parts_.door->send(std::move(envelope))) drop_batch(std::move(dropped));
}

void NodeLoop::drop_batch(BatchDropped&& dropped) {
  if (dropped.runs.empty()) return;
  // Without room for it, the leases end by themselves.
  parts_.actors.post({{Place::door, 0}, {Place::storage, 0}, std::move(dropped)});
}

// --- Other nodes of the cluster. ---

void NodeLoop::hear_peers() {
  for (Envelope& envelope : parts_.peers->take_answers()) {
    if (parts_.door != nullptr) answer_client(std::move(envelope));
  }
  for (const Peers::News& news : parts_.peers->take_news()) {
    if (news.kind == Peers::News::Kind::up) tell_of_link(news.node);
    if (news.kind != Peers::News::Kind::refuses) tell_storage(news);
    if (parts_.door == nullptr) continue;
    switch (news.kind) {
      case Peers::News::Kind::lost:
        parts_.door->give_up_single(news.node);
        break;
      case Peers::News::Kind::up:
        parts_.door->pass_on_again(news.node);
        if (news.node == parts_.storage_node) parts_.door->pass_on_asks_again();
        break;
      case Peers::News::Kind::refuses:
        parts_.door->answer_passed_on(news.node, news.error);
        break;
    }
  }
}

// Whoever speaks over it repeats itself.
void NodeLoop::tell_of_link(NodeNumber node) {
  if (serves_itself()) tell_worker(LinkUp{});
  if (node != parts_.storage_node || !parts_.actors.hosts(Place::limiter)) return;
  static_cast<void>(parts_.actors.post({{Place::server, 0}, {Place::limiter, 0}, LinkUp{}}));
}

void NodeLoop::tell_storage(const Peers::News& news) {
  if (!parts_.actors.hosts(Place::storage)) return;
  const bool is_up = news.kind == Peers::News::Kind::up;
  Message link = is_up ? Message(LinkUp{news.node}) : Message(LinkDown{news.node});
  static_cast<void>(parts_.actors.post({{Place::server, 0}, {Place::storage, 0}, std::move(link)}));
}

void NodeLoop::send_to_node(Envelope&& envelope) {
  assert(parts_.peers != nullptr);
  const NodeNumber node = envelope.to.node;
  const auto asker = asker_of(envelope);
  const bool is_check = std::holds_alternative<CheckAsk>(envelope.message);
  BatchDropped dropped = runs_of(envelope.message);
  if (parts_.peers->send(std::move(envelope))) return;
  drop_batch(std::move(dropped));
  if (!asker) return;
  answer(*asker, is_unreachable(parts_.peers->name_of(node)));
  if (is_check) parts_.actors.post({{Place::storage, 0}, {Place::limiter, 0}, AskAnswered{*asker}});
}

void NodeLoop::answer(const Address& asker, Error error) {
  Envelope envelope{{Place::limiter, 0}, asker, std::move(error)};
  if (!parts_.actors.is_here(asker)) {
    // Its door repeats the request once the link is up again.
    static_cast<void>(parts_.peers->send(std::move(envelope)));
  } else if (asker.place == Place::worker) {
    static_cast<void>(parts_.actors.post(std::move(envelope)));
  } else if (parts_.door != nullptr) {
    answer_client(std::move(envelope));
  }
}

void NodeLoop::tell_worker(Message message) {
  const bool posted = parts_.actors.post({{Place::runner, 0}, {Place::worker, 0}, std::move(message)});
  // A worker's own mailbox is emptied every turn, and its runner has no more to say than it has permits.
  assert(posted);
  static_cast<void>(posted);
}

}  // namespace stint
