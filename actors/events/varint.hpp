// Varints: integers in seven bits a byte, the lowest first, as the event chunks hold them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace stint {

inline void append_varint(std::string& bytes, std::uint64_t value) {
  while (value >= 0x80) {
    bytes.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes.push_back(static_cast<char>(value));
}

// Small numbers of either sign become small numbers.
constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

inline void append_text(std::string& bytes, std::string_view text) {
  append_varint(bytes, text.size());
  bytes.append(text);
}

// Eight bytes, the lowest first.
inline void append_real(std::string& bytes, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(bits >> shift));
}

// Reads what was appended. After the first fault every read gives nothing.
class VarintReader {
 public:
  explicit VarintReader(std::string_view bytes) : left_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return left_.empty(); }
  std::size_t bytes_left() const { return left_.size(); }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return fail(), 0;
  }

  std::string_view bytes(std::uint64_t size) {
    if (size > left_.size()) return fail(), std::string_view{};
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  double real() {
    std::uint64_t bits = 0;
    int shift = 0;
    for (const char byte : bytes(sizeof bits)) {
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
      shift += 8;
    }
    return std::bit_cast<double>(bits);
  }

  std::string_view text() { return bytes(number()); }

 private:
  void fail() {
    ok_ = false;
    left_ = {};
  }

  std::string_view left_;
  bool ok_ = true;
};

}  // namespace stint
