#include "actors/storage/inspection.hpp"

#include <cassert>
#include <utility>

#include "actors/storage/job_cursor.hpp"
#include "actors/storage/living.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

// Rows that one request may look at: a filter that fits few of a million jobs takes several pages.
constexpr std::int64_t rows_looked_at = 2000;
// Values of variable number (names in lists and maps) that a page may hold.
constexpr std::int64_t values_a_page = 50'000;

// Cursors of queues and of workers begin with a letter, so that no name or number passes for one.
std::string queue_cursor(std::string_view last) { return "q" + std::string(last); }

// The queue after which the list goes on, empty: from the first on. Nothing: it is no cursor of queues.
std::optional<std::string_view> queue_from(std::string_view cursor) {
  if (cursor.empty()) return cursor;
  const std::string_view name = cursor.substr(1);
  if (cursor.front() != 'q' || !is_queue_name(name)) return std::nullopt;
  return name;
}

std::string worker_cursor(SessionNumber last) { return "w" + std::to_string(last); }

std::optional<SessionNumber> session_from(std::string_view cursor) {
  if (cursor.empty()) return 0;
  return cursor.front() == 'w' ? number_from(cursor.substr(1)) : std::nullopt;
}

Error bad_cursor() { return {ErrorCode::bad_message, "this cursor did not come from this list", "cursor"}; }

bool fits(const ListJobs& request, std::string_view queue, std::string_view handler, JobState state) {
  return (request.queue.empty() || request.queue == queue) &&
         (request.handler.empty() || request.handler == handler) &&
         (!request.state || *request.state == state);
}

bool is_end(JobState state) { return state == JobState::completed || state == JobState::cancelled; }

}  // namespace

void Inspection::on(ListQueues&& request, Turn& turn) {
  assert(request.limit >= 1);
  const auto after = queue_from(request.cursor);
  if (!after) return turn.reply(bad_cursor());
  const WorkerCounts workers = workers_by_queue();
  Queues page;
  std::int64_t values = 0;
  auto name = request.name.empty() ? next_queue(*after, workers) : known_queue(request.name, workers);
  while (name) {
    if (std::ssize(page.queues) == request.limit || values > values_a_page) {
      page.cursor = queue_cursor(page.queues.back().name);
      break;
    }
    page.queues.push_back(queue_view(*name, workers));
    values += std::ssize(page.queues.back().waiting_by_handler);
    name = request.name.empty() ? next_queue(*name, workers) : std::nullopt;
  }
  turn.reply(std::move(page));
}

void Inspection::on(ListWorkers&& request, Turn& turn) {
  assert(request.limit >= 1);
  const auto after = session_from(request.cursor);
  if (!after) return turn.reply(bad_cursor());
  Workers page;
  std::int64_t values = 0;
  const auto& sessions = state_.sessions().all();
  for (auto session = sessions.upper_bound(*after); session != sessions.end(); ++session) {
    if (!is_living(state_, session->second)) continue;
    if (std::ssize(page.workers) == request.limit || values > values_a_page) {
      page.cursor = worker_cursor(std::prev(session)->first);
      break;
    }
    page.workers.push_back(worker_view(session->second));
    const WorkerView& view = page.workers.back();
    values += std::ssize(view.handlers) + std::ssize(view.queues) + 2 * std::ssize(view.labels);
  }
  turn.reply(std::move(page));
}

void Inspection::on(ListJobs&& request, Turn& turn) {
  assert(request.limit >= 1);
  const bool only_ended = request.state && is_end(*request.state);
  const bool only_rows = request.state && !is_end(*request.state);
  const auto cursor =
      request.cursor.empty() ? std::optional(JobCursor{only_ended, {}}) : job_cursor_from(request.cursor);
  if (!cursor) return turn.reply(bad_cursor());
  Jobs page;
  const Status listed =
      cursor->in_logs ? list_ended(request, cursor->after, page) : list_rows(request, cursor->after.id, page);
  if (!listed) return turn.reply(listed.error());
  if (!cursor->in_logs && page.cursor.empty() && !only_rows) page.cursor = to_string(JobCursor{true, {}});
  turn.reply(std::move(page));
}

void Inspection::on(GetJob&& request, Turn& turn) {
  auto details = views_.details(request.id);
  if (!details) return turn.reply(details.error());
  turn.reply(std::move(*details));
}

void Inspection::on(GetStats&&, Turn& turn) {
  const JobCounts& totals = state_.board().totals();
  const Counters& counters = state_.counters;
  const StoreSizes sizes = state_.store.sizes();
  Stats stats;
  stats.server = state_.options.server;
  stats.version = state_.options.version;
  stats.epoch = state_.epoch;
  stats.uptime_ms = to_ms(state_.now - state_.started_at);
  stats.waiting = totals.waiting;
  stats.scheduled = totals.scheduled;
  stats.retrying = totals.retrying;
  stats.running = totals.running;
  stats.dead = totals.dead;
  for (const auto& [number, session] : state_.sessions().all())
    stats.sessions += is_living(state_, session) ? 1 : 0;
  stats.event_seq = state_.events().last_seq();
  stats.enqueued = counters.enqueued;
  stats.started = counters.started;
  stats.completed = counters.completed;
  stats.failed = counters.failed;
  stats.lost = counters.lost;
  stats.undelivered = counters.undelivered;
  stats.stale = counters.stale;
  stats.database_bytes = sizes.database_bytes;
  stats.wal_bytes = sizes.wal_bytes;
  turn.reply(std::move(stats));
}

