#include "tests/sim/world/checker.hpp"

#include <algorithm>

#include "tests/sim/world/job_plan.hpp"

namespace stint::sim {

namespace {

std::string name_of(JobId id) { return "job " + std::to_string(id); }
std::string name_of(const JobRun& run) { return name_of(run.id) + " run " + std::to_string(run.run); }

// Undelivered hand-outs of one job that cost nothing (rule D3).
constexpr std::int64_t free_undelivered = 5;

RunEnd end_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return RunEnd::completed;
    case Outcome::failed:
      return RunEnd::failed;
    case Outcome::dead:
      return RunEnd::dead;
    case Outcome::snoozed:
      return RunEnd::snoozed;
    case Outcome::released:
      return RunEnd::released;
  }
  return RunEnd::completed;
}

}  // namespace

// --- What clients know ---

void Checker::sent(const std::string& batch_key, const Enqueue& enqueue) {
  Sent& sent = sent_[batch_key];
  if (!sent.tokens.empty()) return;
  for (const NewJob& job : enqueue.jobs) sent.tokens.push_back(from_payload(job.payload).token);
}

void Checker::acknowledged(const std::string& batch_key, const Enqueued& answer) {
  const auto is_void = [this](JobId id) { return void_jobs_.contains(id); };
  if (std::any_of(answer.ids.begin(), answer.ids.end(), is_void)) return;  // said before the restore
  Sent& sent = sent_[batch_key];
  if (answer.ids.size() != sent.tokens.size())
    world_.fail("D8", batch_key + " was answered with too few ids");
  if (sent.ids && *sent.ids != answer.ids) world_.fail("D8", batch_key + " was answered with other ids");
  for (std::size_t at = 0; at < answer.ids.size(); ++at) {
    const auto job = tokens_.find(sent.tokens[at]);
    if (job == tokens_.end() || job->second != answer.ids[at]) {
      world_.fail("D1", batch_key + " was acknowledged with " + name_of(answer.ids[at]) +
                            ", which is not on disk as the job that was sent");
    }
  }
  if (!sent.ids) acknowledged_.insert(acknowledged_.end(), answer.ids.begin(), answer.ids.end());
  sent.ids = answer.ids;
}

// --- Commits ---

void Checker::takes(const Request& request) {
  leases.hears(request);
  const auto note = [this](const auto& words, const auto& runs) {
    takes(words.session, words.got);
    for (const auto& named : runs) named_now_.insert({named.id, named.run});
  };
  if (const auto* ask = std::get_if<RequestBatch>(&request)) takes(ask->session, ask->got);
  if (const auto* finish = std::get_if<Finish>(&request)) note(*finish, finish->results);
  if (const auto* beat = std::get_if<Heartbeat>(&request)) note(*beat, beat->jobs);
}

void Checker::takes(const SessionId& session, std::int64_t got) {
  got_now_[session] = got;
  got_[session] = std::max(got_[session], got);
}

bool Checker::is_acknowledged(const ReceiptRow& row) const {
  const auto got = got_now_.find(session_ids_.at(row.session));
  return row.acknowledged || (got != got_now_.end() && got->second >= row.ask) ||
         std::any_of(row.runs.begin(), row.runs.end(),
                     [this](const JobRun& run) { return named_now_.contains(run); });
}

void Checker::take_guesses(const ReceiptRow& row) {
  if (honest_.contains(session_ids_[row.session])) return;
  const bool is_named = std::any_of(row.runs.begin(), row.runs.end(),
                                    [this](const JobRun& run) { return named_now_.contains(run); });
  if (is_named) arrived_.insert(row.runs.begin(), row.runs.end());
}

void Checker::committed(const std::vector<StoreChange>& changes) {
  touched_.clear();
  for (const StoreChange& change : changes) {
    std::visit([&](const auto& one) { apply(one); }, change);
  }
  for (const auto& [id, before] : touched_) check_touched(id, before, jobs_.at(id));
  for (const auto& [id, receipt] : receipts_) {
    if (receipt.open.empty()) world_.fail("D1", "receipt " + std::to_string(id) + " outlives its runs");
  }
  got_now_.clear();
  named_now_.clear();
}

JobRecord* Checker::touch(JobId id, const std::string& why) {
  const auto job = jobs_.find(id);
  if (job == jobs_.end()) {
    world_.fail("D1", why + " of " + name_of(id) + ", which does not exist");
    return nullptr;
  }
  touched_.emplace(id, job->second);
  return &job->second;
}

