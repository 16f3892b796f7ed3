#include "actors/storage/report_desk.hpp"

#include <cassert>
#include <utility>

namespace stint {

namespace {

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
  return RunEnd::failed;
}

// Whether this log is what a report with this outcome led to.
bool came_of(const LogRow& log, Outcome outcome) {
  return log.end == end_of(outcome) || (log.end == RunEnd::cancelled && outcome != Outcome::completed);
}

std::string why_stale(const LogRow& log) {
  switch (log.end) {
    case RunEnd::lost:
      return "the lease of this run ended: it counts as lost";
    case RunEnd::undelivered:
      return "the lease of this run ended before its batch was acknowledged";
    case RunEnd::timed_out:
      return "the server ended this run: its time was over";
    case RunEnd::released:
      return "this run was released";
    default:
      return "this run has ended as " + std::string(to_string(log.end));
  }
}

}  // namespace

void ReportDesk::on(Finish&& finish, Turn& turn) {
  const Session* session = desk_.hear_any(finish.session, finish.got);
  if (session == nullptr) return turn.reply(SessionDesk::unknown_session());
  assert(finish.positions.size() == finish.results.size());
  Finished answer;
  answer.rejected = std::move(finish.faulty);
  for (std::size_t index = 0; index < finish.results.size(); ++index) {
    const std::int64_t at = finish.positions[index];
    Result<Standing> standing = take(std::move(finish.results[index]), *session, turn.random());
    // What was taken before it stands: when the report comes again, the logs answer it.
    if (!standing) return turn.reply(standing.error());
    if (standing->accepted) {
      answer.accepted.push_back(at);
    } else {
      answer.stale.push_back({at, std::move(standing->stale)});
      ++state_.counters.stale;
    }
  }
  turn.reply(std::move(answer));
}

Result<ReportDesk::Standing> ReportDesk::take(RunResult&& result, const Session& session,
                                              std::mt19937_64& random) {
  const Lease* lease = state_.leases().find(result.id);
  if (lease == nullptr || lease->run().run != result.run) return look_up(result, session);
  if (lease->session != session.number()) return Standing{false, "this run is another session's"};
  desk_.acknowledge(lease->receipt);
  if (result.pause) {
    const bool is_queue = result.pause->scope == LimitScope::queue;
    limits_.pause(result.pause->scope, is_queue ? lease->job.queue : lease->job.handler,
                  result.pause->for_ms);
  }
  ends_.end(result.id,
            {.end = end_of(result.outcome),
             .reported = true,
             .result = std::move(result.result),
             .error = std::move(result.error),
             .retry_in_ms = result.retry_in_ms},
            random);
  return Standing{true, {}};
}

Result<ReportDesk::Standing> ReportDesk::look_up(const RunResult& result, const Session& session) {
  auto log = state_.store.log({result.id, result.run});
  if (!log) return log.error();
  if (!*log) return Standing{false, "no such run is known: it was never handed out, or is long over"};
  if ((*log)->session != session.number()) return Standing{false, "this run was another session's"};
  if (came_of(**log, result.outcome)) return Standing{true, {}};
  return Standing{false, why_stale(**log)};
}

}  // namespace stint