bool Inspection::has_setting(const NamedLimit& named) const {
  return !named.layers.empty() || named.gate.paused_until(state_.now);
}

// The lists that know queues are each in order: the next of all is the first of their next ones.
std::optional<std::string> Inspection::next_queue(std::string_view after, const WorkerCounts& workers) {
  std::optional<std::string_view> next;
  const auto include = [&](std::string_view name) {
    if (!next || name < *next) next = name;
  };
  const auto include_next = [&](const auto& by_name) {
    if (const auto found = by_name.upper_bound(after); found != by_name.end()) include(found->first);
  };
  include_next(state_.board().lanes.queues());
  include_next(workers);
  include_next(state_.options.batch_max);
  const auto& limited = state_.ledger().names();
  auto named = limited.upper_bound({LimitScope::queue, std::string(after)});
  while (named != limited.end() && named->second.scope == LimitScope::queue && !has_setting(named->second))
    ++named;
  if (named != limited.end() && named->second.scope == LimitScope::queue) include(named->second.name);
  return next ? std::optional(std::string(*next)) : std::nullopt;
}

std::optional<std::string> Inspection::known_queue(const std::string& name, const WorkerCounts& workers) {
  const NamedLimit* named = state_.ledger().find(LimitScope::queue, name);
  const bool is_known = state_.board().lanes.queues().contains(name) || workers.contains(name) ||
                        state_.options.batch_max.contains(name) || (named != nullptr && has_setting(*named));
  return is_known ? std::optional(name) : std::nullopt;
}

QueueView Inspection::queue_view(const std::string& name, const WorkerCounts& workers) {
  QueueView view;
  view.name = name;
  if (const auto count = workers.find(name); count != workers.end()) view.workers = count->second;
  const auto& queues = state_.board().lanes.queues();
  const auto lanes = queues.find(name);
  if (lanes == queues.end()) return view;
  for (const auto& [handler, group] : lanes->second.groups) {
    view.waiting += group->counts.waiting;
    view.scheduled += group->counts.scheduled;
    view.retrying += group->counts.retrying;
    view.running += group->counts.running;
    view.dead += group->counts.dead;
    if (group->counts.waiting == 0) continue;
    if (std::ssize(view.waiting_by_handler) < values_a_page) {
      view.waiting_by_handler.emplace(handler, group->counts.waiting);
    } else {
      ++view.handlers_left_out;
    }
  }
  return view;
}

WorkerView Inspection::worker_view(const Session& session) const {
  const SessionRow& row = session.row;
  WorkerView view;
  view.worker = row.worker;
  view.session = row.id;
  view.client = row.client;
  view.hostname = row.hostname;
  view.pid = row.pid;
  view.handlers = row.handlers;
  view.queues = row.queues;
  view.labels = row.labels;
  view.running = state_.loaded->leases.running(row.number);
  view.first_hello_ms = row.first_hello_ms;
  view.last_message_ago_ms = to_ms(state_.now - session.last_message);
  return view;
}

Inspection::WorkerCounts Inspection::workers_by_queue() {
  WorkerCounts workers;
  for (const auto& [number, session] : state_.loaded->sessions.all()) {
    if (!is_living(state_, session)) continue;
    for (const std::string& queue : session.row.queues) ++workers[queue];
  }
  return workers;
}

Status Inspection::list_rows(const ListJobs& request, JobId after, Jobs& page) {
  auto rows = state_.store.jobs_after(after, rows_looked_at);
  if (!rows) return rows.error();
  for (const JobRow& row : *rows) {
    if (std::ssize(page.jobs) == request.limit) break;
    after = row.id;
    if (fits(request, row.queue, row.handler, views_.state_of(row))) page.jobs.push_back(views_.view(row));
  }
  const bool is_last = std::ssize(*rows) < rows_looked_at && (rows->empty() || after == rows->back().id);
  if (!is_last) page.cursor = to_string(JobCursor{false, {after, 0}});
  return Done{};
}

Status Inspection::list_ended(const ListJobs& request, JobRun after, Jobs& page) {
  auto logs = state_.store.logs_after(after, rows_looked_at);
  if (!logs) return logs.error();
  for (const LogRow& log : *logs) {
    if (std::ssize(page.jobs) == request.limit) break;
    after = log.run;
    if (JobViews::ends_job(log) && fits(request, log.queue, log.handler, log.state)) {
      page.jobs.push_back(views_.view(log));
    }
  }
  const bool is_last = std::ssize(*logs) < rows_looked_at && (logs->empty() || after == logs->back().run);
  if (!is_last) page.cursor = to_string(JobCursor{true, after});
  return Done{};
}

}  // namespace stint
