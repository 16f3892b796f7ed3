#include "tests/sim/world/limit_checker.hpp"

#include <algorithm>
#include <cmath>

namespace stint::sim {

namespace {

// Of a start: what sums of many fractions may be wrong by.
constexpr double tolerance = 1e-6;
// Of a moment that went through the clocks of several lives.
constexpr Duration clock_tolerance = 2 * millisecond;

// Less than any job is delayed by.
constexpr Duration shortest_delay = 900 * microsecond;

constexpr std::array sources{LimitSource::operated, LimitSource::config, LimitSource::declared,
                             LimitSource::enqueue};

InForce result_of(const std::map<LimitSource, Limit>& records) {
  InForce result;
  bool rate_is_decided = false;
  bool running_is_decided = false;
  for (const LimitSource source : sources) {
    const auto record = records.find(source);
    if (record == records.end()) continue;
    const Limit& limit = record->second;
    if (!rate_is_decided && (limit.unlimited || limit.rate || limit.max)) {
      rate_is_decided = true;
      if (limit.rate) {
        const double least = std::max(1.0, std::ceil(*limit.rate));
        result.rate = {*limit.rate, limit.burst > 0 ? static_cast<double>(limit.burst) : least};
      }
      if (limit.max) {
        result.slots = {*limit.max, *limit.window_ms * millisecond, limit.count == CountPolicy::started};
      }
    }
    if (!running_is_decided && (limit.unlimited || limit.max_running)) {
      running_is_decided = true;
      result.max_running = limit.max_running;
    }
  }
  return result;
}

std::string words_of(const InForce& force) {
  std::string words;
  if (force.rate) {
    words += std::to_string(force.rate->per_second) + " a second, burst " +
             std::to_string(static_cast<std::int64_t>(force.rate->burst)) + "; ";
  }
  if (force.slots) {
    words += std::to_string(force.slots->max) + (force.slots->counts_starts ? " started" : " completed") +
             " in " + std::to_string(force.slots->window / millisecond) + " ms; ";
  }
  if (force.max_running) words += std::to_string(*force.max_running) + " running; ";
  return words.empty() ? "nothing" : words;
}

std::string name_of(const JobRun& run) {
  return "job " + std::to_string(run.id) + " run " + std::to_string(run.run);
}

}  // namespace

std::string to_string(const LimitName& name) {
  return std::string(to_string(name.first)) + " " + name.second;
}

// --- What is in force ---

void LimitChecker::configured(const LimitName& name, const Limit& limit) {
  Watched& named = watched(name);
  named.records[LimitSource::config] = limit;
  resolve(name, named);
}

void LimitChecker::apply(const LimitRow& row) {
  Watched& named = watched({row.scope, row.name});
  named.records[row.source] = row.limit;
  // The first hello of a session declares, and whoever says so; nobody else (rule L8).
  const bool is_said = named.declared_in == world_.turn() || session_opened_in_ == world_.turn();
  if (row.source == LimitSource::declared && !is_said) {
    world_.fail("L8", "a limit of " + to_string({row.scope, row.name}) + " is declared by nobody");
  }
  resolve({row.scope, row.name}, named);
}

void LimitChecker::apply(const SessionRow& row) {
  if (sessions_.insert(row.number).second) session_opened_in_ = world_.turn();
}

void LimitChecker::apply(const LimitDeleted& deleted) {
  Watched& named = watched({deleted.scope, deleted.name});
  named.records.erase(deleted.source);
  resolve({deleted.scope, deleted.name}, named);
}

void LimitChecker::resolve(const LimitName& name, Watched& named) {
  const InForce before = std::exchange(named.in_force, result_of(named.records));
  if (before == named.in_force) return;
  ++changes_;
  named.changed_in = world_.turn();
  named.bucket.change(named.in_force.rate, world_.turn_began(), world_.now(), world_.turn());
  named.window.change(named.in_force.slots, world_.now(), world_.turn());
  world_.trace("in force for " + to_string(name) + ": " + words_of(named.in_force));
}

// Only an operator shortens a pause (rule L5).
void LimitChecker::apply(const GateRow& row) {
  Watched& named = watched({row.scope, row.name});
  Duration until{};
  if (row.paused_until) {
    const Duration end = row.paused_until->time_since_epoch();
    until = end == Duration::max() ? end : end - ahead_;
  }
  const Duration before = std::exchange(named.paused_until, until);
  if (until > before && until > world_.now()) {
    named.paused_in = world_.turn();
    ++pauses_;
    world_.trace(to_string({row.scope, row.name}) + " is paused");
  }
  const bool is_shorter = before > world_.now() && until < before - clock_tolerance;
  if (is_shorter && named.resumed_in != world_.turn()) {
    world_.fail("L5", "the pause of " + to_string({row.scope, row.name}) + " was shortened by nobody");
  }
}

const InForce& LimitChecker::in_force(const LimitName& name) const {
  static const InForce nothing;
  const auto named = watched_.find(name);
  return named == watched_.end() ? nothing : named->second.in_force;
}

bool LimitChecker::is_paused(const LimitName& name) const {
  const auto named = watched_.find(name);
  return named != watched_.end() && named->second.paused_until > world_.now();
}

std::int64_t LimitChecker::running(const LimitName& name) const {
  const auto named = watched_.find(name);
  return named == watched_.end() ? 0 : named->second.running;
}

// --- Commits ---

void LimitChecker::committed(const std::vector<StoreChange>& changes) {
  ended_now_.clear();
  committed_in_ = world_.turn();
  for (const StoreChange& change : changes) {
    std::visit([&](const auto& one) { apply(one); }, change);
  }
}

void LimitChecker::apply(const JobInserted& inserted) {
  const JobRow& row = inserted.row;
  jobs_[row.id] = {row.queue, row.handler, row.priority};
  const bool is_ready =
      !row.run_at_ms && row.ready_at.time_since_epoch() - ahead_ <= world_.turn_began() + shortest_delay;
  if (is_ready) lanes_[{row.queue, row.handler, row.priority}].insert(row.id);
}

// Who is refused keeps his attempts (rule L6).
void LimitChecker::apply(const JobChange& change) {
  Job& job = jobs_.at(change.id);
  const bool has_run = job.runs != change.runs || job.attempts != change.attempts;
  if (has_run && !ended_now_.contains(change.id)) {
    world_.fail("L6", "job " + std::to_string(change.id) + " has spent something without a run");
  }
  job.runs = change.runs;
  job.attempts = change.attempts;
  if (change.dead) leave_lane(change.id);
}

void LimitChecker::apply(const JobDeleted& deleted) { leave_lane(deleted.id); }

void LimitChecker::apply(const ReceiptRow& row) {
  for (const JobRun& run : row.runs) {
    const Job& job = jobs_.at(run.id);
    if (run.run == 1) take_from_lane(job, run.id);
    hand_out({LimitScope::queue, job.queue}, run);
    hand_out({LimitScope::handler, job.handler}, run);
  }
}

void LimitChecker::apply(const LogRow& row) {
  ended_now_.insert(row.run.id);
  if (row.run.run == 0) return;
  const Job& job = jobs_.at(row.run.id);
  end({LimitScope::queue, job.queue}, row);
  end({LimitScope::handler, job.handler}, row);
}

// ... and his place (rule L6).
void LimitChecker::take_from_lane(const Job& job, JobId id) {
  std::set<JobId>& lane = lanes_[{job.queue, job.handler, job.priority}];
  if (!lane.contains(id)) return;
  if (*lane.begin() != id) {
    world_.fail("L6", "job " + std::to_string(id) + " has overtaken job " + std::to_string(*lane.begin()));
  }
  lane.erase(id);
}

void LimitChecker::leave_lane(JobId id) {
  const Job& job = jobs_.at(id);
  lanes_[{job.queue, job.handler, job.priority}].erase(id);
}

void LimitChecker::hand_out(const LimitName& name, const JobRun& run) {
  Watched& named = watched(name);
  ++named.running;
  if (name.first == LimitScope::handler) named.window.hand_out(run, named.running, world_.turn());
  const auto most = named.in_force.max_running;
  if (!most || named.changed_in == world_.turn()) return;
  const double ratio = static_cast<double>(named.running) / static_cast<double>(*most);
  named.told.worst_running = std::max(named.told.worst_running, ratio);
  if (named.running > *most) {
    world_.fail("L4", name_of(run) + " of " + to_string(name) + " is running number " +
                          std::to_string(named.running) + " of " + std::to_string(*most));
  }
}

void LimitChecker::end(const LimitName& name, const LogRow& row) {
  Watched& named = watched(name);
  --named.running;
  if (name.first != LimitScope::handler) return;
  named.window.end(row.run, row.end == RunEnd::completed, world_.turn_began(), world_.turn());
}

// --- Starts ---

void LimitChecker::leaves(const Batch& batch) {
  if (left_.first != world_.turn()) left_ = {world_.turn(), {}};
  for (const LeasedJob& job : batch.jobs) {
    const JobRun run{job.id, job.run};
    // Several copies for one ask that leave together are one start.
    if (!left_.second.insert(run).second) continue;
    ++starts_;
    if (!started_.insert(run).second) ++starts_again_;
    start({LimitScope::queue, job.queue}, run, world_.now());
    start({LimitScope::handler, job.handler}, run, world_.now());
  }
}

void LimitChecker::start(const LimitName& name, const JobRun& run, Duration at) {
  Watched& named = watched(name);
  ++named.starts;
  if (named.in_force != InForce{}) ++named.told.starts;
  if (named.paused_until > at && named.paused_in != world_.turn()) {
    world_.fail("L5", name_of(run) + " starts although " + to_string(name) + " is paused");
  }
  if (name.first == LimitScope::queue) {
    const double over = named.bucket.start(at, world_.turn());
    named.told.worst_rate = named.bucket.worst_ratio();
    if (over > tolerance) {
      world_.fail("L2", name_of(run) + " starts " + std::to_string(over) + " starts over the rate of " +
                            to_string(name));
    }
    return;
  }
  const auto taken = named.window.start(run, at, world_.turn());
  if (!taken) return;
  const std::int64_t max = named.in_force.slots->max;
  named.told.worst_window =
      std::max(named.told.worst_window, static_cast<double>(*taken) / static_cast<double>(max));
  if (*taken > max) {
    world_.fail("L3", name_of(run) + " is number " + std::to_string(*taken) + " of " + std::to_string(max) +
                          " in the window of " + to_string(name));
  }
}

// --- Words ---

void LimitChecker::takes(const Request& request) {
  if (const auto* resume = std::get_if<Resume>(&request)) {
    watched({resume->scope, resume->name}).resumed_in = world_.turn();
  } else if (const auto* set = std::get_if<SetLimit>(&request)) {
    watched({set->scope, set->name}).declared_in = world_.turn();
  }
}

void LimitChecker::answers(const Request& request, const Answer& answer) {
  if (const auto* state = std::get_if<LimitState>(&answer)) check_state(*state);
  const auto* finish = std::get_if<Finish>(&request);
  const auto* finished = std::get_if<Finished>(&answer);
  if (finish != nullptr && finished != nullptr) check_pauses(*finish, *finished);
}

// A pause that a report asks for holds from the turn that takes it (rule L5).
void LimitChecker::check_pauses(const Finish& finish, const Finished& answer) {
  for (std::size_t index = 0; index < finish.results.size(); ++index) {
    const RunResult& result = finish.results[index];
    const bool is_accepted =
        std::count(answer.accepted.begin(), answer.accepted.end(), finish.positions[index]) > 0;
    const bool is_new = committed_in_ == world_.turn() && ended_now_.contains(result.id);
    if (!result.pause || !is_accepted || !is_new) continue;
    const Job& job = jobs_.at(result.id);
    const bool is_queue = result.pause->scope == LimitScope::queue;
    const LimitName name{result.pause->scope, is_queue ? job.queue : job.handler};
    const Duration until = world_.turn_began() + result.pause->for_ms * millisecond;
    if (watched(name).paused_until < until - clock_tolerance && watched(name).resumed_in != world_.turn()) {
      world_.fail("L5", to_string(name) + " is not paused, as a report asked for");
    }
  }
}

// What an operator is told is what holds (rule L8).
void LimitChecker::check_state(const LimitState& state) {
  const LimitName name{state.scope, state.name};
  const Watched& named = watched(name);
  // It was told in the middle of a turn that changed it, too.
  if (named.changed_in == world_.turn()) return;
  const std::optional<Limit> limit = state.limit;
  std::map<LimitSource, Limit> told;
  if (limit) told[LimitSource::operated] = *limit;
  if (result_of(told) != named.in_force) {
    world_.fail("L8", "another limit is told of " + to_string(name) + " than is in force");
  }
  if (state.paused != (named.paused_until > world_.turn_began()) && named.paused_in != world_.turn() &&
      named.resumed_in != world_.turn() &&
      (named.paused_until < world_.turn_began() - clock_tolerance ||
       named.paused_until > world_.now() + clock_tolerance)) {
    world_.fail("L5", to_string(name) + " is told to be " + (state.paused ? "" : "not ") + "paused");
  }
}

std::map<LimitName, LimitChecker::Told> LimitChecker::told() const {
  std::map<LimitName, Told> all;
  for (const auto& [name, named] : watched_) {
    if (named.told.starts > 0) all[name] = named.told;
  }
  return all;
}

std::int64_t LimitChecker::starts_of(const LimitName& name) const {
  const auto named = watched_.find(name);
  return named == watched_.end() ? 0 : named->second.starts;
}

}  // namespace stint::sim
