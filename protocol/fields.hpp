// Field tables: what each message and nested struct looks like on the wire. A table stands beside its struct
// (messages/*_fields.hpp); encoding, decoding, validation, PROTOCOL.md and the tests' random messages are
// made from it. Only the codec's sources, the documentation and tests include this.
//
//   template <> struct Fields<Ping> {
//     static constexpr std::string_view name = "ping";
//     static constexpr std::string_view doc = "Is anybody there?";
//     static constexpr auto table = std::make_tuple(required("key", &Ping::member, rule, "what it means"),
//     ...);
//   };
//
// `settle`, where a table has it, is called with what was read: it checks what no single field can tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "protocol/bounds.hpp"
#include "protocol/error.hpp"

namespace stint::wire {

// Every integer of the wire fits a float without loss.
inline constexpr std::int64_t largest_integer = (std::int64_t{1} << 53) - 1;
// The longest duration: sums of a few of them stay far from overflow, in microseconds too.
inline constexpr std::int64_t longest_ms = 10LL * 365 * 24 * 3'600'000;
// The last point in time that people can name: the end of the year 9999.
inline constexpr std::int64_t latest_ms = 253'402'300'799'999;

// --- Rules: what a field may hold. ---

using BoundOf = std::int64_t Bounds::*;  // a bound that the config can set

struct Integer {
  std::int64_t least;
  std::int64_t most;
};
struct Number {  // finite
  double least;
  double most;
};
struct Flag {};
struct Word {};  // one of an enumeration's words
struct Session {};
struct QueueName {};
struct WorkerName {};
struct HandlerName {};
struct Text {  // UTF-8
  std::int64_t least_bytes;
  std::int64_t most_bytes;
};
struct Report {};                // text about a failure: cut at its bound and mended to UTF-8, never refused
struct Opaque {                  // bin or str, kept as it is
  BoundOf most_bytes = nullptr;  // none: as much as a message holds
};
struct Dictionary {              // str to str
  BoundOf most_bytes = nullptr;  // of all keys and values together
};
struct Nested {};  // a struct with a table of its own
// What becomes of a list with a fault in one of its items.
enum class ItemFault {
  refuses_message,  // the first fault is the message's
  is_collected,     // the same, but the first faults of further items are told too
  sets_item_apart,  // the item alone is refused
};
template <class Item>
struct List {
  Item item;
  std::int64_t least;
  std::int64_t most;
  BoundOf most_items = nullptr;  // instead of `most`
  ItemFault on_fault = ItemFault::refuses_message;
};
template <class Key, class Value>
struct Map {
  Key key;
  Value value;
  std::int64_t least;
  std::int64_t most;
};

template <class Item>
constexpr List<Item> list_of(Item item, std::int64_t least, std::int64_t most) {
  return {item, least, most};
}
template <class Key, class Value>
constexpr Map<Key, Value> map_of(Key key, Value value, std::int64_t least, std::int64_t most) {
  return {key, value, least, most};
}

// Rules of many fields.
inline constexpr Integer any_integer{-largest_integer, largest_integer};
inline constexpr Integer any_count{0, largest_integer};
inline constexpr Number any_number{-1.7e308, 1.7e308};
inline constexpr Integer ordinal{1, largest_integer};
inline constexpr Integer duration_ms{0, longest_ms};
inline constexpr Integer instant_ms{0, latest_ms};
inline constexpr Text any_text{0, Bounds::message_bytes};
// Lists of answers are as long as a message allows.
template <class Item>
constexpr List<Item> any_list_of(Item item) {
  return {item, 0, Bounds::message_values};
}
template <class Key, class Value>
constexpr Map<Key, Value> any_map_of(Key key, Value value) {
  return {key, value, 0, Bounds::message_values};
}

// --- Fields. ---

template <class Owner, class Member, class Rule, bool required>
struct Field {
  static constexpr bool is_required = required;
  std::string_view key;
  Member Owner::*member;
  Rule rule;
  std::string_view doc;
};

// A key that this version knows and refuses.
struct Reserved {
  static constexpr bool is_required = false;
  std::string_view key;
  std::string_view doc;
};

template <class Owner, class Member, class Rule>
constexpr Field<Owner, Member, Rule, true> required(std::string_view key, Member Owner::*member, Rule rule,
                                                    std::string_view doc) {
  return {key, member, rule, doc};
}

// Absent: the struct's own default. A value equal to it is not sent.
template <class Owner, class Member, class Rule>
constexpr Field<Owner, Member, Rule, false> optional(std::string_view key, Member Owner::*member, Rule rule,
                                                     std::string_view doc) {
  return {key, member, rule, doc};
}

constexpr Reserved reserved(std::string_view key, std::string_view doc) { return {key, doc}; }

// What is wrong with a value; no message: nothing is.
struct Fault {
  ErrorCode code = ErrorCode::bad_message;
  std::string field{};
  std::string message{};
};

template <class Owner>
struct Fields;

template <class Owner>
inline constexpr std::size_t field_count =
    std::tuple_size_v<std::remove_cvref_t<decltype(Fields<Owner>::table)>>;

template <class Field>
inline constexpr bool is_reserved = std::is_same_v<std::remove_cvref_t<Field>, Reserved>;

// Calls `visit` with each field of Owner's table, in its order.
template <class Owner, class Visit>
constexpr void each_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, Fields<Owner>::table);
}

}  // namespace stint::wire
