// From field tables to msgpack: how each member is written. Only for the codec's sources.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "protocol/fields.hpp"
#include "protocol/msgpack_writer.hpp"
#include "protocol/words.hpp"

namespace stint::wire {

template <class Owner>
void write_struct(MsgpackWriter& writer, const Owner& owner);

inline void write(MsgpackWriter& writer, std::int64_t value) { writer.integer(value); }
inline void write(MsgpackWriter& writer, int value) { writer.integer(value); }
inline void write(MsgpackWriter& writer, double value) { writer.real(value); }
inline void write(MsgpackWriter& writer, bool value) { writer.boolean(value); }
inline void write(MsgpackWriter& writer, const std::string& value) { writer.text(value); }
inline void write(MsgpackWriter& writer, const Payload& value) {
  value.is_text ? writer.text(value.bytes) : writer.binary(value.bytes);
}
inline void write(MsgpackWriter& writer, const SessionId& value) {
  writer.binary({reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
}

template <class Value>
void write(MsgpackWriter& writer, const std::vector<Value>& values);
template <class Value>
void write(MsgpackWriter& writer, const std::map<std::string, Value>& values);

template <class Value>
requires std::is_enum_v<Value>
void write(MsgpackWriter& writer, Value value) { writer.text(word_of(value)); }

template <class Owner>
requires requires { Fields<Owner>::table; }
void write(MsgpackWriter& writer, const Owner& owner) { write_struct(writer, owner); }

template <class Value>
void write(MsgpackWriter& writer, const std::optional<Value>& value) {
  write(writer, *value);
}

template <class Value>
void write(MsgpackWriter& writer, const std::vector<Value>& values) {
  writer.list(values.size());
  for (const Value& value : values) write(writer, value);
}

template <class Value>
void write(MsgpackWriter& writer, const std::map<std::string, Value>& values) {
  writer.map(values.size());
  for (const auto& [key, value] : values) {
    writer.text(key);
    write(writer, value);
  }
}

// Whether a member holds what a reader assumes in its absence.
template <class Member>
bool is_default(const Member& member, const Member& otherwise) {
  if constexpr (requires { member.has_value(); }) {
    return !member.has_value();
  } else if constexpr (requires { member.empty(); } && !std::is_same_v<Member, std::string>) {
    return member.empty();
  } else if constexpr (requires { member == otherwise; }) {
    return member == otherwise;
  } else {
    return false;
  }
}

template <class Owner, class Member, class Rule>
bool is_written(const Owner& owner, const Field<Owner, Member, Rule>& field) {
  static const Owner defaults{};
  return field.is_required || !is_default(owner.*field.member, defaults.*field.member);
}

template <class Owner>
bool is_written(const Owner&, const Reserved&) {
  return false;
}

template <class Owner, class Member, class Rule>
void write_field(MsgpackWriter& writer, const Owner& owner, const Field<Owner, Member, Rule>& field) {
  if (!is_written(owner, field)) return;
  writer.text(field.key);
  write(writer, owner.*field.member);
}

template <class Owner>
void write_field(MsgpackWriter&, const Owner&, const Reserved&) {}

template <class Owner>
void write_struct(MsgpackWriter& writer, const Owner& owner) {
  std::size_t pairs = 0;
  each_field<Owner>([&](const auto& field) { pairs += is_written(owner, field) ? 1 : 0; });
  writer.map(pairs);
  each_field<Owner>([&](const auto& field) { write_field(writer, owner, field); });
}

}  // namespace stint::wire
