#include "actors/storage/load_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "actors/storage/limit_desk.hpp"
#include "actors/storage/restored_backup.hpp"
#include "actors/storage/run_ends.hpp"
#include "actors/storage/verdict.hpp"

namespace stint {

namespace {

// A turn that decides on hand-outs hardly takes longer until they have left.
constexpr Duration longest_turn = std::chrono::milliseconds(100);

class Loading {
 public:
  Loading(StorageState& state, const StorageStart& start)
      : state_(state), start_(start), loaded_(std::make_unique<Loaded>(state.options.defaults)) {}

  Status run() {
    auto header = state_.store.header();
    if (!header) return header.error();
    const bool is_restored = is_backup(*header);
    if (is_restored) part_from_original(*header);
    if (is_restored || header->log.empty()) header->log = start_.new_log;
    loaded_->events.continue_after(header->event_seq, header->log);
    loaded_->last_job = header->last_job;
    loaded_->last_session = header->last_session;
    // Of a restored backup every session: whoever says hello again may have been answered by the original.
    loaded_->last_older_session =
        is_restored ? std::numeric_limits<SessionNumber>::max() : header->last_session;
    loaded_->last_receipt = header->last_receipt;
    kept_.known_until = header->last_commit;
    // What passed between two boots only the wall clock says.
    if (header->boot_id != start_.boot_id)
      kept_.put_off = std::max(start_.now - header->last_commit, Duration{});
    kept_.is_restored_now = is_restored;
    if (header->restored_at) header->restored_at = kept_.at(*header->restored_at, start_.now);
    if (is_restored) header->restored_at = start_.now;
    kept_.restored_at = header->restored_at;
    if (Status sessions = load_sessions(); !sessions) return sessions;
    if (Status receipts = load_receipts(); !receipts) return receipts;
    if (Status jobs = load_jobs(); !jobs) return jobs;
    open_leases();
    if (Status topics = load_topics(); !topics) return topics;
    if (Status limits = load_limits(); !limits) return limits;
    begin_life(*header);
    keep_answered_asks();
    state_.loaded = std::move(loaded_);
    if (is_restored) end_old_sessions(state_);
    return LimitDesk(state_).take_config();
  }

 private:
  struct OldReceipt {
    ReceiptRow row;
    std::unordered_map<JobId, Lease> leases;
  };

  Status load_sessions() {
    return state_.store.each_session([this](const SessionRow& row) { loaded_->sessions.add(row); });
  }

  // The store does not know which asks were answered by batches that are over. After a commit that failed
  // memory still does: a claim that a limiter repeats must not start jobs for one of them.
  void keep_answered_asks() {
    for (const auto& [number, before] : state_.loaded->sessions.all()) {
      Session* same = loaded_->sessions.find(before.row.id);
      if (same == nullptr) continue;
      same->got = before.got;
      same->over = before.over;
    }
  }

  Status load_receipts() {
    return state_.store.each_receipt([this](const ReceiptRow& row) {
      for (const JobRun& run : row.runs) run_of_job_[run.id].push_back({run.run, receipts_.size()});
      receipts_.push_back({row, {}});
    });
  }

  Status load_jobs() {
    loaded_->board.begin_load();
    Status jobs = state_.store.each_job([this](const JobRow& row) { load_job(row); });
    loaded_->board.end_load();
    return jobs;
  }

  void load_job(const JobRow& row) {
    LaneGroup& group = loaded_->board.lanes.group(row.queue, row.handler);
    if (row.dead) return loaded_->board.bury(group, row);
    if (const auto receipt = receipt_of(row)) {
      Lease lease{.job = row, .group = &group};
      lease.receipt = receipts_[*receipt].row.id;
      lease.session = receipts_[*receipt].row.session;
      lease.timeout = timeout_of(row, state_.options.defaults);
      loaded_->board.add_running(group, 1);
      receipts_[*receipt].leases.emplace(row.id, std::move(lease));
      return;
    }
    const bool due_by_wall = row.run_at_ms && !is_delayed(row, start_.now, start_.wall_now);
    const auto place = due_by_wall ? corrected_place(row.ready_at, start_.now) : std::nullopt;
    if (!place) return loaded_->board.wait(group, row, start_.now, start_.wall_now);
    JobRow& moved = moved_.emplace_back(row);
    moved.ready_at = *place;
    loaded_->board.wait(group, moved, start_.now, start_.wall_now);
  }

