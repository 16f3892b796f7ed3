#include "actors/storage/session_desk.hpp"

#include <utility>

namespace stint {

namespace {

// A session's row is written again when what it says of the last message is older than this.
constexpr Duration row_may_lag = std::chrono::minutes(1);
// Sessions are remembered for a day: so many that only a fault, or malice, opens more.
constexpr std::size_t most_sessions = 100'000;

Error too_many_sessions() {
  return {ErrorCode::overloaded,
          "more sessions were opened within a day than the server remembers",
          {},
          {},
          60'000};
}

}  // namespace

void SessionDesk::on(Hello&& hello, Turn& turn) {
  if (hello.worker.has_value() != hello.session.has_value()) {
    const char* missing = hello.worker ? "session" : "worker";
    return turn.reply(Error{ErrorCode::bad_message, "a worker says both worker and session", missing});
  }
  if (hello.session) {
    Session* known = hear_any(*hello.session, 0);
    if (known == nullptr) {
      if (state_.sessions().all().size() >= most_sessions) return turn.reply(too_many_sessions());
      open(hello, turn);
    } else if (known->row.worker != *hello.worker) {
      return turn.reply(Error{ErrorCode::conflict, "this session is another worker's", "session"});
    } else if (!known->open()) {
      reopen(*known, turn);
    }
  }
  turn.reply(welcome(hello));
}

void SessionDesk::on(Goodbye&& goodbye, Turn& turn) {
  Session* session = hear_any(goodbye.session, 0);
  if (session == nullptr) return turn.reply(unknown_session());
  if (session->open()) {
    for (const JobId job : state_.leases().jobs_of(session->number())) {
      ends_.end(job, {.end = RunEnd::released}, turn.random());
    }
    session->row.ended = true;
    state_.sessions().note_news(*session);
    store(*session);
    news_.ended(session->row.id, turn);
  }
  turn.reply(Farewell{});
}

Session* SessionDesk::hear(const SessionId& id, std::int64_t got) {
  Session* session = hear_any(id, got);
  return session != nullptr && session->open() ? session : nullptr;
}

Session* SessionDesk::hear_any(const SessionId& id, std::int64_t got) {
  Session* session = state_.sessions().find(id);
  if (session == nullptr) return nullptr;
  session->last_message = state_.now;
  if (session->last_message - session->row.last_message >= row_may_lag) store(*session);
  if (got > session->got) {
    note_got(*session, got);
    const auto acknowledged = state_.leases().acknowledge_up_to(session->number(), got);
    state_.loaded->acknowledged.insert(acknowledged.begin(), acknowledged.end());
  }
  return session;
}

void SessionDesk::acknowledge(ReceiptId id) {
  Receipt* receipt = state_.leases().receipt(id);
  if (receipt != nullptr && state_.leases().acknowledge(*receipt)) state_.loaded->acknowledged.insert(id);
}

Error SessionDesk::unknown_session() {
  return {ErrorCode::unknown_session, "the server does not know this session: say hello again", "session"};
}

void SessionDesk::before_commit() {
  for (const ReceiptId id : std::exchange(state_.loaded->acknowledged, {}))
    state_.store.acknowledge_receipt(id);
}

Welcome SessionDesk::welcome(const Hello& hello) const {
  const StorageOptions& options = state_.options;
  const Bounds& bounds = options.bounds;
  const Defaults& defaults = options.defaults;
  Welcome welcome;
  welcome.server = options.server;
  welcome.version = options.version;
  welcome.versions = {1};
  welcome.epoch = state_.epoch;
  welcome.now_ms = state_.wall_now;
  welcome.bounds = {Bounds::message_bytes,   bounds.payload_bytes, bounds.result_bytes, bounds.meta_bytes,
                    bounds.jobs_per_request, bounds.batch_max,     Bounds::wait_ms};
  welcome.defaults = {
      defaults.max_attempts,
      {defaults.backoff_first_ms, defaults.backoff_factor, defaults.backoff_cap_ms, defaults.backoff_jitter},
      defaults.max_lost,
      defaults.lease_ms,
      defaults.timeout_ms,
      defaults.wait_ms};
  welcome.events = options.events;
  welcome.event_seq = state_.loaded->events.last_seq();
  for (const std::string& queue : hello.queues) {
    welcome.homes.emplace(queue, options.homes ? options.homes->of(queue).name : options.server);
  }
  return welcome;
}

void SessionDesk::open(const Hello& hello, Turn& turn) {
  SessionRow row;
  row.number = ++state_.loaded->last_session;
  row.id = *hello.session;
  row.worker = *hello.worker;
  row.client = hello.client;
  row.hostname = hello.hostname;
  row.pid = hello.pid;
  for (const auto& [handler, declaration] : hello.handlers) row.handlers.push_back(handler);
  row.queues = hello.queues;
  row.labels = hello.labels;
  row.first_hello_ms = state_.wall_now;
  row.last_message = state_.now;
  Session& session = state_.sessions().add(std::move(row));
  session.highest_answered = 0;
  store(session);
  if (hello.takeover) take_over(session, turn);
  limits_.declare(hello, session);
  news_.opened(session, turn);
}

// It said goodbye or was taken over, and yet lives. It goes on as it was declared, without the leases it had;
// it takes over from nobody (rule D5).
void SessionDesk::reopen(Session& session, Turn& turn) {
  session.row.ended = false;
  session.row.taken_over = false;
  store(session);
  news_.opened(session, turn);
}

void SessionDesk::take_over(const Session& by, Turn& turn) {
  for (Session* earlier : state_.sessions().of_worker(by.row.worker)) {
    if (earlier->number() == by.number() || !earlier->open()) continue;
    for (const JobId job : state_.leases().jobs_of(earlier->number())) ends_.end_lost(job, turn.random());
    earlier->row.taken_over = true;
    state_.sessions().note_news(*earlier);
    store(*earlier);
    news_.ended(earlier->row.id, turn);
  }
}

void SessionDesk::store(Session& session) {
  session.row.last_message = session.last_message;
  state_.store.put_session(session.row);
}

}  // namespace stint
