#include "actors/storage/operations.hpp"

#include <cassert>

#include "actors/storage/run_ends.hpp"
#include "actors/storage/verdict.hpp"

namespace stint {

namespace {

Error conflict(JobId id, std::string_view why) {
  return {ErrorCode::conflict, "job " + std::to_string(id) + " " + std::string(why), "id"};
}

}  // namespace

void Operations::on(RetryJob&& request, Turn& turn) { reply_details(retry(request.id), request.id, turn); }

void Operations::on(CancelJob&& request, Turn& turn) { reply_details(cancel(request.id), request.id, turn); }

void Operations::on(DeleteJob&& request, Turn& turn) {
  const Status removed = remove(request.id);
  if (!removed) return turn.reply(removed.error());
  turn.reply(Deleted{request.id});
}

Status Operations::retry(JobId id) {
  auto row = row_of(id);
  if (!row) return row.error();
  const JobState state = views_.state_of(*row);
  if (state == JobState::running) return conflict(id, "is running");
  if (state == JobState::waiting) return Done{};
  take_off_board(*row);
  if (row->dead) {
    row->dead = false;
    row->attempts = row->lost = row->undelivered = 0;
    row->ended_at_ms = 0;
    row->reason.clear();
  }
  row->ready_at = state_.now;
  row->run_at_ms.reset();
  state_.store.change_job(change_of(*row));
  state_.board().wait(state_.board().lanes.group(row->queue, row->handler), *row, state_.now,
                      state_.wall_now);
  add_event(EventKind::requeued, *row);
  return Done{};
}

Status Operations::cancel(JobId id) {
  auto row = row_of(id);
  if (!row) {
    const auto last = views_.ended(id);
    const bool is_cancelled = last && last->state == JobState::cancelled;
    return is_cancelled ? Status(Done{}) : Status(row.error());
  }
  if (row->dead) return conflict(id, "is dead");
  Lease* lease = state_.leases().find(id);
  if (lease == nullptr) {
    cancel_waiting(*row);
  } else if (!lease->job.cancel_requested) {
    lease->job.cancel_requested = true;
    state_.store.change_job(change_of(lease->job));
    heartbeats_.tell_cancel(*lease);
  }
  return Done{};
}

Status Operations::remove(JobId id) {
  auto row = row_of(id);
  if (row) {
    if (views_.state_of(*row) == JobState::running) return conflict(id, "is running: cancel it first");
    take_off_board(*row);
    state_.store.delete_job(id);
    if (!row->dead) add_event(EventKind::cancelled, *row);
  } else if (row.error().code != ErrorCode::conflict) {
    return row.error();
  }
  state_.store.delete_logs_of(id);
  return Done{};
}

Result<JobRow> Operations::row_of(JobId id) {
  auto row = state_.store.job(id);
  if (!row) return row.error();
  if (*row) return std::move(**row);
  const auto last = views_.ended(id);
  if (!last) return last.error();
  return conflict(id, "has ended as " + std::string(to_string(last->state)));
}

void Operations::cancel_waiting(const JobRow& row) {
  take_off_board(row);
  state_.store.delete_job(row.id);
  LogRow log;
  log.run = {row.id, 0};
  log.queue = row.queue;
  log.handler = row.handler;
  log.attempt = row.attempts;
  log.priority = row.priority;
  log.max_attempts = max_attempts_of(row, state_.options.defaults);
  log.enqueued_at_ms = row.enqueued_at_ms;
  log.ended_at_ms = state_.wall_now;
  log.end = RunEnd::cancelled;
  log.state = JobState::cancelled;
  state_.store.insert_log(log);
  add_event(EventKind::cancelled, row);
}

void Operations::take_off_board(const JobRow& row) {
  if (row.dead) {
    state_.board().exhume(state_.board().lanes.group(row.queue, row.handler), row);
  } else {
    [[maybe_unused]] const bool was_there = state_.board().withdraw(row);
    assert(was_there);
  }
}

void Operations::add_event(EventKind kind, const JobRow& row) {
  state_.events().add(kind, row.queue,
                      {.job = row.id, .handler = row.handler, .run = row.runs, .attempt = row.attempts});
}

void Operations::reply_details(const Status& status, JobId id, Turn& turn) {
  if (!status) return turn.reply(status.error());
  auto details = views_.details(id);
  if (!details) return turn.reply(details.error());
  turn.reply(std::move(*details));
}

}  // namespace stint