  // The receipt that says the job runs.
  std::optional<std::size_t> receipt_of(const JobRow& row) const {
    const auto runs = run_of_job_.find(row.id);
    if (runs == run_of_job_.end()) return std::nullopt;
    for (const auto& run_and_receipt : runs->second) {
      if (run_and_receipt.first == row.runs + 1) return run_and_receipt.second;
    }
    return std::nullopt;
  }

  void open_leases() {
    std::int64_t opened = 0;
    for (OldReceipt& old : receipts_) {
      Receipt receipt;
      receipt.id = old.row.id;
      receipt.session = old.row.session;
      receipt.ask = old.row.ask;
      receipt.started_at_ms = old.row.started_at_ms;
      receipt.acknowledged = old.row.acknowledged;
      receipt.started_at = left_at(old);
      receipt.copies = 1;  // which an earlier life has sent, and may have arrived
      receipt.only_by_name = true;
      std::vector<Lease> leases;
      for (const JobRun& run : old.row.runs) {
        receipt.jobs.push_back(run.id);
        const auto lease = old.leases.find(run.id);
        if (lease == old.leases.end() || lease->second.run() != run) continue;
        leases.push_back(std::move(lease->second));
      }
      if (leases.empty()) {
        state_.store.delete_receipt(old.row.id);
        continue;
      }
      // Steps of the golden ratio lie evenly between 0 and 1, however many there are.
      const double spread = std::fmod(static_cast<double>(opened++) * 0.6180339887498949, 1.0);
      loaded_->leases.load(std::move(receipt), std::move(leases), old.row.started_at, start_.now, spread);
    }
  }

  // When a batch left: after a commit that failed memory knows. A row says when the node decided on it, and
  // that it left later than that. What may be another run's entry in a window is not taken for its own: a
  // window that is changed to count completed runs holds too many for a while, never too few.
  Instant left_at(const OldReceipt& old) const {
    const Receipt* same = state_.loaded->leases.receipt(old.row.id);
    const Instant began = same != nullptr ? same->started_at : old.row.started_at;
    if (began >= kept_.known_until) return start_.now;
    return same != nullptr ? began : began + longest_turn + kept_.put_off;
  }

  Status load_topics() {
    return state_.store.each_topic([this](const TopicRow& row) { loaded_->events.load_topic(row); });
  }

  // All of it before the first batch (rule L10).
  Status load_limits() {
    Ledger& ledger = loaded_->ledger;
    ledger.begin(start_.now);
    ledger.begin_load(kept_);
    Status limits = state_.store.each_limit([&](const LimitRow& row) { ledger.load(row); });
    if (!limits) return limits;
    Status gates = state_.store.each_gate([&](const GateRow& row) { ledger.load(row); });
    if (!gates) return gates;
    Status windows = state_.store.each_window([&](const WindowRow& row) { ledger.load(row); });
    if (!windows) return windows;
    for (const auto& [queue, lanes] : loaded_->board.lanes.queues()) {
      for (const auto& [handler, group] : lanes.groups) {
        const Ledger::Limits held = ledger.of(*group);
        if (held.queue != nullptr) held.queue->gate.hold(group->counts.running);
        if (held.handler != nullptr) held.handler->gate.hold(group->counts.running);
      }
    }
    ledger.finish_load();
    return Done{};
  }

  void begin_life(StoreHeader header) {
    if (state_.epoch == 0) {
      state_.epoch = header.starts + 1;
      state_.started_at = start_.now;
    }
    header.starts = state_.epoch;
    header.boot_id = start_.boot_id;
    header.clock_offset = start_.clock_offset;
    state_.store.put_header(header);
    for (JobRow& row : moved_) {
      row.run_at_ms.reset();
      state_.store.change_job(change_of(row));
    }
  }

  StorageState& state_;
  const StorageStart& start_;
  std::unique_ptr<Loaded> loaded_;
  std::vector<OldReceipt> receipts_;
  // The runs of a job that receipts name, and which receipt; all but the newest have ended.
  std::unordered_map<JobId, std::vector<std::pair<std::int64_t, std::size_t>>> run_of_job_;
  std::vector<JobRow> moved_;
  Ledger::Kept kept_;
};

}  // namespace

Status load_state(StorageState& state, const StorageStart& start) { return Loading(state, start).run(); }

}  // namespace stint
