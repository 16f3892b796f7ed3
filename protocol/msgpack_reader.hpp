// MsgpackReader: takes the values of a msgpack body one by one, without building a tree, so that no input can
// make it allocate. A copy of a reader remembers a place to come back to. Text and binary are views into the
// body.
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/bounds.hpp"

namespace stint {

class MsgpackReader {
 public:
  enum class Kind : std::uint8_t { nil, boolean, integer, huge_integer, real, text, binary, list, map };

  struct Value {
    Kind kind = Kind::nil;
    std::uint32_t count = 0;   // items of a list, pairs of a map: they follow
    std::int64_t integer = 0;  // of boolean: 0 or 1. A huge integer is above all of int64
    double real = 0;
    std::string_view bytes{};  // of text and binary
  };

  enum class Fault : std::uint8_t { none, truncated, extension, reserved_byte, too_many_values, too_deep };

  explicit MsgpackReader(std::string_view body, std::int64_t most_values = Bounds::message_values)
      : next_(body.data()), end_(body.data() + body.size()), values_left_(most_values) {}

  // The next value, or of a list or map its head. False: fault() says why, and there is no way on.
  bool take(Value& value);

  // Takes the next value if it is nil.
  bool take_nil();

  // Takes the next value with all that is in it.
  bool skip();

  // Around the items of a list or map. enter() fails where they would be nested too deeply.
  bool enter() { return depth_ < Bounds::message_nesting ? (++depth_, true) : fail(Fault::too_deep); }
  void leave() { --depth_; }
  bool is_outermost() const { return depth_ == 1; }

  bool at_end() const { return next_ == end_; }
  Fault fault() const { return fault_; }

 private:
  bool fail(Fault fault) { return fault_ = fault, false; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }
  template <class Number>
  bool take_number(Number& number);
  template <class Size>
  bool take_bytes(Value& value, Kind kind);
  bool take_bytes(Value& value, Kind kind, std::size_t size);
  template <class Size>
  bool take_head(Value& value, Kind kind);
  bool take_head(Value& value, Kind kind, std::uint32_t count);
  template <class Number>
  bool take_integer(Value& value);
  template <class Number>
  bool take_real(Value& value);

  const char* next_;
  const char* end_;
  std::int64_t values_left_;
  int depth_ = 0;
  Fault fault_ = Fault::none;
};

}  // namespace stint
