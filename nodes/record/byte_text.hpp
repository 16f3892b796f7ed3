// ByteText, ByteTaking: the values of a recording as bytes and back: numbers in fixed places, texts with
// their length before them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "actors/kernel/address.hpp"
#include "protocol/time.hpp"

namespace stint {

class ByteText {
 public:
  template <class Number>
  void put(Number number) {
    for (std::size_t at = 0; at < sizeof number; ++at)
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * at) & 0xff);
  }
  void put(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  void put(Instant at) { put(at.time_since_epoch().count()); }
  void put(const Address& address) {
    put(static_cast<std::uint8_t>(address.place));
    put(address.id);
    put(address.node);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Past the end all is zero and empty, and it is no longer good.
class ByteTaking {
 public:
  explicit ByteTaking(std::string_view bytes) : bytes_(bytes) {}
  bool is_good() const { return good_; }
  bool is_good_and_done() const { return good_ && bytes_.empty(); }

  template <class Number>
  Number number() {
    std::uint64_t number = 0;
    const std::string_view taken = take(sizeof(Number));
    for (std::size_t at = 0; at < taken.size(); ++at)
      number |= std::uint64_t{static_cast<unsigned char>(taken[at])} << (8 * at);
    return static_cast<Number>(number);
  }
  std::string text() {
    const auto size = number<std::uint32_t>();
    return std::string(take(size));
  }
  Instant instant() { return Instant(Duration(number<std::int64_t>())); }
  Address address() {
    Address address;
    const auto place = number<std::uint8_t>();
    good_ = good_ && place < static_cast<std::uint8_t>(Place::count_);
    address.place = good_ ? static_cast<Place>(place) : Place::nobody;
    address.id = number<std::uint64_t>();
    address.node = number<NodeNumber>();
    return address;
  }

 private:
  std::string_view take(std::size_t size) {
    good_ = good_ && size <= bytes_.size();
    if (!good_) return {};
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace stint
