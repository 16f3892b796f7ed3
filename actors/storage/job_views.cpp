#include "actors/storage/job_views.hpp"

#include <algorithm>
#include <utility>

#include "actors/storage/verdict.hpp"

namespace stint {

namespace {

constexpr std::int64_t shown_runs = 100;
// Of all results of a job together: an answer must fit into a message.
constexpr std::int64_t shown_result_bytes = 4 << 20;

RunView run_view(LogRow&& log) {
  RunView view;
  view.run = log.run.run;
  view.attempt = log.attempt;
  view.worker = std::move(log.worker);
  view.started_at_ms = log.started_at_ms;
  view.ended_at_ms = log.ended_at_ms;
  view.end = log.end;
  view.result = std::move(log.result);
  view.error = std::move(log.error);
  return view;
}

// The newest runs' results are shown, as far as they fit.
std::vector<RunView> run_views(std::vector<LogRow> logs) {
  std::vector<RunView> runs;
  std::int64_t bytes = 0;
  for (auto log = logs.rbegin(); log != logs.rend(); ++log) {
    if (log->run.run == 0) continue;
    bytes += log->result ? std::ssize(log->result->bytes) : 0;
    const bool is_left_out = log->result && bytes > shown_result_bytes;
    if (is_left_out) log->result.reset();
    runs.push_back(run_view(std::move(*log)));
    runs.back().result_left_out = is_left_out;
  }
  std::reverse(runs.begin(), runs.end());
  return runs;
}

}  // namespace

JobState JobViews::state_of(const JobRow& row) {
  if (row.dead) return JobState::dead;
  if (state_.leases().find(row.id) != nullptr) return JobState::running;
  if (!is_delayed(row, state_.now, state_.wall_now)) return JobState::waiting;
  return is_retry(row) ? JobState::retrying : JobState::scheduled;
}

JobView JobViews::view(const JobRow& row) {
  const Lease* lease = state_.leases().find(row.id);
  JobView view;
  view.id = row.id;
  view.queue = row.queue;
  view.handler = row.handler;
  view.state = state_of(row);
  view.priority = row.priority;
  view.runs = row.runs + (lease != nullptr ? 1 : 0);
  view.attempts = row.attempts;
  view.max_attempts = max_attempts_of(row, state_.options.defaults);
  view.lost = row.lost;
  view.enqueued_at_ms = row.enqueued_at_ms;
  if (view.state == JobState::scheduled || view.state == JobState::retrying) {
    view.due_in_ms = row.run_at_ms ? *row.run_at_ms - state_.wall_now : to_ms(row.ready_at - state_.now);
  }
  view.worker = worker_of(row, lease);
  if (lease != nullptr) view.progress = lease->progress;
  view.reason = row.reason;
  return view;
}

JobView JobViews::view(const LogRow& last) const {
  JobView view;
  view.id = last.run.id;
  view.queue = last.queue;
  view.handler = last.handler;
  view.state = last.state;
  view.priority = last.priority;
  view.runs = last.run.run;
  view.attempts = last.run.run > 0 && !spends_attempt(last.end) ? last.attempt - 1 : last.attempt;
  view.max_attempts = last.max_attempts;
  view.enqueued_at_ms = last.enqueued_at_ms;
  view.worker = last.worker;
  if (last.state == JobState::cancelled) view.reason = "cancelled on request";
  return view;
}

Result<JobDetails> JobViews::details(JobId id) {
  auto row = state_.store.job(id);
  if (!row) return row.error();
  JobDetails details;
  std::int64_t ended_runs = 0;
  if (*row) {
    ended_runs = (*row)->runs;
    auto payload = state_.store.payload(id);
    if (!payload) return payload.error();
    details.job = view(**row);
    details.payload = std::move(*payload);
    details.meta = std::move((*row)->meta);
    details.timeout_ms = (*row)->timeout_ms;
  } else {
    auto last = ended(id);
    if (!last) return last.error();
    details.job = view(*last);
  }
  auto logs = state_.store.logs_of(id, shown_runs);
  if (!logs) return logs.error();
  details.runs = run_views(std::move(*logs));
  if (!details.runs.empty()) ended_runs = std::max(ended_runs, details.runs.back().run);
  details.runs_left_out = ended_runs - std::ssize(details.runs);
  return details;
}

bool JobViews::ends_job(const LogRow& log) {
  return log.state == JobState::completed || log.state == JobState::cancelled;
}

Result<LogRow> JobViews::ended(JobId id) {
  // One that was cancelled while it waited has its last log at run 0, before those of its runs.
  auto without_run = state_.store.log({id, 0});
  if (!without_run) return without_run.error();
  if (*without_run) return std::move(**without_run);
  auto newest = state_.store.logs_of(id, 1);
  if (!newest) return newest.error();
  if (newest->empty() || !ends_job(newest->front())) {
    return Error{ErrorCode::not_found, "there is no job " + std::to_string(id), "id"};
  }
  return std::move(newest->front());
}

std::string JobViews::worker_of(const JobRow& row, const Lease* lease) {
  if (lease != nullptr) {
    const Session* session = state_.sessions().find(lease->session);
    return session == nullptr ? "" : session->row.worker;
  }
  if (row.runs == 0) return "";
  const auto log = state_.store.log({row.id, row.runs});
  return log && *log ? (*log)->worker : "";
}

}  // namespace stint
