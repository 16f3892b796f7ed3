// Decoder: reads one body into a struct by its field table, checking everything on the way. The first fault
// ends it; its path grows as the calls return.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/fields.hpp"
#include "protocol/messages/worker.hpp"
#include "protocol/msgpack_reader.hpp"

namespace stint::wire {

class Decoder;

// A field as the decoder needs it, without its types: made from a table, see read_fields.hpp.
struct FieldReader {
  std::string_view key;
  bool is_required;
  bool (*read)(Decoder& decoder, void* owner);
};

// How much room a list has, and what a faulty item does to it.
struct ListBounds {
  std::int64_t least;
  std::int64_t most;
  ItemFault on_fault;
};

class Decoder {
 public:
  // Room is made at once for so many items of a list, and for more only as they are read.
  static constexpr std::uint32_t items_reserved = 1'000;

  using Value = MsgpackReader::Value;
  using Kind = MsgpackReader::Kind;

  Decoder(std::string_view body, const Bounds& bounds, std::int64_t most_values = Bounds::message_values)
      : bounds_(bounds), reader_(body, most_values) {}

  // All functions return whether there was no fault.

  // The whole body: one map. `numbers` is a field of every request.
  bool read_body(std::span<const FieldReader> fields, void* owner, bool is_request);
  bool read_map(std::span<const FieldReader> fields, void* owner);

  bool read_integer(std::int64_t& out, const Integer& rule);
  bool read_number(double& out, const Number& rule);
  bool read_flag(bool& out);
  bool read_text(std::string& out, const Text& rule);
  bool read_report(std::string& out);
  bool read_session(SessionId& out);
  bool read_payload(Payload& out, std::int64_t most_bytes);
  bool read_dictionary(Meta& out, std::int64_t most_bytes);
  bool read_name(std::string& out, bool (*is_name)(std::string_view), std::string_view what);
  bool read_word(std::size_t& out, std::span<const std::string_view> words);

  // `read_item(item)` reads one into the list's end.
  template <class Item, class ReadItem>
  bool read_list(std::vector<Item>& out, const ListBounds& bounds, ReadItem read_item);
  // `read_key(key)` and `read_value(value)` read one each.
  template <class Mapped, class ReadKey, class ReadValue>
  bool read_pairs(std::map<std::string, Mapped>& out, std::int64_t least, std::int64_t most, ReadKey read_key,
                  ReadValue read_value);

  bool fail(std::string message, ErrorCode code = ErrorCode::bad_message);
  bool fail_at(std::string_view key, std::string message, ErrorCode code = ErrorCode::bad_message);

  const Bounds& bounds() const { return bounds_; }
  bool numbers_as_float() const { return numbers_as_float_; }
  // The message's error: its first fault, and the first of each further item.
  Error error() const;
  // What ItemFault::sets_item_apart has set apart from the list `key`, and the positions of the items that
  // were kept.
  std::vector<Finish::Faulty> take_set_apart(std::string_view key);
  std::vector<std::int64_t> take_positions() { return std::move(positions_); }

 private:
  bool take(Value& value);
  bool read_key(std::string_view& key);
  bool read_unknown(std::string_view key);
  bool check_distinct(std::vector<std::string_view>& unknown_keys);
  bool read_head(Kind kind, std::uint32_t& count, std::string_view expected);
  bool read_bytes(Value& value, std::string_view expected);
  bool check_count(std::int64_t count, std::int64_t least, std::int64_t most);
  // After a fault in an item that began at `item`: on to the one behind it, if there is a way.
  bool recover(const MsgpackReader& item, std::int64_t position, ItemFault on_fault);
  bool fail_if_collected();
  bool fail_reading();
  bool fail_type(std::string_view expected, const Value& value);
  void prepend(std::string_view key);
  void prepend(std::int64_t position);

  const Bounds& bounds_;
  MsgpackReader reader_;
  Fault fault_;
  std::vector<ErrorItem> collected_;               // fields from the list on: `[17].priority`
  ErrorCode first_code_ = ErrorCode::bad_message;  // of the first that was collected
  std::vector<Finish::Faulty> set_apart_;
  std::vector<std::int64_t> positions_;
  bool takes_numbers_ = false;
  bool numbers_as_float_ = false;
};

template <class Item, class ReadItem>
bool Decoder::read_list(std::vector<Item>& out, const ListBounds& bounds, ReadItem read_item) {
  std::uint32_t count = 0;
  if (!read_head(Kind::list, count, "a list") || !check_count(count, bounds.least, bounds.most)) return false;
  if (!reader_.enter()) return fail_reading();
  out.reserve(std::min(count, items_reserved));
  for (std::int64_t i = 0; i < count; ++i) {
    const MsgpackReader item = reader_;
    if (read_item(out.emplace_back())) {
      if (bounds.on_fault == ItemFault::sets_item_apart) positions_.push_back(i);
      continue;
    }
    prepend(i);
    out.pop_back();
    if (!recover(item, i, bounds.on_fault)) return false;
  }
  reader_.leave();
  return bounds.on_fault != ItemFault::is_collected || fail_if_collected();
}

template <class Mapped, class ReadKey, class ReadValue>
bool Decoder::read_pairs(std::map<std::string, Mapped>& out, std::int64_t least, std::int64_t most,
                         ReadKey read_key_into, ReadValue read_value) {
  std::uint32_t count = 0;
  // Pairs whose value is nil are not there, but their keys must not come again.
  std::vector<typename std::map<std::string, Mapped>::iterator> absent;
  if (!read_head(Kind::map, count, "a map") || !check_count(count, least, most)) return false;
  if (!reader_.enter()) return fail_reading();
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string key;
    if (!read_key_into(key)) return false;
    const auto [place, is_new] = out.try_emplace(std::move(key));
    if (!is_new) return fail_at(place->first, "is given twice");
    if (reader_.take_nil()) {
      absent.push_back(place);
    } else if (!read_value(place->second)) {
      return prepend(place->first), false;
    }
  }
  for (const auto place : absent) out.erase(place);
  reader_.leave();
  return true;
}

}  // namespace stint::wire
