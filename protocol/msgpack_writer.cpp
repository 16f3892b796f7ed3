#include "protocol/msgpack_writer.hpp"

#include <bit>
#include <limits>
#include <msgpack.hpp>

namespace stint {
namespace {

// What msgpack-cxx writes to.
struct Appender {
  std::string& body;
  void write(const char* bytes, std::size_t size) { body.append(bytes, size); }
};

auto packer(Appender& appender) { return msgpack::packer<Appender>(appender); }

}  // namespace

void MsgpackWriter::boolean(bool value) {
  Appender appender{body_};
  value ? packer(appender).pack_true() : packer(appender).pack_false();
}

void MsgpackWriter::integer(std::int64_t value) {
  if (numbers_as_float_ && value > std::numeric_limits<std::uint32_t>::max()) {
    real(static_cast<double>(value));
    return;
  }
  Appender appender{body_};
  packer(appender).pack_int64(value);
}

// By hand: msgpack-cxx writes a float without a fraction as an integer.
void MsgpackWriter::real(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  body_ += '\xcb';
  for (int shift = 56; shift >= 0; shift -= 8) body_ += static_cast<char>(bits >> shift);
}

void MsgpackWriter::text(std::string_view value) {
  Appender appender{body_};
  packer(appender).pack_str(static_cast<std::uint32_t>(value.size()));
  body_ += value;
}

void MsgpackWriter::binary(std::string_view value) {
  Appender appender{body_};
  packer(appender).pack_bin(static_cast<std::uint32_t>(value.size()));
  body_ += value;
}

void MsgpackWriter::list(std::size_t items) {
  Appender appender{body_};
  packer(appender).pack_array(static_cast<std::uint32_t>(items));
}

void MsgpackWriter::map(std::size_t pairs) {
  Appender appender{body_};
  packer(appender).pack_map(static_cast<std::uint32_t>(pairs));
}

}  // namespace stint
