// MsgpackWriter: builds a msgpack body value by value, each in its shortest form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace stint {

class MsgpackWriter {
 public:
  // `numbers_as_float`: integers above 2^32-1 become floats, for readers that know no others.
  explicit MsgpackWriter(bool numbers_as_float = false) : numbers_as_float_(numbers_as_float) {}

  void boolean(bool value);
  void integer(std::int64_t value);
  void real(double value);
  void text(std::string_view value);
  void binary(std::string_view value);
  void list(std::size_t items);  // they follow
  void map(std::size_t pairs);   // they follow

  // The body; the writer is done.
  std::string take();

  // Appends bytes as they are.
  void write(const char* bytes, std::size_t size) {
    if (body_.size() - used_ < size) make_room(size);
    std::memcpy(body_.data() + used_, bytes, size);
    used_ += size;
  }

 private:
  void make_room(std::size_t size);

  // Grows ahead of what is written: appending byte by byte took most of the time.
  std::string body_;
  std::size_t used_ = 0;
  bool numbers_as_float_;
};

}  // namespace stint
