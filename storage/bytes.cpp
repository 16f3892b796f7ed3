#include "storage/bytes.hpp"

#include <bit>
#include <cstring>

namespace stint {

namespace {

constexpr int bits_a_byte = 7;
constexpr unsigned char more = 0x80;

// Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
std::uint64_t fold(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unfold(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

}  // namespace

void ByteWriter::number(std::int64_t value) {
  auto rest = fold(value);
  for (; rest >= more; rest >>= bits_a_byte) bytes_ += static_cast<char>((rest & 0x7f) | more);
  bytes_ += static_cast<char>(rest);
}

void ByteWriter::real(double value) {
  static_assert(std::endian::native == std::endian::little, "files hold doubles as this machine does");
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  bytes_.append(bytes, sizeof value);
}

void ByteWriter::text(std::string_view value) {
  number(static_cast<std::int64_t>(value.size()));
  bytes_ += value;
}

std::string_view ByteReader::take(std::size_t length) {
  if (length > rest_.size()) good_ = false;
  if (!good_) return {};
  const auto taken = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return taken;
}

std::int64_t ByteReader::number() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += bits_a_byte) {
    const auto byte = take(1);
    if (!good_) return 0;
    const auto bits = static_cast<unsigned char>(byte.front());
    value |= static_cast<std::uint64_t>(bits & 0x7f) << shift;
    if (bits < more) return unfold(value);
  }
  good_ = false;
  return 0;
}

double ByteReader::real() {
  const auto bytes = take(sizeof(double));
  double value = 0;
  if (good_) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::string_view ByteReader::text() {
  const auto length = number();
  if (length < 0) good_ = false;
  return take(good_ ? static_cast<std::size_t>(length) : 0);
}

}  // namespace stint
