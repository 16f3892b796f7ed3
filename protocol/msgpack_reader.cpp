#include "protocol/msgpack_reader.hpp"

#include <bit>
#include <concepts>
#include <cstring>
#include <limits>

namespace stint {

template <class Number>
bool MsgpackReader::take_number(Number& number) {
  if (left() < sizeof(Number)) return fail(Fault::truncated);
  if constexpr (std::floating_point<Number>) {
    std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t> bits = 0;
    take_number(bits);
    number = std::bit_cast<Number>(bits);
  } else {
    std::make_unsigned_t<Number> bits = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      bits = static_cast<decltype(bits)>((bits << 7 << 1) | static_cast<unsigned char>(next_[i]));
    }
    next_ += sizeof(Number);
    number = static_cast<Number>(bits);
  }
  return true;
}

bool MsgpackReader::take_bytes(Value& value, Kind kind, std::size_t size) {
  if (left() < size) return fail(Fault::truncated);
  value.kind = kind;
  value.bytes = {next_, size};
  next_ += size;
  return true;
}

template <class Size>
bool MsgpackReader::take_bytes(Value& value, Kind kind) {
  Size size = 0;
  return take_number(size) && take_bytes(value, kind, size);
}

// Each item takes a byte at least: a head that promises more than the body holds is refused before anybody
// believes it.
bool MsgpackReader::take_head(Value& value, Kind kind, std::uint32_t count) {
  const std::size_t items = kind == Kind::map ? std::size_t{count} * 2 : count;
  if (left() < items) return fail(Fault::truncated);
  value.kind = kind;
  value.count = count;
  return true;
}

template <class Size>
bool MsgpackReader::take_head(Value& value, Kind kind) {
  Size count = 0;
  return take_number(count) && take_head(value, kind, count);
}

template <class Number>
bool MsgpackReader::take_integer(Value& value) {
  Number number = 0;
  if (!take_number(number)) return false;
  if constexpr (std::same_as<Number, std::uint64_t>) {
    const bool is_huge = number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    value.kind = is_huge ? Kind::huge_integer : Kind::integer;
  } else {
    value.kind = Kind::integer;
  }
  value.integer = static_cast<std::int64_t>(number);
  return true;
}

template <class Number>
bool MsgpackReader::take_real(Value& value) {
  Number number = 0;
  if (!take_number(number)) return false;
  value.kind = Kind::real;
  value.real = number;
  return true;
}

bool MsgpackReader::take(Value& value) {
  if (next_ == end_) return fail(Fault::truncated);
  if (--values_left_ < 0) return fail(Fault::too_many_values);
  const auto first = static_cast<unsigned char>(*next_++);
  if (first <= 0x7f || first >= 0xe0) {
    value.kind = Kind::integer;
    value.integer = static_cast<signed char>(first);
    return true;
  }
  if (first <= 0x8f) return take_head(value, Kind::map, first & 0x0f);
  if (first <= 0x9f) return take_head(value, Kind::list, first & 0x0f);
  if (first <= 0xbf) return take_bytes(value, Kind::text, first & 0x1f);
  switch (first) {
    case 0xc0:
      return value.kind = Kind::nil, true;
    case 0xc2:
    case 0xc3:
      return value.kind = Kind::boolean, value.integer = first & 1, true;
    case 0xc4:
      return take_bytes<std::uint8_t>(value, Kind::binary);
    case 0xc5:
      return take_bytes<std::uint16_t>(value, Kind::binary);
    case 0xc6:
      return take_bytes<std::uint32_t>(value, Kind::binary);
    case 0xca:
      return take_real<float>(value);
    case 0xcb:
      return take_real<double>(value);
    case 0xcc:
      return take_integer<std::uint8_t>(value);
    case 0xcd:
      return take_integer<std::uint16_t>(value);
    case 0xce:
      return take_integer<std::uint32_t>(value);
    case 0xcf:
      return take_integer<std::uint64_t>(value);
    case 0xd0:
      return take_integer<std::int8_t>(value);
    case 0xd1:
      return take_integer<std::int16_t>(value);
    case 0xd2:
      return take_integer<std::int32_t>(value);
    case 0xd3:
      return take_integer<std::int64_t>(value);
    case 0xd9:
      return take_bytes<std::uint8_t>(value, Kind::text);
    case 0xda:
      return take_bytes<std::uint16_t>(value, Kind::text);
    case 0xdb:
      return take_bytes<std::uint32_t>(value, Kind::text);
    case 0xdc:
      return take_head<std::uint16_t>(value, Kind::list);
    case 0xdd:
      return take_head<std::uint32_t>(value, Kind::list);
    case 0xde:
      return take_head<std::uint16_t>(value, Kind::map);
    case 0xdf:
      return take_head<std::uint32_t>(value, Kind::map);
    case 0xc1:
      return fail(Fault::reserved_byte);
    default:
      return fail(Fault::extension);
  }
}

bool MsgpackReader::take_nil() {
  if (next_ == end_ || static_cast<unsigned char>(*next_) != 0xc0) return false;
  Value nil;
  return take(nil);
}

bool MsgpackReader::skip() {
  Value value;
  if (!take(value)) return false;
  if (value.kind != Kind::list && value.kind != Kind::map) return true;
  if (!enter()) return false;
  const std::int64_t items = std::int64_t{value.count} * (value.kind == Kind::map ? 2 : 1);
  for (std::int64_t i = 0; i < items; ++i) {
    if (!skip()) return false;
  }
  leave();
  return true;
}

}  // namespace stint
