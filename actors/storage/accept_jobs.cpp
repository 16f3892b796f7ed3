#include "actors/storage/accept_jobs.hpp"

#include <numeric>
#include <utility>

#include "actors/jobs/backoff.hpp"
#include "actors/storage/content_hash.hpp"

namespace stint {

void AcceptJobs::on(Enqueue&& request, Turn& turn) {
  const std::string key = std::move(request.batch_key);
  const std::uint64_t content = key.empty() ? 0 : content_hash(request.jobs);
  if (!key.empty()) {
    auto before = answered_before(key, content);
    if (!before) return turn.reply(before.error());
    if (*before) return turn.reply(std::move(**before));
  }
  if (auto fault = limits_.check(request.jobs)) return turn.reply(std::move(*fault));
  Enqueued answer;
  answer.ids.reserve(request.jobs.size());
  for (NewJob& job : request.jobs) answer.ids.push_back(accept(std::move(job)));
  if (!key.empty()) state_.store.put_batch_key({key, content, answer.ids, state_.now});
  turn.reply(std::move(answer));
}

Result<std::optional<Enqueued>> AcceptJobs::answered_before(const std::string& key, std::uint64_t content) {
  auto row = state_.store.batch_key(key);
  if (!row) return row.error();
  const Instant remembered_from = state_.now - from_ms(state_.options.defaults.keep_batch_keys_ms);
  if (!*row || (*row)->at < remembered_from) return std::optional<Enqueued>();
  if ((*row)->content_hash != content) {
    return Error{ErrorCode::conflict, "this batch_key was used for other jobs", "batch_key"};
  }
  Enqueued answer{std::move((*row)->ids), {}};
  answer.duplicates.resize(answer.ids.size());
  std::iota(answer.duplicates.begin(), answer.duplicates.end(), 0);
  return std::optional(std::move(answer));
}

JobId AcceptJobs::accept(NewJob&& job) {
  if (job.limit) limits_.bring(job.handler, *job.limit);
  JobRow row;
  row.id = ++state_.loaded->last_job;
  row.queue = std::move(job.queue);
  row.handler = std::move(job.handler);
  row.priority = job.priority;
  row.ready_at = later(state_.now, job.delay_ms.value_or(0));
  if (job.run_at_ms && *job.run_at_ms > state_.wall_now) {
    row.run_at_ms = job.run_at_ms;
    row.ready_at = later(state_.now, *job.run_at_ms - state_.wall_now);
  }
  row.enqueued_at_ms = state_.wall_now;
  row.max_attempts = job.max_attempts;
  row.timeout_ms = job.timeout_ms;
  row.backoff = job.backoff;
  row.meta = std::move(job.meta);
  row.payload_bytes = std::ssize(job.payload.bytes);

  state_.store.insert_job(row, job.payload);
  state_.board().wait(state_.board().lanes.group(row.queue, row.handler), row, state_.now, state_.wall_now);
  state_.events().add(EventKind::enqueued, row.queue, {.job = row.id, .handler = row.handler});
  ++state_.counters.enqueued;
  return row.id;
}

}  // namespace stint
