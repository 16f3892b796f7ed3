#include "actors/storage/claims.hpp"

#include <algorithm>
#include <utility>

#include "actors/storage/verdict.hpp"

namespace stint {

namespace {

constexpr std::int64_t ask_anew_in_ms = 10;

}  // namespace

void Claims::on(Claim&& claim, Turn& turn) {
  Session* session = desk_.hear(claim.session, 0);
  if (session == nullptr) {
    give_back(claim, turn);
    return news_.ended(claim.session, turn);
  }
  const Receipt* before = state_.leases().receipt_of(session->number(), claim.ask);
  if (before != nullptr && !before->acknowledged) return answer_again(claim, *before, turn);
  // An old copy of an ask: its session has its answer.
  if (before != nullptr || claim.ask <= session->got || session->over.contains(claim.ask)) {
    return close(claim, *session, turn);
  }
  if (claim.is_repeated && news_.has_come_to_nothing(claim.claim, turn)) return give_back(claim, turn);
  if (claim.is_repeated) return close(claim, *session, turn);
  Admission admission(state_.ledger());
  auto taken = take(claim, *session, admission);
  if (!taken) return give_back(claim, turn);
  if (taken->leases.empty()) return news_.claimed(claim.claim, 0, admission.take_refused(), turn);

  Batch batch{claim.ask, {}, {}, {}};
  batch.jobs.reserve(taken->leases.size());
  for (std::size_t index = 0; index < taken->leases.size(); ++index) {
    batch.jobs.push_back(leased_job(taken->leases[index], std::move(taken->payloads[index])));
  }
  const std::int64_t count = std::ssize(taken->leases);
  const ReceiptId receipt = hand_out(claim, *session, std::move(taken->leases));
  send_batch(std::move(batch), receipt, claim.askers, turn);
  news_.claimed(claim.claim, count, admission.take_refused(), turn);
}

// Starts nothing. What the first copy of a repeated claim came to nobody knows: it was lost on its way, or an
// earlier life of storage heard it, and the worker may have what it asked for. Whoever still waits asks anew.
void Claims::close(const Claim& claim, Session& session, Turn& turn) {
  note_over(session, claim.ask);
  for (const Address& asker : claim.askers) {
    turn.send(asker, Batch{claim.ask, {}, EmptyReason::none, ask_anew_in_ms});
  }
  news_.claimed(claim.claim, 1, {}, turn);
}

// The jobs of this ask were handed out before. A limiter that repeats its claim wants to know no more than
// that: the batch has left, and if it was lost, its worker asks again.
void Claims::answer_again(const Claim& claim, const Receipt& before, Turn& turn) {
  const std::int64_t taken = before.running;
  if (!claim.is_repeated) {
    auto batch = hand_out_again(before.id, turn);
    if (!batch) return give_back(claim, turn);
    if (batch->jobs.empty()) return give_back(claim, turn);
    send_batch(std::move(*batch), before.id, claim.askers, turn);
  }
  news_.claimed(claim.claim, taken, {}, turn);
}

void Claims::on(CheckAsk&& check, Turn& turn) {
  const RequestBatch& ask = check.ask;
  Session* session = desk_.hear(ask.session, ask.got);
  if (session == nullptr) return answer(check, SessionDesk::unknown_session(), turn);
  const Receipt* receipt = state_.leases().receipt_of(session->number(), ask.ask);
  if (receipt != nullptr && !receipt->acknowledged) {
    const ReceiptId id = receipt->id;
    auto batch = hand_out_again(id, turn);
    if (!batch) return answer(check, batch.error(), turn);
    if (batch->jobs.empty()) return answer(check, Batch{ask.ask, {}, EmptyReason::limited, {}}, turn);
    send_batch(std::move(*batch), id, {check.asker}, turn);
    return news_.answered(check, turn);
  }
  // An acknowledged one has reached the worker: this is an old copy of its ask, and nothing more starts for
  // it.
  if (receipt != nullptr || ask.ask <= session->got || session->over.contains(ask.ask)) {
    return answer(check, Batch{ask.ask, {}, EmptyReason::none, {}}, turn);
  }
  news_.opened(*session, turn);
  turn.reply(AskIsNew{std::move(check.ask), check.asker});
}

void Claims::answer(const CheckAsk& check, Message answer, Turn& turn) {
  turn.send(check.asker, std::move(answer));
  news_.answered(check, turn);
}

void Claims::on(Acknowledge&& acknowledge, Turn&) { desk_.hear(acknowledge.session, acknowledge.got); }

void Claims::give_back(const Claim& claim, Turn& turn) { news_.claimed(claim.claim, 0, {}, turn); }

Result<Claims::Taken> Claims::take(const Claim& claim, const Session& session, Admission& admission) {
  std::vector<QueueCap> caps;
  std::int64_t most = state_.options.bounds.batch_max;
  for (const auto& [queue, permits] : claim.queues) {
    const std::int64_t cap = batch_max(queue);
    caps.push_back({queue, std::min({permits, cap, admission.room_of_queue(queue)})});
    most = std::max(most, cap);
  }
  const std::vector<LaneHead> heads =
      state_.board().take(caps, std::min(most, claim.most), session.handlers,
                          [&](LaneGroup& group) { return admission.admit(group); });

  Taken taken;
  const Status read_all = read(heads, taken);
  const std::size_t kept = read_all ? taken.leases.size() : 0;
  for (std::size_t index = kept; index < heads.size(); ++index) state_.board().put_back(heads[index]);
  if (!read_all) return read_all.error();
  return taken;
}

Status Claims::read(const std::vector<LaneHead>& heads, Taken& taken) const {
  std::vector<JobId> ids;
  ids.reserve(heads.size());
  for (const LaneHead& head : heads) ids.push_back(head.position.id);
  taken.leases.reserve(heads.size());
  taken.payloads.reserve(heads.size());
  BatchBudget budget;
  bool is_full = false;
  Status read = state_.store.whole_jobs(ids, [&](WholeJob&& job) {
    is_full = !budget.take(job.row);
    if (is_full) return false;
    Lease& lease = taken.leases.emplace_back();
    lease.job = std::move(job.row);
    lease.group = heads[taken.payloads.size()].group;
    lease.timeout = timeout_of(lease.job, state_.options.defaults);
    taken.payloads.push_back(std::move(job.payload));
    return true;
  });
  assert(!read || is_full || taken.leases.size() == heads.size());
  return read;
}

std::int64_t Claims::batch_max(const std::string& queue) const {
  const auto own = state_.options.batch_max.find(queue);
  return own == state_.options.batch_max.end() ? state_.options.bounds.batch_max : own->second;
}

ReceiptId Claims::hand_out(const Claim& claim, Session& session, std::vector<Lease> leases) {
  ReceiptRow row{
      ++state_.loaded->last_receipt, session.number(), claim.ask, state_.now, state_.wall_now, false, {}};
  Receipt receipt;
  receipt.id = row.id;
  receipt.session = row.session;
  receipt.ask = row.ask;
  receipt.started_at_ms = row.started_at_ms;
  receipt.only_by_name = session.number() <= state_.loaded->last_older_session;
  const EventSession its_session{session.row.id, session.row.worker};
  for (Lease& lease : leases) {
    lease.receipt = row.id;
    lease.session = row.session;
    row.runs.push_back(lease.run());
    receipt.jobs.push_back(lease.job.id);
    state_.board().add_running(*lease.group, 1);
    state_.ledger().start(*lease.group);
    state_.events().add(
        EventKind::started, lease.job.queue,
        {lease.job.id, lease.job.handler, lease.run().run, lease.job.attempts + 1, &its_session});
  }
  state_.store.insert_receipt(row);
  state_.counters.started += std::ssize(leases);
  note_answered(session, claim.ask);
  state_.leases().hand_out(std::move(receipt), std::move(leases), state_.now);
  return row.id;
}

void Claims::send_batch(Batch batch, ReceiptId receipt, const std::vector<Address>& askers, Turn& turn) {
  state_.leases().receipt(receipt)->copies += askers.size();
  for (std::size_t index = 0; index + 1 < askers.size(); ++index) turn.send(askers[index], batch);
  if (!askers.empty()) turn.send(askers.back(), std::move(batch));
}

Result<Batch> Claims::hand_out_again(ReceiptId id, Turn& turn) {
  const Receipt& receipt = *state_.leases().receipt(id);
  Batch batch{receipt.ask, {}, {}, {}};
  // Copies that leave together are one start.
  const bool is_charged = state_.leases().leaves_now(id);
  std::vector<JobId> refused;
  for (const Lease* lease : state_.leases().running_of(receipt)) {
    auto payload = state_.store.payload(lease->job.id);
    if (!payload) return payload.error();
    assert(payload->has_value());
    if (is_charged || state_.ledger().start_again(*lease->group)) {
      batch.jobs.push_back(leased_job(*lease, std::move(**payload)));
    } else {
      refused.push_back(lease->job.id);
    }
  }
  if (!batch.jobs.empty() && !is_charged) state_.leases().hand_out_again(id);
  // The receipt goes with the last of its runs.
  for (const JobId job : refused) ends_.end_undelivered(job, turn.random());
  return batch;
}

LeasedJob Claims::leased_job(const Lease& lease, Payload payload) const {
  const JobRow& row = lease.job;
  const Defaults& defaults = state_.options.defaults;
  LeasedJob job;
  job.id = row.id;
  job.run = lease.run().run;
  job.attempt = row.attempts + 1;
  job.max_attempts = max_attempts_of(row, defaults);
  job.queue = row.queue;
  job.handler = row.handler;
  job.payload = std::move(payload);
  job.lease_ms = defaults.lease_ms;
  job.timeout_ms = row.timeout_ms.value_or(defaults.timeout_ms);
  job.enqueued_at_ms = row.enqueued_at_ms;
  job.meta = row.meta;
  job.progress = lease.progress;
  return job;
}

}  // namespace stint