void Checker::apply(const JobInserted& inserted) {
  const JobPlan plan = from_payload(inserted.payload);
  if (!tokens_.emplace(plan.token, inserted.row.id).second) {
    world_.fail("D8", "the job " + plan.token + " was stored twice");
  }
  if (void_jobs_.contains(inserted.row.id)) {
    world_.fail("L10", name_of(inserted.row.id) + " has an id that was given before the restore");
  }
  const auto [job, is_new] = jobs_.try_emplace(inserted.row.id);
  if (!is_new) world_.fail("D1", name_of(inserted.row.id) + " was inserted over another");
  job->second.token = plan.token;
  job->second.max_attempts = inserted.row.max_attempts.value_or(defaults_.max_attempts);
}

void Checker::apply(const JobChange& change) {
  JobRecord* job = touch(change.id, "a change");
  if (job == nullptr) return;
  job->runs = change.runs;
  job->attempts = change.attempts;
  job->lost = change.lost;
  job->undelivered = change.undelivered;
  job->cancelled = change.cancel_requested;
  if (job->final && !(change.dead && job->final == JobState::dead)) {
    world_.fail("D1", name_of(change.id) + " goes on although it has ended");
  }
  if (change.dead) job->final = JobState::dead;
}

void Checker::apply(const JobDeleted& deleted) {
  if (JobRecord* job = touch(deleted.id, "a deletion")) job->deleted = true;
}

void Checker::apply(const ReceiptRow& row) {
  OpenReceipt& receipt = receipts_[row.id];
  receipt.row = row;
  for (const JobRun& run : row.runs) {
    receipt.open.insert(run);
    JobRecord* job = touch(run.id, "a hand-out");
    if (job == nullptr) continue;
    if (job->receipt) world_.fail("D4", name_of(run) + " is handed out while another run is on");
    if (job->final) world_.fail("D1", name_of(run) + " is handed out although the job has ended");
    if (run.run != job->runs + 1) world_.fail("D4", name_of(run) + " is not the run that follows");
    job->receipt = row.id;
  }
  const SessionId& session = session_ids_[row.session];
  if (std::any_of(row.runs.begin(), row.runs.end(),
                  [&](const JobRun& run) { return is_void(run, session); })) {
    taken_for_arrived_.insert(row.runs.begin(), row.runs.end());
  }
}

void Checker::apply(const ReceiptDeleted& deleted) {
  const auto receipt = receipts_.find(deleted.id);
  if (receipt == receipts_.end()) return world_.fail("D4", "a receipt was deleted that does not exist");
  if (!receipt->second.open.empty()) world_.fail("D4", "a receipt was deleted while its runs are on");
  receipts_.erase(receipt);
}

void Checker::apply(const ReceiptAcknowledged& acknowledged) {
  const auto receipt = receipts_.find(acknowledged.id);
  if (receipt == receipts_.end()) return world_.fail("D3", "a receipt was acknowledged that does not exist");
  receipt->second.row.acknowledged = true;
  take_guesses(receipt->second.row);
  // Those that a limit took back when the ask came again have ended (rule L7).
  for (const JobRun& run : receipt->second.open) {
    if (!has_arrived(run)) world_.fail("D3", name_of(run) + " was acknowledged but has never arrived");
  }
}

