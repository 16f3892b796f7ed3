#include "actors/jobs/leases.hpp"

#include <algorithm>
#include <cassert>

namespace stint {

void Leases::hand_out(Receipt receipt, std::vector<Lease> leases, Instant now) {
  if (empty()) clock_.restart(now);
  const ReceiptId id = receipt.id;
  receipt.started_at = now;
  insert(std::move(receipt), std::move(leases));
  fresh_.push_back(id);
  start_deadlines(receipts_.at(id), now, true);
}

void Leases::load(Receipt receipt, std::vector<Lease> leases, Instant began, Instant now, double spread) {
  if (empty()) clock_.restart(now);
  const Duration put_off(static_cast<std::int64_t>(static_cast<double>(lease_.count()) * 0.2 * spread));
  for (Lease& lease : leases) {
    lease.deadline = clock_.at(now) + lease_ + put_off;
    lease.hard_end = std::max(clock_.at(began) + lease.timeout + lease_, lease.deadline);
  }
  const ReceiptId id = receipt.id;
  insert(std::move(receipt), std::move(leases));
  reorder(receipts_.at(id));
}

Lease* Leases::find(JobId job) {
  const auto found = leases_.find(job);
  return found == leases_.end() ? nullptr : &found->second;
}

Receipt* Leases::receipt(ReceiptId id) {
  const auto found = receipts_.find(id);
  return found == receipts_.end() ? nullptr : &found->second.receipt;
}

Receipt* Leases::receipt_of(SessionNumber session, std::int64_t ask) {
  const auto of_session = sessions_.find(session);
  if (of_session == sessions_.end()) return nullptr;
  const auto found = of_session->second.receipts.find(ask);
  return found == of_session->second.receipts.end() ? nullptr : receipt(found->second);
}

std::int64_t Leases::running(SessionNumber session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? 0 : found->second.running;
}

std::vector<JobId> Leases::jobs_of(SessionNumber session) {
  std::vector<JobId> jobs;
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return jobs;
  for (const auto& ask_and_id : found->second.receipts) {
    for (const Lease* lease : running_of(receipts_.at(ask_and_id.second).receipt))
      jobs.push_back(lease->job.id);
  }
  return jobs;
}

std::vector<Lease*> Leases::running_of(const Receipt& receipt) {
  std::vector<Lease*> running;
  running.reserve(static_cast<std::size_t>(receipt.running));
  for (const JobId job : receipt.jobs) {
    Lease* lease = find(job);
    if (lease != nullptr && lease->receipt == receipt.id) running.push_back(lease);
  }
  return running;
}

void Leases::each(const std::function<void(const Lease&, const Receipt&)>& visit) const {
  for (const auto& [job, lease] : leases_) visit(lease, receipts_.at(lease.receipt).receipt);
}

bool Leases::leaves_now(ReceiptId id) const {
  const auto holds = [&](const std::vector<ReceiptId>& ids) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  return holds(fresh_) || holds(repeated_);
}

bool Leases::drop_copy(const JobRun& run) {
  const Lease* lease = find(run.id);
  if (lease == nullptr || lease->run() != run) return false;
  Receipt& batch = receipts_.at(lease->receipt).receipt;
  if (batch.copies > 0) --batch.copies;
  return batch.copies == 0 && !batch.acknowledged;
}

bool Leases::acknowledge(Receipt& receipt) {
  if (receipt.acknowledged) return false;
  receipt.acknowledged = true;
  sessions_.at(receipt.session).unacknowledged.erase(receipt.ask);
  return true;
}

std::vector<ReceiptId> Leases::acknowledge_up_to(SessionNumber session, std::int64_t got) {
  std::vector<ReceiptId> acknowledged;
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return acknowledged;
  auto& waiting = found->second.unacknowledged;
  while (!waiting.empty() && waiting.begin()->first <= got) {
    acknowledged.push_back(waiting.begin()->second);
    receipts_.at(waiting.begin()->second).receipt.acknowledged = true;
    waiting.erase(waiting.begin());
  }
  return acknowledged;
}

Leases::Ended Leases::end(JobId job) {
  auto node = leases_.extract(job);
  assert(!node.empty());
  Ended ended{std::move(node.mapped())};
  const auto held = receipts_.find(ended.lease.receipt);
  const Receipt& receipt = held->second.receipt;
  ended.ask = receipt.ask;
  ended.started_at_ms = receipt.started_at_ms;
  ended.acknowledged = receipt.acknowledged;
  ended.batch_over = --held->second.receipt.running == 0;

  const auto of_session = sessions_.find(receipt.session);
  --of_session->second.running;
  if (ended.batch_over) {
    of_session->second.receipts.erase(receipt.ask);
    of_session->second.unacknowledged.erase(receipt.ask);
    if (of_session->second.receipts.empty()) sessions_.erase(of_session);
    order_.erase({held->second.looked_at, receipt.id});
    receipts_.erase(held);
  }
  return ended;
}

void Leases::read_clock(Instant now) {
  if (!empty()) clock_.read(now);
}

void Leases::stamp(Instant now) {
  const auto left_now = [&](ReceiptId id, bool first_time) {
    const auto held = receipts_.find(id);
    if (held == receipts_.end()) return;
    held->second.receipt.started_at = now;
    start_deadlines(held->second, now, first_time);
  };
  for (const ReceiptId id : fresh_) left_now(id, true);
  for (const ReceiptId id : repeated_) left_now(id, false);
  stamped_ = std::exchange(fresh_, {});
  stamped_.insert(stamped_.end(), repeated_.begin(), repeated_.end());
  repeated_.clear();
}

void Leases::stamp_again(Instant now) {
  for (const ReceiptId id : stamped_) {
    const auto held = receipts_.find(id);
    if (held != receipts_.end()) held->second.receipt.started_at = now;
  }
}

std::vector<JobId> Leases::overdue(Instant now, std::size_t most) {
  std::vector<JobId> overdue;
  if (!clock_.may_end(now)) return overdue;
  const Instant lease_now = clock_.at(now);
  for (auto next = order_.begin();
       next != order_.end() && next->first <= lease_now && overdue.size() < most;) {
    Held& held = receipts_.at((next++)->second);
    const std::size_t before = overdue.size();
    for (const Lease* lease : running_of(held.receipt)) {
      if (end_of(*lease) <= lease_now) overdue.push_back(lease->job.id);
    }
    if (overdue.size() == before) reorder(held);
  }
  return overdue;
}

void Leases::insert(Receipt receipt, std::vector<Lease> leases) {
  assert(!leases.empty());
  receipt.running = std::ssize(leases);
  OfSession& of_session = sessions_[receipt.session];
  of_session.running += receipt.running;
  of_session.receipts.emplace(receipt.ask, receipt.id);
  if (!receipt.acknowledged && !receipt.only_by_name)
    of_session.unacknowledged.emplace(receipt.ask, receipt.id);
  for (Lease& lease : leases) {
    const JobId job = lease.job.id;
    leases_.emplace(job, std::move(lease));
  }
  const ReceiptId id = receipt.id;
  receipts_.emplace(id, Held{std::move(receipt)});
}

void Leases::start_deadlines(Held& held, Instant now, bool first_time) {
  for (Lease* lease : running_of(held.receipt)) {
    extend(*lease, now);
    if (first_time) lease->hard_end = lease->deadline + lease->timeout;
  }
  reorder(held);
}

void Leases::reorder(Held& held) {
  order_.erase({held.looked_at, held.receipt.id});
  held.looked_at = Instant::max();
  for (const Lease* lease : running_of(held.receipt))
    held.looked_at = std::min(held.looked_at, end_of(*lease));
  order_.insert({held.looked_at, held.receipt.id});
}

}  // namespace stint
