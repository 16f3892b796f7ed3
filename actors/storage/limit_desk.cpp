#include "actors/storage/limit_desk.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "actors/jobs/backoff.hpp"
#include "actors/storage/verdict.hpp"

namespace stint {

namespace {

constexpr std::size_t looked_at_a_tick = 1'000;

Error too_many_names() {
  return {ErrorCode::overloaded,
          "more queues and handlers are limited than the server keeps",
          "name",
          {},
          60'000};
}

std::int64_t running_of(const JobBoard& board, LimitScope scope, std::string_view name) {
  std::int64_t running = 0;
  if (scope == LimitScope::queue) {
    const auto queue = board.lanes.queues().find(name);
    if (queue == board.lanes.queues().end()) return 0;
    for (const auto& [handler, group] : queue->second.groups) running += group->counts.running;
    return running;
  }
  for (const auto& [queue, lanes] : board.lanes.queues()) {
    const auto group = lanes.groups.find(name);
    if (group != lanes.groups.end()) running += group->second->counts.running;
  }
  return running;
}

}  // namespace

// --- Messages ---

void LimitDesk::on(SetLimit&& request, Turn& turn) {
  NamedLimit* named = obtain(request.scope, request.name);
  if (named == nullptr) return turn.reply(too_many_names());
  if (request.if_version && *request.if_version != named->version) {
    return turn.reply(Error{ErrorCode::conflict,
                            "the limit is at version " + std::to_string(named->version) + " by now",
                            "if_version"});
  }
  const LimitSource source = request.as == SetAs::declared ? LimitSource::declared : LimitSource::operated;
  set(*named, source, request.limit);
  turn.reply(state_of(request.scope, request.name));
}

void LimitDesk::on(GetLimit&& request, Turn& turn) { turn.reply(state_of(request.scope, request.name)); }

void LimitDesk::on(ClearLimit&& request, Turn& turn) {
  if (NamedLimit* named = state_.ledger().find(request.scope, request.name)) {
    set(*named, LimitSource::operated, std::nullopt);
    if (request.all) {
      set(*named, LimitSource::declared, std::nullopt);
      set(*named, LimitSource::enqueue, std::nullopt);
    }
  }
  turn.reply(state_of(request.scope, request.name));
}

void LimitDesk::on(Pause&& request, Turn& turn) {
  NamedLimit* named = obtain(request.scope, request.name);
  if (named == nullptr) return turn.reply(too_many_names());
  const Instant until = request.for_ms ? state_.now + from_ms(*request.for_ms) : Gate::for_ever;
  state_.ledger().pause_until(*named, until);
  state_.events().add_limit(EventKind::paused, request.scope, request.name, {}, {}, request.for_ms);
  turn.reply(state_of(request.scope, request.name));
}

void LimitDesk::on(Resume&& request, Turn& turn) {
  NamedLimit* named = state_.ledger().find(request.scope, request.name);
  if (named != nullptr && named->gate.is_paused_at_all()) {
    state_.ledger().resume(*named);
    state_.events().add_limit(EventKind::resumed, request.scope, request.name);
  }
  turn.reply(state_of(request.scope, request.name));
}

void LimitDesk::on(ListLimits&& request, Turn& turn) {
  const auto& names = state_.ledger().names();
  auto place = names.begin();
  if (!request.cursor.empty()) {
    const bool is_handler = request.cursor.front() == 'h';
    if (!is_handler && request.cursor.front() != 'q') {
      return turn.reply(Error{ErrorCode::bad_message, "is not a cursor of this list", "cursor"});
    }
    place =
        names.upper_bound({is_handler ? LimitScope::handler : LimitScope::queue, request.cursor.substr(1)});
  }
  Limits page;
  for (; place != names.end(); ++place) {
    const NamedLimit& named = place->second;
    if (request.scope && named.scope != *request.scope) continue;
    if (named.layers.empty() && !named.gate.paused_until(state_.now)) continue;
    if (std::ssize(page.limits) == request.limit) {
      const LimitState& last = page.limits.back();
      page.cursor = (last.scope == LimitScope::handler ? "h" : "q") + last.name;
      break;
    }
    page.limits.push_back(state_of(named.scope, named.name));
  }
  turn.reply(std::move(page));
}

// --- Other ways in ---

Status LimitDesk::take_config() {
  if (Status queues = take_config(LimitScope::queue, state_.options.queue_limits); !queues) return queues;
  return take_config(LimitScope::handler, state_.options.handler_limits);
}

Status LimitDesk::take_config(LimitScope scope, const std::map<std::string, Limit, std::less<>>& limits) {
  for (auto& [key, named] : state_.ledger().names()) {
    if (named.scope == scope && !limits.contains(named.name)) set(named, LimitSource::config, std::nullopt);
  }
  for (const auto& [name, limit] : limits) {
    NamedLimit* named = obtain(scope, name);
    if (named == nullptr) return too_many_names();
    set(*named, LimitSource::config, limit);
  }
  return Done{};
}

void LimitDesk::declare(const Hello& hello, const Session& session) {
  for (const auto& [handler, declaration] : hello.handlers) {
    if (!declaration.limit) continue;
    NamedLimit* named = obtain(LimitScope::handler, handler);
    // So many names that this one is let go: its jobs run without it, as those of a worker that declares
    // nothing.
    if (named == nullptr) continue;
    const auto& before = named->layers.of(LimitSource::declared);
    if (before == declaration.limit) continue;
    if (before && is_served_by_others(handler, session)) {
      state_.events().add_limit(EventKind::conflict, LimitScope::handler, handler, LimitSource::declared,
                                declaration.limit);
    }
    set(*named, LimitSource::declared, declaration.limit);
  }
}

std::optional<Error> LimitDesk::check(const std::vector<NewJob>& jobs) {
  std::map<std::string_view, const Limit*> brought;
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    const NewJob& job = jobs[at];
    if (!job.limit) continue;
    const auto [first, is_new] = brought.emplace(job.handler, &*job.limit);
    if (is_new) {
      if (obtain(LimitScope::handler, job.handler) == nullptr) return too_many_names();
    } else if (*first->second != *job.limit) {
      return Error{ErrorCode::conflict, "the jobs of one request bring two different limits of this handler",
                   "jobs[" + std::to_string(at) + "].limit"};
    }
  }
  return std::nullopt;
}

void LimitDesk::bring(const std::string& handler, const Limit& limit) {
  NamedLimit* named = obtain(LimitScope::handler, handler);
  if (named != nullptr && named->layers.of(LimitSource::enqueue) != limit)
    set(*named, LimitSource::enqueue, limit);
}

void LimitDesk::pause(LimitScope scope, const std::string& name, std::int64_t for_ms) {
  NamedLimit* named = obtain(scope, name);
  if (named == nullptr) return;
  state_.ledger().pause_until(*named, state_.now + from_ms(for_ms));
  state_.events().add_limit(EventKind::paused, scope, name, {}, {}, for_ms);
}

// --- What results ---

NamedLimit* LimitDesk::obtain(LimitScope scope, const std::string& name) {
  if (NamedLimit* named = state_.ledger().find(scope, name)) return named;
  return state_.ledger().add(scope, name, running_of(state_.board(), scope, name));
}

void LimitDesk::set(NamedLimit& named, LimitSource source, std::optional<Limit> limit) {
  const auto before = named.layers.of(source);
  if (before == limit) return;
  state_.ledger().set(named, source, limit, [&] { return starts_of_running(named); });
  if (limit) {
    state_.store.put_limit({named.scope, named.name, source, *limit});
    state_.events().add_limit(EventKind::set, named.scope, named.name, source, limit);
  } else {
    state_.store.delete_limit(named.scope, named.name, source);
    state_.events().add_limit(EventKind::cleared, named.scope, named.name, source);
  }
}

std::vector<Instant> LimitDesk::starts_of_running(const NamedLimit& named) const {
  std::vector<Instant> starts;
  state_.loaded->leases.each([&](const Lease& lease, const Receipt& receipt) {
    if (lease.job.handler == named.name) starts.push_back(receipt.started_at);
  });
  return starts;
}

bool LimitDesk::is_served_by_others(const std::string& handler, const Session& session) const {
  const auto& all = state_.loaded->sessions.all();
  return std::any_of(all.begin(), all.end(), [&](const auto& other) {
    return other.first != session.number() && other.second.open() && other.second.handlers.contains(handler);
  });
}

LimitState LimitDesk::state_of(LimitScope scope, const std::string& name) const {
  LimitState state;
  state.scope = scope;
  state.name = name;
  const NamedLimit* named = state_.loaded->ledger.find(scope, name);
  if (named == nullptr) {
    state.running = running_of(state_.loaded->board, scope, name);
    state.available_in_ms = 0;
    return state;
  }
  const Gate& gate = named->gate;
  const Instant now = state_.loaded->ledger.now();
  state.limit = named->layers.result();
  state.source = named->layers.source();
  state.version = named->version;
  for (const LimitSource source :
       {LimitSource::operated, LimitSource::config, LimitSource::declared, LimitSource::enqueue}) {
    if (const auto& record = named->layers.of(source)) state.layers.emplace(to_string(source), *record);
  }
  state.running = gate.running();
  state.started = named->started;
  const std::int64_t room = gate.room(now);
  state.limited = room <= 0;
  if (room != Gate::no_bound) state.available = room;
  if (const auto wait = gate.until_room(now)) state.available_in_ms = to_ms(*wait);
  if (const auto until = gate.paused_until(now)) {
    state.paused = true;
    if (*until != Gate::for_ever) state.paused_until_ms = state_.wall_now + to_ms(*until - state_.now);
  }
  return state;
}

// --- Words in passing ---

void LimitDesk::tick() {
  state_.ledger().forget_blank(looked_at_a_tick, state_.store);
  state_.ledger().find_freed();
}

std::vector<EventMessage> LimitDesk::take_passing() {
  std::vector<EventMessage> passing;
  const auto say = [&](EventKind event, const NamedLimit& named) {
    EventMessage& message = passing.emplace_back();
    message.event = event;
    message.at_ms = state_.wall_now;
    message.scope = named.scope;
    message.name = named.name;
  };
  for (const NamedLimit* named : state_.ledger().take_reached_or_freed()) {
    say(named->is_reached ? EventKind::reached : EventKind::freed, *named);
  }
  return passing;
}

}  // namespace stint
