// How members that the protocol's messages do not have are written and read. Only the links' codec includes
// this.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nodes/links/link_fields.hpp"
#include "protocol/codec/read_fields.hpp"
#include "protocol/codec/write_fields.hpp"

// Found by their first argument, whose namespace this is.
namespace stint {

inline void write(MsgpackWriter& writer, std::uint64_t bits) {
  writer.integer(static_cast<std::int64_t>(bits));
}
inline void write(MsgpackWriter& writer, NodeNumber number) { writer.integer(number); }
inline void write(MsgpackWriter& writer, Duration duration) { writer.integer(duration.count()); }
inline void write(MsgpackWriter& writer, Instant from_now) {
  writer.integer(from_now.time_since_epoch().count());
}

inline void write(MsgpackWriter& writer, const std::shared_ptr<const std::vector<std::string>>& names) {
  writer.list(names ? names->size() : 0);
  if (!names) return;
  for (const std::string& name : *names) writer.text(name);
}

inline void write(MsgpackWriter& writer, const std::vector<ReadyCount>& counts) {
  std::map<std::string, std::map<std::string, std::int64_t>> lanes;
  for (const ReadyCount& count : counts) lanes[count.queue][count.handler] = count.ready;
  wire::write(writer, lanes);
}

inline void write(MsgpackWriter& writer, const GateState& state) {
  LinkGate gate{state.rules.rate,
                {},
                state.rules.window,
                state.rules.max_running,
                state.entries,
                state.running,
                false,
                {}};
  if (state.bucket) gate.level = LinkLevel{state.bucket->level_billionths(), state.bucket->at()};
  gate.is_paused = state.paused_until.has_value();
  if (state.paused_until != Gate::for_ever) gate.paused_until = state.paused_until;
  wire::write_struct(writer, gate);
}

}  // namespace stint

namespace stint::wire {

// A message's bytes end before.
inline constexpr std::int64_t most_lanes = 1'000'000;

inline bool read(Decoder& decoder, std::uint64_t& out, Bits) {
  std::int64_t bits = 0;
  constexpr Integer any{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  if (!decoder.read_integer(bits, any)) return false;
  out = static_cast<std::uint64_t>(bits);
  return true;
}

inline bool read(Decoder& decoder, NodeNumber& out, const Integer& rule) {
  std::int64_t number = 0;
  if (!decoder.read_integer(number, rule)) return false;
  out = static_cast<NodeNumber>(number);
  return true;
}

inline bool read(Decoder& decoder, Duration& out, const Microseconds& rule) {
  std::int64_t count = 0;
  if (!decoder.read_integer(count, {rule.least, rule.most})) return false;
  out = Duration(count);
  return true;
}

inline bool read(Decoder& decoder, Instant& out, const Microseconds& rule) {
  Duration from_now{};
  if (!read(decoder, from_now, rule)) return false;
  out = Instant(from_now);
  return true;
}

inline bool read(Decoder& decoder, std::shared_ptr<const std::vector<std::string>>& out, SharedNames) {
  std::vector<std::string> names;
  if (!read(decoder, names, list_of(HandlerName{}, 0, names_per_session))) return false;
  if (!std::is_sorted(names.begin(), names.end())) return decoder.fail("must be sorted");
  out = std::make_shared<const std::vector<std::string>>(std::move(names));
  return true;
}

inline bool read(Decoder& decoder, std::vector<ReadyCount>& out, LaneCounts) {
  std::map<std::string, std::map<std::string, std::int64_t>> lanes;
  if (!read(decoder, lanes,
            map_of(QueueName{}, map_of(HandlerName{}, any_count, 0, most_lanes), 0, most_lanes)))
    return false;
  for (const auto& [queue, handlers] : lanes) {
    for (const auto& [handler, ready] : handlers) out.push_back({queue, handler, ready});
  }
  return true;
}

inline bool read(Decoder& decoder, GateState& out, Nested) {
  LinkGate gate;
  if (!read_struct(decoder, gate)) return false;
  out.rules = {gate.rate, gate.window, gate.max_running};
  if (gate.level) out.bucket.emplace(*gate.rate, gate.level->billionths, gate.level->at);
  out.entries = std::move(gate.entries);
  out.running = gate.running;
  if (gate.is_paused) out.paused_until = gate.paused_until.value_or(Gate::for_ever);
  return true;
}

}  // namespace stint::wire
