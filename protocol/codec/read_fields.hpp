// From field tables to FieldReaders: which function of the decoder reads which member. Only for the codec's
// sources.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "protocol/codec/decoder.hpp"
#include "protocol/names.hpp"
#include "protocol/words.hpp"

namespace stint::wire {

template <class Owner>
bool read_struct(Decoder& decoder, Owner& owner);

inline bool read(Decoder& decoder, std::int64_t& out, const Integer& rule) {
  return decoder.read_integer(out, rule);
}
inline bool read(Decoder& decoder, int& out, const Integer& rule) {
  std::int64_t value = 0;
  if (!decoder.read_integer(value, rule)) return false;
  out = static_cast<int>(value);
  return true;
}
inline bool read(Decoder& decoder, double& out, const Number& rule) { return decoder.read_number(out, rule); }
inline bool read(Decoder& decoder, bool& out, Flag) { return decoder.read_flag(out); }
inline bool read(Decoder& decoder, std::string& out, const Text& rule) {
  return decoder.read_text(out, rule);
}
inline bool read(Decoder& decoder, std::string& out, Report) { return decoder.read_report(out); }
inline bool read(Decoder& decoder, SessionId& out, Session) { return decoder.read_session(out); }
inline bool read(Decoder& decoder, std::string& out, QueueName) {
  return decoder.read_name(out, is_queue_name, "queue");
}
inline bool read(Decoder& decoder, std::string& out, WorkerName) {
  return decoder.read_name(out, is_worker_name, "worker");
}
inline bool read(Decoder& decoder, std::string& out, HandlerName) {
  return decoder.read_name(out, is_handler_name, "handler");
}

inline std::int64_t bound_of(const Decoder& decoder, BoundOf bound, std::int64_t otherwise) {
  return bound ? decoder.bounds().*bound : otherwise;
}
inline bool read(Decoder& decoder, Payload& out, const Opaque& rule) {
  return decoder.read_payload(out, bound_of(decoder, rule.most_bytes, Bounds::message_bytes));
}
inline bool read(Decoder& decoder, Meta& out, const Dictionary& rule) {
  return decoder.read_dictionary(out, bound_of(decoder, rule.most_bytes, Bounds::message_bytes));
}

template <class Enum>
requires std::is_enum_v<Enum>
bool read(Decoder& decoder, Enum& out, Word) {
  std::size_t index = 0;
  if (!decoder.read_word(index, words_of<Enum>)) return false;
  out = static_cast<Enum>(index);
  return true;
}

template <class Owner>
requires requires { Fields<Owner>::table; }
bool read(Decoder& decoder, Owner& out, Nested) { return read_struct(decoder, out); }

template <class Member, class Rule>
bool read(Decoder& decoder, std::optional<Member>& out, const Rule& rule) {
  return read(decoder, out.emplace(), rule);
}

template <class Item, class Rule>
bool read(Decoder& decoder, std::vector<Item>& out, const List<Rule>& rule) {
  const ListBounds bounds{rule.least, bound_of(decoder, rule.most_items, rule.most), rule.on_fault};
  return decoder.read_list(out, bounds, [&](Item& item) { return read(decoder, item, rule.item); });
}

template <class Value, class KeyRule, class ValueRule>
bool read(Decoder& decoder, std::map<std::string, Value>& out, const Map<KeyRule, ValueRule>& rule) {
  return decoder.read_pairs(
      out, rule.least, rule.most, [&](std::string& key) { return read(decoder, key, rule.key); },
      [&](Value& value) { return read(decoder, value, rule.value); });
}

template <class Owner, std::size_t index>
bool read_field(Decoder& decoder, void* owner) {
  constexpr const auto& field = std::get<index>(Fields<Owner>::table);
  if constexpr (is_reserved<decltype(field)>) {
    return decoder.fail("is not supported by this version");
  } else {
    return read(decoder, static_cast<Owner*>(owner)->*field.member, field.rule);
  }
}

template <class Owner>
struct FieldReaders {
  static constexpr std::size_t size = field_count<Owner>;
  static_assert(size <= 32, "the decoder keeps what it has seen in 32 bits");

  template <std::size_t... index>
  static constexpr std::array<FieldReader, size> readers(std::index_sequence<index...>) {
    constexpr const auto& table = Fields<Owner>::table;
    return {FieldReader{std::get<index>(table).key, std::get<index>(table).is_required,
                        &read_field<Owner, index>}...};
  }
  static constexpr std::array<FieldReader, size> all = readers(std::make_index_sequence<size>());
};

template <class Owner>
bool settle(Decoder& decoder, Owner& owner) {
  if constexpr (requires { Fields<Owner>::settle(owner); }) {
    Fault fault = Fields<Owner>::settle(owner);
    return fault.message.empty() || decoder.fail_at(fault.field, std::move(fault.message), fault.code);
  } else {
    return true;
  }
}

template <class Owner>
bool read_struct(Decoder& decoder, Owner& owner) {
  return decoder.read_map(FieldReaders<Owner>::all, &owner) && settle(decoder, owner);
}

// The whole body of a message.
template <class Owner>
bool read_message(Decoder& decoder, Owner& owner, bool is_request) {
  return decoder.read_body(FieldReaders<Owner>::all, &owner, is_request) && settle(decoder, owner);
}

}  // namespace stint::wire
