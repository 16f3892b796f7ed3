#include "actors/storage/explainer.hpp"

#include <algorithm>

#include "actors/storage/living.hpp"
#include "protocol/time_words.hpp"

namespace stint {

namespace {

std::string when(const std::optional<std::int64_t>& in_ms) {
  return in_ms ? ": there is room in " + span_text(*in_ms) : ": there is room when a run ends";
}

}  // namespace

void Explainer::on(ExplainJob&& request, Turn& turn) {
  auto row = state_.store.job(request.id);
  if (!row) return turn.reply(row.error());
  if (*row) return turn.reply(explain(**row));
  auto log = views_.ended(request.id);
  if (!log) return turn.reply(log.error());
  Explanation explanation;
  explanation.id = request.id;
  explanation.state = log->state;
  explanation.hold = JobHold::ended;
  explanation.message = "it has ended: " + std::string(to_string(log->state));
  turn.reply(std::move(explanation));
}

Explanation Explainer::explain(const JobRow& row) {
  Explanation explanation;
  explanation.id = row.id;
  explanation.state = views_.state_of(row);
  switch (explanation.state) {
    case JobState::running:
      explain_running(row, explanation);
      break;
    case JobState::dead:
      explanation.hold = JobHold::ended;
      explanation.message = "it is dead: " + row.reason;
      break;
    case JobState::scheduled:
    case JobState::retrying:
      explain_delay(row, explanation);
      break;
    default:
      explain_waiting(row, explanation);
  }
  return explanation;
}

void Explainer::explain_running(const JobRow& row, Explanation& explanation) {
  explanation.hold = JobHold::running;
  const Lease* lease = state_.leases().find(row.id);
  const Session* session = lease == nullptr ? nullptr : state_.sessions().find(lease->session);
  explanation.message =
      "it runs" + (session == nullptr ? std::string() : " at worker " + session->row.worker);
}

void Explainer::explain_delay(const JobRow& row, Explanation& explanation) const {
  explanation.hold = JobHold::not_due;
  const std::int64_t in_ms =
      row.run_at_ms ? *row.run_at_ms - state_.wall_now : to_ms(row.ready_at - state_.now);
  explanation.in_ms = std::max<std::int64_t>(0, in_ms);
  const bool retries = explanation.state == JobState::retrying;
  explanation.message =
      (retries ? "it failed and waits for its next attempt in " : "it is not due: it waits another ") +
      span_text(*explanation.in_ms);
}

const NamedLimit* Explainer::closed(LimitScope scope, const std::string& name) {
  const NamedLimit* named = state_.ledger().find(scope, name);
  const bool is_closed = named != nullptr && named->gate.closed(state_.ledger().now()) != Closed::no;
  return is_closed ? named : nullptr;
}

JobId Explainer::first_in(const std::string& queue, const std::function<bool(const LaneGroup&)>& holds) {
  const auto lanes = state_.board().lanes.queues().find(queue);
  if (lanes == state_.board().lanes.queues().end()) return 0;
  const auto& heads = lanes->second.heads;
  const auto first =
      std::find_if(heads.begin(), heads.end(), [&](const LaneHead& head) { return holds(*head.group); });
  return first == heads.end() ? 0 : first->position.id;
}

void Explainer::explain_gate(const NamedLimit& named, const JobRow& row, Explanation& explanation) {
  const Instant now = state_.ledger().now();
  explanation.scope = named.scope;
  explanation.name = named.name;
  if (const auto wait = named.gate.until_room(now)) explanation.in_ms = to_ms(*wait);
  const std::string what = std::string(to_string(named.scope)) + " " + named.name;
  switch (named.gate.closed(now)) {
    case Closed::paused:
      explanation.hold = JobHold::paused;
      explanation.message =
          what + " is paused" +
          (explanation.in_ms ? " for another " + span_text(*explanation.in_ms) : ", until it is resumed");
      break;
    case Closed::rate:
      explanation.hold = JobHold::rate;
      explanation.message = what + " has used up its rate" + when(explanation.in_ms);
      break;
    case Closed::window:
      explanation.hold = JobHold::window;
      explanation.message = what + " has used up its window" + when(explanation.in_ms);
      break;
    default:
      explanation.hold = JobHold::running_limit;
      explanation.message =
          what + " has as many runs as it may have at the same time" + when(explanation.in_ms);
  }
  // The room is not this job's then, and when there is some for it nobody knows.
  const JobId first =
      first_in(row.queue, [&](const LaneGroup& group) { return group.handler == row.handler; });
  if (first == row.id || explanation.hold == JobHold::paused) return;
  explanation.in_ms.reset();
  explanation.message += ", and other jobs of its handler come first";
}

const Homes::Limiter* Explainer::limiter_away(const std::string& queue) const {
  if (!state_.options.homes) return nullptr;
  const Homes::Limiter& home = state_.options.homes->of(queue);
  const bool is_near = home.node == state_.options.self || state_.linked.contains(home.node);
  return is_near ? nullptr : &home;
}

void Explainer::explain_waiting(const JobRow& row, Explanation& explanation) {
  if (const Homes::Limiter* away = limiter_away(row.queue)) {
    explanation.hold = JobHold::no_limiter;
    explanation.message = "node " + away->name + ", which limits queue " + row.queue + ", is away";
    return;
  }
  std::vector<const Session*> askers;
  bool is_served = false;
  bool is_idle = false;
  for (const auto& [number, session] : state_.sessions().all()) {
    const auto& queues = session.row.queues;
    if (!session.open() || std::find(queues.begin(), queues.end(), row.queue) == queues.end()) continue;
    if (!is_living(state_, session)) continue;
    askers.push_back(&session);
    if (!session.handlers.contains(row.handler)) continue;
    is_served = true;
    is_idle |= state_.leases().running(number) == 0;
  }
  if (!is_served) {
    explanation.hold = JobHold::no_worker;
    explanation.message = "no worker asks queue " + row.queue + " for jobs of handler " + row.handler;
    return;
  }
  const NamedLimit* queue = closed(LimitScope::queue, row.queue);
  const NamedLimit* handler = closed(LimitScope::handler, row.handler);
  // Of two, the one that opens last, as far as that is known.
  const auto wait = [&](const NamedLimit& named) {
    return named.gate.until_room(state_.ledger().now()).value_or(Duration::max());
  };
  if (queue != nullptr && handler != nullptr && wait(*queue) < wait(*handler)) queue = nullptr;
  if (queue != nullptr) return explain_gate(*queue, row, explanation);
  if (handler != nullptr) return explain_gate(*handler, row, explanation);
  // The first job that somebody serves and that its handler's limits let start.
  const JobId first = first_in(row.queue, [&](const LaneGroup& group) {
    return closed(LimitScope::handler, group.handler) == nullptr &&
           std::any_of(askers.begin(), askers.end(),
                       [&](const Session* asker) { return asker->handlers.contains(group.handler); });
  });
  if (first != 0 && first != row.id) {
    explanation.hold = JobHold::behind;
    explanation.message = "other jobs of queue " + row.queue + " come first";
  } else if (!is_idle) {
    explanation.hold = JobHold::busy_workers;
    explanation.message = "every worker that serves it is busy";
  } else {
    explanation.hold = JobHold::none;
    explanation.message = "nothing stands in its way: it starts at any moment";
  }
}

}  // namespace stint
