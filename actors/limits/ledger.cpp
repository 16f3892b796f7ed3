#include "actors/limits/ledger.hpp"

#include <algorithm>
#include <cassert>

namespace stint {

namespace {

constexpr Duration between_words = std::chrono::seconds(1);

void note(std::vector<NamedLimit*>& list, bool& is_in_it, NamedLimit& named) {
  if (!std::exchange(is_in_it, true)) list.push_back(&named);
}

// Those whose entries have not left the window yet.
std::vector<Instant> within(Duration window, std::vector<Instant> starts, Instant now) {
  std::erase_if(starts, [&](Instant start) { return start + window <= now; });
  return starts;
}

}  // namespace

// --- Time ---

// Later than the last stamp in any case: so what is stored tells by itself of which commit it is (rule L10).
void Ledger::begin(Instant now) { now_ = std::max(now, stamped_at_ + Duration(1)); }

void Ledger::stamp(Instant now) {
  stamped_at_ = std::max(now, now_);
  stamped_ = std::exchange(fresh_, {});
  for (NamedLimit* named : stamped_) {
    named->gate.stamp(stamped_at_);
    note(untold_, named->must_tell, *named);
    if (!named->must_store) note(to_store_, named->was_stamped, *named);
  }
}

void Ledger::stamp_again(Instant now) {
  stamped_at_ = std::max(now, now_);
  for (NamedLimit* named : stamped_) {
    named->gate.stamp_again(stamped_at_);
    changed(*named);
  }
  begin(now);
}

// --- Names ---

NamedLimit* Ledger::find(LimitScope scope, std::string_view name) {
  const auto found = names_.find(Key(scope, name));
  return found == names_.end() ? nullptr : &found->second;
}

NamedLimit* Ledger::add(LimitScope scope, std::string_view name, std::int64_t running) {
  assert(find(scope, name) == nullptr);
  if (names_.size() >= most_names) return nullptr;
  NamedLimit& named = insert(scope, name);
  named.gate.hold(running);
  return &named;
}

NamedLimit& Ledger::insert(LimitScope scope, std::string_view name) {
  const auto [place, is_new] = names_.try_emplace(Key(scope, name));
  NamedLimit& named = place->second;
  if (is_new) {
    named.scope = scope;
    named.name = name;
    ++generation_;
  }
  return named;
}

bool Ledger::set(NamedLimit& named, LimitSource source, std::optional<Limit> limit,
                 const std::function<std::vector<Instant>()>& starts) {
  const std::optional<Limit> before = named.layers.result();
  named.layers.set(source, std::move(limit));
  const std::optional<Limit> after = named.layers.result();
  if (before == after) return false;
  const auto counted_by = named.gate.counted_by();
  const Duration window = named.gate.kept_for();
  change_gate(named);
  if (named.gate.counted_by() != counted_by) {
    if (named.gate.counted_by() == CountPolicy::started) named.gate.enter_running(starts(), now_);
    if (counted_by == CountPolicy::started) {
      named.gate.withdraw_running(within(window, starts(), now_));
    }
    named.rewrites_entries = true;
  }
  fill_window(named);
  named.version = ++versions_;
  changed(named);
  return true;
}

void Ledger::pause_until(NamedLimit& named, Instant until) {
  named.gate.pause_until(until);
  changed(named);
}

void Ledger::resume(NamedLimit& named) {
  named.gate.resume();
  changed(named);
}

void Ledger::forget_blank(std::size_t most, Store& store) {
  auto place = names_.lower_bound(looked_at_);
  for (; most > 0 && place != names_.end(); --most) {
    NamedLimit& named = place->second;
    if (named.gate.expire(now_) && !named.must_store) note(to_store_, named.was_stamped, named);
    const bool is_idle = !named.must_store && !named.was_stamped && !named.must_tell && !named.is_reached;
    const bool is_newest = named.version != 0 && named.version == versions_;
    const bool is_blank = is_idle && !is_newest && named.layers.empty() && named.gate.is_blank(now_);
    // Limiters are told first that a pause is no more.
    if (is_blank && named.gate.is_paused_at_all()) resume(named);
    if (!is_blank || named.must_tell) {
      ++place;
      continue;
    }
    store.delete_gate(named.scope, named.name);
    std::erase(fresh_, &named);
    std::erase(stamped_, &named);
    std::erase(words_, &named);
    place = names_.erase(place);
    ++generation_;
  }
  looked_at_ = place == names_.end() ? Key{} : place->first;
}

// --- Starts ---

Ledger::Limits Ledger::of(LaneGroup& group) {
  if (group.limits_generation != generation_) {
    group.queue_limit = find(LimitScope::queue, group.queue);
    group.handler_limit = find(LimitScope::handler, group.handler);
    group.limits_generation = generation_;
  }
  return {group.queue_limit, group.handler_limit};
}

void Ledger::start(LaneGroup& group) {
  const Limits limits = of(group);
  for (NamedLimit* named : {limits.queue, limits.handler}) {
    if (named == nullptr) continue;
    named->gate.start(1, now_);
    ++named->started;
    note_start(*named);
  }
  if (limits.handler != nullptr) limits.handler->turns.served(group.queue);
}

bool Ledger::start_again(LaneGroup& group) {
  const Limits limits = of(group);
  for (const NamedLimit* named : {limits.queue, limits.handler}) {
    if (named != nullptr && !named->gate.may_start_again(now_)) return false;
  }
  for (NamedLimit* named : {limits.queue, limits.handler}) {
    if (named == nullptr) continue;
    named->gate.start_again(1, now_);
    ++named->started;
    note_start(*named);
  }
  return true;
}

void Ledger::note_start(NamedLimit& named) {
  if (fresh_.empty() || fresh_.back() != &named) {
    if (std::find(fresh_.begin(), fresh_.end(), &named) == fresh_.end()) fresh_.push_back(&named);
  }
  if (!named.gate.rules().any()) return;
  changed(named);
  if (named.is_reached || named.told_people_at + between_words > now_ || named.gate.room(now_) > 0) return;
  named.is_reached = true;
  named.told_people_at = now_;
  reached_.push_back(&named);
  words_.push_back(&named);
}

void Ledger::find_freed() {
  std::erase_if(reached_, [&](NamedLimit* named) {
    if (named->told_people_at + between_words > now_ || named->gate.room(now_) <= 0) return false;
    named->is_reached = false;
    named->told_people_at = now_;
    words_.push_back(named);
    return true;
  });
}

void Ledger::end(LaneGroup& group, bool completed) {
  const Limits limits = of(group);
  for (NamedLimit* named : {limits.queue, limits.handler}) {
    if (named == nullptr) continue;
    named->gate.end(completed, now_);
    if (named->gate.rules().any()) changed(*named);
  }
}

// --- Keeping and telling ---

void Ledger::changed(NamedLimit& named) {
  if (!named.was_stamped) {
    note(to_store_, named.must_store, named);
  } else {
    named.must_store = true;
  }
  note(untold_, named.must_tell, named);
}

void Ledger::load(const LimitRow& row) { insert(row.scope, row.name).layers.set(row.source, row.limit); }

void Ledger::load(const GateRow& row) {
  NamedLimit& named = insert(row.scope, row.name);
  named.version = row.version + (kept_.is_restored_now ? ids_apart : 0);
  versions_ = std::max(versions_, named.version);
  if (row.paused_until) named.gate.pause_until(*row.paused_until);
  if (row.window) named.gate.load_kept_for(*row.window);
  if (!row.level) return;
  // What it has filled by since then nobody knows.
  const TokenBucket before({row.rate, row.burst}, *row.level, row.level_at);
  const std::int64_t level = kept_.is_restored_now ? 0 : before.level_at(kept_.known_until);
  named.gate.load_bucket(TokenBucket(before.rate(), level, now_));
}

void Ledger::load(const WindowRow& row) {
  NamedLimit& named = insert(LimitScope::handler, row.handler);
  named.stored_entries.push_back({row.at, row.count});
  named.gate.load_entries({kept_.at(row.at, now_), row.count});
}

void Ledger::finish_load() {
  for (auto& [key, named] : names_) {
    change_gate(named);
    fill_window(named);
    changed(named);
  }
}

void Ledger::change_gate(NamedLimit& named) {
  const auto limit = named.layers.result();
  const GateRules rules = limit ? rules_of(*limit) : GateRules{};
  const bool begins_empty = kept_.restored_at && rules.rate && !named.gate.bucket();
  if (begins_empty) named.gate.load_bucket(TokenBucket(*rules.rate, 0, *kept_.restored_at));
  named.gate.change(rules, now_);
}

void Ledger::fill_window(NamedLimit& named) {
  const auto& rule = named.gate.rules().window;
  if (!kept_.restored_at || !rule || *kept_.restored_at + rule->window <= now_) return;
  named.gate.fill_window(*kept_.restored_at);
  named.rewrites_entries = true;
}

// All or none: a commit says that what is older than its stamp is known.
void Ledger::store(Store& store, bool has_changes) {
  if (!has_changes && std::none_of(to_store_.begin(), to_store_.end(),
                                   [](const NamedLimit* named) { return named->must_store; })) {
    return;
  }
  for (NamedLimit* named : std::exchange(to_store_, {})) {
    named->must_store = named->was_stamped = false;
    named->gate.expire(now_);
    store.put_gate(row_of(*named));
    if (named->scope == LimitScope::handler) store_entries(*named, store);
  }
}

GateRow Ledger::row_of(const NamedLimit& named) const {
  GateRow row;
  row.scope = named.scope;
  row.name = named.name;
  row.version = named.version;
  row.paused_until = named.gate.paused_until(now_);
  if (const auto& bucket = named.gate.bucket()) {
    row.level = bucket->level_billionths();
    row.level_at = bucket->at();
    row.rate = bucket->rate().per_second;
    row.burst = bucket->rate().burst;
  }
  if (named.gate.kept_for() > Duration::zero()) row.window = named.gate.kept_for();
  return row;
}

// Entries come and go at the ends, unless a change of the limit has moved them.
void Ledger::store_entries(NamedLimit& named, Store& store) {
  const auto& entries = named.gate.window().entries();
  auto& stored = named.stored_entries;
  if (!stored.empty() && (entries.empty() || stored.front().at < entries.front().at)) {
    const Instant first = entries.empty() ? Instant::max() : entries.front().at;
    store.delete_windows_before(named.name, first);
    while (!stored.empty() && stored.front().at < first) stored.pop_front();
  }
  std::size_t same =
      std::exchange(named.rewrites_entries, false) ? 0 : std::min(stored.size(), entries.size());
  while (same > 0 && stored[same - 1] != entries[same - 1]) --same;
  while (stored.size() > same) {
    store.delete_window(named.name, stored.back().at);
    stored.pop_back();
  }
  for (std::size_t index = same; index < entries.size(); ++index) {
    store.put_window({named.name, entries[index].at, entries[index].count});
    stored.push_back(entries[index]);
  }
}

std::vector<NamedLimit*> Ledger::take_untold() {
  for (NamedLimit* named : untold_) named->must_tell = false;
  return std::exchange(untold_, {});
}

}  // namespace stint
