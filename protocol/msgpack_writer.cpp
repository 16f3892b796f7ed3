#include "protocol/msgpack_writer.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <msgpack.hpp>

namespace stint {
namespace {

auto packer(MsgpackWriter& writer) { return msgpack::packer<MsgpackWriter>(writer); }

}  // namespace

void MsgpackWriter::make_room(std::size_t size) {
  body_.resize(std::max<std::size_t>({256, 2 * body_.size(), used_ + size}));
}

void MsgpackWriter::boolean(bool value) { value ? packer(*this).pack_true() : packer(*this).pack_false(); }

void MsgpackWriter::integer(std::int64_t value) {
  if (numbers_as_float_ && value > std::numeric_limits<std::uint32_t>::max()) {
    real(static_cast<double>(value));
  } else {
    packer(*this).pack_int64(value);
  }
}

// By hand: msgpack-cxx writes a float without a fraction as an integer.
void MsgpackWriter::real(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  char bytes[9] = {'\xcb'};
  for (int i = 0; i < 8; ++i) bytes[i + 1] = static_cast<char>(bits >> (56 - 8 * i));
  write(bytes, sizeof bytes);
}

void MsgpackWriter::text(std::string_view value) {
  packer(*this).pack_str(static_cast<std::uint32_t>(value.size()));
  write(value.data(), value.size());
}

void MsgpackWriter::binary(std::string_view value) {
  packer(*this).pack_bin(static_cast<std::uint32_t>(value.size()));
  write(value.data(), value.size());
}

void MsgpackWriter::list(std::size_t items) { packer(*this).pack_array(static_cast<std::uint32_t>(items)); }

void MsgpackWriter::map(std::size_t pairs) { packer(*this).pack_map(static_cast<std::uint32_t>(pairs)); }

std::string MsgpackWriter::take() {
  body_.resize(used_);
  return std::move(body_);
}

}  // namespace stint