void Checker::apply(const LogRow& row) {
  JobRecord* job = touch(row.run.id, "a log");
  if (job == nullptr) return;
  if (job->final) world_.fail("D1", name_of(row.run) + " ends although the job has ended");
  if (!job->logs.emplace(row.run.run, row).second) world_.fail("D1", name_of(row.run) + " ended twice");
  ++ends_[row.end];
  world_.trace(name_of(row.run) + " ends as " + std::string(to_string(row.end)) + ", the job is " +
               std::string(to_string(row.state)));
  if (row.state == JobState::completed || row.state == JobState::cancelled || row.state == JobState::dead) {
    job->final = row.state;
  }
  const bool is_given_up = row.end == RunEnd::dead && row.state != JobState::dead;
  if (is_given_up) world_.fail("D7", name_of(row.run) + " was given up by its handler, and the job goes on");
  const bool is_cancelled = job->cancelled && !job->final;
  if (is_cancelled) world_.fail("D7", name_of(row.run) + " ends after a cancel, and the job goes on");
  if (row.run.run == 0) return;
  const auto receipt = job->receipt ? receipts_.find(*job->receipt) : receipts_.end();
  if (receipt == receipts_.end() || receipt->second.open.erase(row.run) == 0) {
    return world_.fail("D4", name_of(row.run) + " ended but was not on");
  }
  if (over_now_.first != world_.turn()) over_now_ = {world_.turn(), {}};
  over_now_.second[row.run] = receipt->second.row;
  take_guesses(receipt->second.row);
  if (receipt->second.row.session != row.session) {
    world_.fail("D4", name_of(row.run) + " was ended by a session that does not hold its lease");
  }
  if (row.end == RunEnd::undelivered && receipt->second.row.acknowledged) {
    world_.fail("D3", name_of(row.run) + " counts as undelivered although it was acknowledged");
  }
  if (row.end == RunEnd::lost && !is_acknowledged(receipt->second.row) &&
      touched_.at(row.run.id).undelivered < free_undelivered) {
    world_.fail("D3", name_of(row.run) + " counts as lost although it was never acknowledged");
  }
  // One that stops gives back what still comes, and may be cut off before that is heard.
  const SessionId& session = session_ids_[row.session];
  const bool was_taken = (stopping_.contains(session) ? arrived_ : started_).contains(row.run) ||
                         taken_for_arrived_.contains(row.run);
  if (row.end == RunEnd::lost && honest_.contains(session) && !was_taken &&
      touched_.at(row.run.id).undelivered < free_undelivered) {
    world_.fail("D3", name_of(row.run) + " counts as lost, but its worker never took it");
  }
  job->receipt.reset();
}

void Checker::check_touched(JobId id, const JobRecord& before, const JobRecord& after) {
  check_ends_of_runs(before, after);
  if (after.deleted && !after.final) world_.fail("D1", name_of(id) + " was deleted before it ended");
  if ((after.final == JobState::completed || after.final == JobState::cancelled) && !after.deleted) {
    world_.fail("D1", name_of(id) + " has ended but its row is still there");
  }
  if (after.lost > defaults_.max_lost) world_.fail("D7", name_of(id) + " was lost too often");
  if (after.lost >= defaults_.max_lost && !after.final) {
    world_.fail("D7", name_of(id) + " was lost max_lost times and goes on");
  }
  if (after.attempts > after.max_attempts) world_.fail("D7", name_of(id) + " has spent too many attempts");
  if (after.attempts >= after.max_attempts && !after.final) {
    world_.fail("D7", name_of(id) + " has spent max_attempts and goes on");
  }
}

// One commit may end several runs of a job: lost with its session, handed out, and taken back at once.
void Checker::check_ends_of_runs(const JobRecord& before, const JobRecord& after) {
  const LogRow* newest = nullptr;
  std::int64_t runs = before.runs;
  std::int64_t spent = 0;
  std::int64_t lost = 0;
  for (const auto& [run, log] : after.logs) {
    if (run <= 0 || before.logs.contains(run)) continue;
    if (run != ++runs) world_.fail("D4", name_of(log.run) + " ended out of order");
    const bool costs = log.end == RunEnd::completed || log.end == RunEnd::failed || log.end == RunEnd::dead ||
                       log.end == RunEnd::lost || log.end == RunEnd::timed_out;
    if (costs && !has_arrived(log.run) && before.undelivered < free_undelivered) {
      world_.fail("D3", name_of(log.run) + " spent an attempt but has never arrived");
    }
    spent += costs ? 1 : 0;
    lost += log.end == RunEnd::lost ? 1 : 0;
    newest = &log;
  }
  // The row of a job that ended well is gone.
  if (newest == nullptr || after.final == JobState::completed || after.final == JobState::cancelled) return;
  const std::string end = name_of(newest->run) + " ended as " + std::string(to_string(newest->end));
  if (after.attempts - before.attempts != spent) {
    world_.fail(newest->end == RunEnd::undelivered ? "D3" : "D7",
                end + " and spent " + std::to_string(after.attempts - before.attempts) + " attempts");
  }
  if (after.lost - before.lost != lost) world_.fail("D7", end + " but counts otherwise");
}

// --- Answers ---

