// From field tables to msgpack: how each member is written. Only for the codec's sources.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
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

template <class Owner, class Field>
bool is_written(const Owner& owner, const Field& field) {
  static const Owner defaults{};
  return !is_default(owner.*field.member, defaults.*field.member);
}

template <class Owner>
bool is_written(const Owner&, const Reserved&) {
  return false;
}

// A field's key as msgpack, made at compile time: its copy is then a few moves.
template <class Owner, std::size_t index>
struct PackedKey {
  static constexpr std::string_view key = std::get<index>(Fields<Owner>::table).key;
  static_assert(key.size() < 32, "the shortest head of msgpack takes no longer key");

  static constexpr std::array<char, key.size() + 1> bytes = [] {
    std::array<char, key.size() + 1> packed{static_cast<char>(0xa0 | key.size())};
    for (std::size_t i = 0; i < key.size(); ++i) packed[i + 1] = key[i];
    return packed;
  }();
};

template <class Owner, std::size_t index>
void write_field(MsgpackWriter& writer, const Owner& owner) {
  constexpr const auto& field = std::get<index>(Fields<Owner>::table);
  if constexpr (!is_reserved<decltype(field)>) {
    if (!field.is_required && !is_written(owner, field)) return;
    constexpr const auto& key = PackedKey<Owner, index>::bytes;
    writer.write(key.data(), key.size());
    write(writer, owner.*field.member);
  }
}

template <class Owner>
void write_struct(MsgpackWriter& writer, const Owner& owner) {
  std::size_t pairs = 0;
  each_field<Owner>([&]<class Field>(const Field& field) {
    pairs += Field::is_required || is_written(owner, field) ? 1 : 0;
  });
  writer.map(pairs);
  [&]<std::size_t... index>(std::index_sequence<index...>) {
    (write_field<Owner, index>(writer, owner), ...);
  }
  (std::make_index_sequence<field_count<Owner>>());
}

}  // namespace stint::wire
