#include "actors/limiter/gate_board.hpp"

#include <algorithm>

namespace stint {

void GateBoard::learn(GateNews&& news, Instant now) {
  const Name name(news.scope, std::move(news.name));
  if (news.state) {
    Entry& entry = gates_[name];
    remove_place(name, entry);
    entry.gate = Gate(*news.state);
    place(name, entry, now);
  } else if (const auto known = gates_.find(name); known != gates_.end()) {
    remove_place(name, known->second);
    gates_.erase(known);
  }
}

void GateBoard::clear() {
  gates_.clear();
  opening_.clear();
}

const Gate* GateBoard::find(LimitScope scope, const std::string& name) const {
  const auto known = gates_.find({scope, name});
  return known == gates_.end() ? nullptr : &known->second.gate;
}

std::int64_t GateBoard::room(LimitScope scope, const std::string& name, Instant now) const {
  const Gate* gate = find(scope, name);
  return gate == nullptr ? Gate::no_bound : gate->room(now);
}

std::vector<GateBoard::Name> GateBoard::take_due(Instant now) {
  std::vector<Name> due;
  while (!opening_.empty() && opening_.begin()->first <= now) {
    due.push_back(opening_.begin()->second);
    opening_.erase(opening_.begin());
    Entry& entry = gates_.at(due.back());
    entry.opens_at.reset();
    place(due.back(), entry, now);
  }
  return due;
}

std::optional<Instant> GateBoard::next_due() const {
  if (opening_.empty()) return std::nullopt;
  return opening_.begin()->first;
}

void GateBoard::place(const Name& name, Entry& entry, Instant now) {
  if (entry.gate.room(now) > 0) return;
  const auto wait = entry.gate.until_room(now);
  if (!wait) return;
  // Never this very moment again: it was looked at.
  entry.opens_at = now + std::max(*wait, Duration(1));
  opening_.emplace(*entry.opens_at, name);
}

void GateBoard::remove_place(const Name& name, Entry& entry) {
  if (entry.opens_at) opening_.erase({*entry.opens_at, name});
  entry.opens_at.reset();
}

}  // namespace stint