void Checker::answers(const Request& request, const Answer& answer) {
  if (const auto* batch = std::get_if<Batch>(&answer)) {
    if (const auto* ask = std::get_if<RequestBatch>(&request)) check_batch(*ask, *batch);
  } else if (const auto* finished = std::get_if<Finished>(&answer)) {
    if (const auto* finish = std::get_if<Finish>(&request)) check_finished(*finish, *finished);
  } else if (const auto* enqueued = std::get_if<Enqueued>(&answer)) {
    for (const JobId id : enqueued->ids) {
      if (jobs_.contains(id) || void_jobs_.contains(id)) continue;
      world_.fail("D1", name_of(id) + " is acknowledged but not on disk");
    }
  }
}

void Checker::starts(const Batch& batch) {
  limits.leaves(batch);
  idle.leaves(batch);
  leases.leaves(batch);
}

// Whose ask it answers, the receipt of its runs tells.
void Checker::leaves(const Batch& batch) {
  if (batch.jobs.empty()) return;
  const JobRun run{batch.jobs.front().id, batch.jobs.front().run};
  const ReceiptRow* row = receipt_of(run);
  if (row == nullptr)
    return world_.fail("D1", name_of(run) + " is handed out but no receipt of it is on disk");
  RequestBatch request;
  request.session = session_ids_[row->session];
  request.ask = row->ask;
  check_batch(request, batch);
}

// A batch that is answered again and the end of one of its runs may be of one turn: the batch was right when
// it was made, and leaves when the receipt is gone.
const ReceiptRow* Checker::receipt_of(const JobRun& run) const {
  const auto over = over_now_.second.find(run);
  if (over_now_.first == world_.turn() && over != over_now_.second.end()) return &over->second;
  const auto job = jobs_.find(run.id);
  if (job == jobs_.end() || !job->second.receipt) return nullptr;
  const auto receipt = receipts_.find(*job->second.receipt);
  return receipt != receipts_.end() && receipt->second.open.contains(run) ? &receipt->second.row : nullptr;
}

void Checker::check_batch(const RequestBatch& request, const Batch& batch) {
  const auto key = std::make_pair(request.session, request.ask);
  const auto before = batches_.find(key);
  std::set<JobRun> runs;
  for (const LeasedJob& job : batch.jobs) runs.insert({job.id, job.run});
  if (batch.ask != request.ask) world_.fail("D3", "an ask was answered under another number");
  for (const LeasedJob& job : batch.jobs) {
    const JobRun run{job.id, job.run};
    const ReceiptRow* row = receipt_of(run);
    if (row == nullptr) {
      world_.fail("D1", name_of(run) + " is handed out but no receipt of it is on disk");
      continue;
    }
    if (session_ids_[row->session] != request.session || row->ask != request.ask) {
      world_.fail("D4", name_of(run) + " is handed to a session or ask that does not hold its lease");
    }
    if (from_payload(job.payload).token != jobs_.at(job.id).token) {
      world_.fail("D1", name_of(run) + " has the payload of another job");
    }
  }
  hand_out(runs, request.session);
  const auto is_on = [&](const JobRun& run) { return !jobs_.at(run.id).logs.contains(run.run); };
  // Once all of its jobs have ended, undelivered, the batch is forgotten and the ask may get another.
  if (before == batches_.end() || std::none_of(before->second.begin(), before->second.end(), is_on)) {
    if (!runs.empty()) batches_[key] = runs;
    return;
  }
  ++repeated_batches_;
  if (!std::includes(before->second.begin(), before->second.end(), runs.begin(), runs.end())) {
    world_.fail("D3", "a repeated ask was answered with other jobs");
  }
  // A session that has said that it got the batch needs it no more.
  if (request.ask <= got_[request.session]) return;
  for (const JobRun& run : before->second) {
    const JobRecord& job = jobs_.at(run.id);
    if (!is_on(run) || runs.contains(run)) continue;
    if (job.receipt && !receipts_.at(*job.receipt).row.acknowledged) {
      world_.fail("D3", "a repeated ask was not answered with " + name_of(run) + ", which is still on");
    }
  }
}

bool Checker::is_log_of(const LogRow& log, const SessionId& session, const RunResult& result) const {
  const auto id = session_ids_.find(log.session);
  if (id == session_ids_.end() || id->second != session || log.run.run != result.run) return false;
  return log.end == end_of(result.outcome) ||
         (log.end == RunEnd::cancelled && result.outcome != Outcome::completed);
}

