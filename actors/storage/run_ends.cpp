#include "actors/storage/run_ends.hpp"

#include <utility>

namespace stint {

namespace {

EventKind event_of(const Verdict& verdict) {
  if (verdict.state == JobState::cancelled) return EventKind::cancelled;
  switch (verdict.end) {
    case RunEnd::completed:
      return EventKind::completed;
    case RunEnd::snoozed:
      return EventKind::snoozed;
    case RunEnd::released:
      return EventKind::released;
    case RunEnd::undelivered:
      return EventKind::undelivered;
    case RunEnd::lost:
      return EventKind::lost;
    default:
      return EventKind::failed;
  }
}

EventNext next_of(const Verdict& verdict) {
  if (verdict.state == JobState::dead) return EventNext::dead;
  const EventKind kind = event_of(verdict);
  return kind == EventKind::failed || kind == EventKind::lost ? EventNext::retry : EventNext::none;
}

}  // namespace

void RunEnds::end(JobId job, EndOfRun end, std::mt19937_64& random) {
  Leases::Ended ended = state_.leases().end(job);
  Lease& lease = ended.lease;
  Session* session = state_.sessions().find(lease.session);
  const JobRun run = lease.run();
  const std::int64_t attempt = lease.job.attempts + 1;
  const bool reported = end.reported;
  const Verdict verdict = judge(lease.job, end, state_.options.defaults, state_.now, state_.wall_now, random);

  write_log(ended, verdict, end, session, attempt);
  move_job(lease, verdict);
  if (ended.batch_over) close_receipt(ended, session);
  add_event(lease, verdict, session, attempt);
  count(verdict);
  if (!reported && session != nullptr) tell_lost(*session, run);
}

void RunEnds::tell_lost(Session& session, const JobRun& run) {
  if (session.parked) session.parked->lost.push_back(run);
  state_.sessions().note_news(session);
}

void RunEnds::end_lost(JobId job, std::mt19937_64& random) {
  const Lease& lease = *state_.leases().find(job);
  const bool acknowledged = state_.leases().receipt(lease.receipt)->acknowledged;
  end(job, {acknowledged ? RunEnd::lost : RunEnd::undelivered}, random);
}

void RunEnds::end_undelivered(JobId job, std::mt19937_64& random) {
  EndOfRun end_of_run{RunEnd::undelivered};
  end_of_run.never_left = true;
  end(job, std::move(end_of_run), random);
}

void RunEnds::end_overdue(JobId job, std::mt19937_64& random) {
  const Lease& lease = *state_.leases().find(job);
  const bool acknowledged = state_.leases().receipt(lease.receipt)->acknowledged;
  // Heartbeats came until the end that nothing extends: the worker lives, but the handler does not come to an
  // end. Of a batch that was only ever answered again none has begun (rule D3).
  if (!acknowledged || lease.hard_end >= lease.deadline) return end_lost(job, random);
  EndOfRun overdue{RunEnd::timed_out};
  overdue.error = out_of_time(lease.job, state_.options.defaults);
  end(job, std::move(overdue), random);
}

void RunEnds::write_log(const Leases::Ended& ended, const Verdict& verdict, EndOfRun& end,
                        const Session* session, std::int64_t attempt) {
  const JobRow& row = ended.lease.job;
  LogRow log;
  log.run = {row.id, row.runs};
  log.queue = row.queue;
  log.handler = row.handler;
  log.session = ended.lease.session;
  if (session != nullptr) log.worker = session->row.worker;
  log.attempt = attempt;
  log.priority = row.priority;
  log.max_attempts = max_attempts_of(row, state_.options.defaults);
  log.enqueued_at_ms = row.enqueued_at_ms;
  log.started_at_ms = ended.started_at_ms;
  log.ended_at_ms = state_.wall_now;
  log.end = verdict.end;
  log.state = verdict.state;
  log.result = std::move(end.result);
  log.error = std::move(end.error);
  state_.store.insert_log(log);
}

void RunEnds::move_job(const Lease& lease, const Verdict& verdict) {
  const JobRow& row = lease.job;
  state_.board().add_running(*lease.group, -1);
  state_.ledger().end(*lease.group, verdict.end == RunEnd::completed);
  if (verdict.state == JobState::completed || verdict.state == JobState::cancelled) {
    state_.store.delete_job(row.id);
    return;
  }
  state_.store.change_job(change_of(row));
  if (row.dead) {
    state_.board().bury(*lease.group, row);
  } else {
    state_.board().wait(*lease.group, row, state_.now, state_.wall_now);
  }
}

void RunEnds::close_receipt(const Leases::Ended& ended, Session* session) {
  state_.store.delete_receipt(ended.lease.receipt);
  state_.loaded->acknowledged.erase(ended.lease.receipt);
  if (session != nullptr) note_over(*session, ended.ask);
}

void RunEnds::add_event(const Lease& lease, const Verdict& verdict, const Session* session,
                        std::int64_t attempt) {
  const JobRow& row = lease.job;
  EventBuilder::Item item{row.id, row.handler, row.runs, attempt, nullptr, next_of(verdict)};
  if (session == nullptr) return state_.events().add(event_of(verdict), row.queue, item);
  const EventSession its_session{session->row.id, session->row.worker};
  item.session = &its_session;
  state_.events().add(event_of(verdict), row.queue, item);
}

void RunEnds::count(const Verdict& verdict) {
  switch (verdict.end) {
    case RunEnd::completed:
      ++state_.counters.completed;
      break;
    case RunEnd::lost:
      ++state_.counters.lost;
      break;
    case RunEnd::undelivered:
      ++state_.counters.undelivered;
      break;
    case RunEnd::failed:
    case RunEnd::dead:
    case RunEnd::timed_out:
      ++state_.counters.failed;
      break;
    default:
      break;
  }
}

JobChange change_of(const JobRow& row) {
  return {row.id,       row.dead,      row.runs,        row.attempts,         row.lost,  row.undelivered,
          row.ready_at, row.run_at_ms, row.ended_at_ms, row.cancel_requested, row.reason};
}

}  // namespace stint