void Checker::check_finished(const Finish& request, const Finished& answer) {
  const auto result_at = [&](std::int64_t at) -> const RunResult* {
    const auto found = std::find(request.positions.begin(), request.positions.end(), at);
    return found == request.positions.end()
               ? nullptr
               : &request.results[static_cast<std::size_t>(found - request.positions.begin())];
  };
  const auto log_of = [&](const RunResult& result) -> const LogRow* {
    const auto job = jobs_.find(result.id);
    if (job == jobs_.end()) return nullptr;
    const auto log = job->second.logs.find(result.run);
    return log == job->second.logs.end() ? nullptr : &log->second;
  };
  if (answer.accepted.size() + answer.stale.size() + answer.rejected.size() != request.positions.size()) {
    world_.fail("D4", "a finish was not answered position for position");
  }
  for (const std::int64_t at : answer.accepted) {
    const RunResult* result = result_at(at);
    const LogRow* log = result == nullptr ? nullptr : log_of(*result);
    if (result != nullptr && void_logs_.contains({{result->id, result->run}, request.session})) continue;
    if (log == nullptr || !is_log_of(*log, request.session, *result)) {
      world_.fail("D4", "a report was accepted that is not on disk as that session's");
    }
  }
  for (const StaleResult& stale : answer.stale) {
    ++stale_;
    const RunResult* result = result_at(stale.at);
    const LogRow* log = result == nullptr ? nullptr : log_of(*result);
    if (log != nullptr && is_log_of(*log, request.session, *result)) {
      world_.fail("D4", name_of(log->run) + ": a resent report was refused that was accepted before");
    }
    if (stale.reason.empty()) world_.fail("D4", "a stale report was not told why");
  }
}

// --- Workers ---

void Checker::arrived(const SessionId& session, const Batch& batch) {
  for (const LeasedJob& job : batch.jobs) {
    const JobRun run{job.id, job.run};
    if (is_void(run, session)) {
      void_runs_.at({run, session}).arrived = true;
      continue;
    }
    arrived_.insert(run);
    if (handed_out_[run] != session) world_.fail("D4", name_of(run) + " arrived at another session");
  }
}

void Checker::started(const SessionId& session, const JobRun& run) {
  ++started_by_[session];
  if (is_void(run, session)) {
    void_runs_.at({run, session}).started = true;
    return;
  }
  if (!started_.insert(run).second && may_start_twice_.erase(run) == 0)
    world_.fail("D4", name_of(run) + " was started twice");
  if (handed_out_[run] != session) world_.fail("D4", name_of(run) + " was started by another session");
}

std::int64_t Checker::started_by(const SessionId& session) const {
  const auto count = started_by_.find(session);
  return count == started_by_.end() ? 0 : count->second;
}

// --- The end ---

bool Checker::all_are_final() const {
  return std::all_of(jobs_.begin(), jobs_.end(),
                     [](const auto& job) { return job.second.final.has_value(); });
}

void Checker::check_final() {
  for (const auto& [id, job] : jobs_) check_final(id, job);
  for (const JobId id : acknowledged_) {
    if (!jobs_.contains(id)) world_.fail("D1", name_of(id) + " was acknowledged and is not there");
  }
}

void Checker::check_final(JobId id, const JobRecord& job) {
  if (!job.final) {
    return world_.fail("D9", name_of(id) + " has not ended: run " + std::to_string(job.runs + 1) +
                                 (job.receipt ? " is handed out" : " waits"));
  }
  if (job.receipt) world_.fail("D1", name_of(id) + " has ended but a run of it is on");
  if (job.final != JobState::dead || job.logs.empty()) return;
  const LogRow& last = job.logs.rbegin()->second;
  const bool is_due =
      last.end == RunEnd::dead || job.lost >= defaults_.max_lost || job.attempts >= job.max_attempts;
  if (!is_due) world_.fail("D7", name_of(id) + " is dead without a reason");
}

std::optional<JobId> Checker::job_with(const std::string& token) const {
  const auto job = tokens_.find(token);
  if (job == tokens_.end()) return std::nullopt;
  return job->second;
}

std::int64_t Checker::count(RunEnd end) const {
  const auto count = ends_.find(end);
  return count == ends_.end() ? 0 : count->second;
}

}  // namespace stint::sim
