// MsgpackWriter: appends msgpack values to a body, each in its shortest form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stint {

class MsgpackWriter {
 public:
  // `numbers_as_float`: integers above 2^32-1 become floats, for readers that know no others.
  explicit MsgpackWriter(std::string& body, bool numbers_as_float = false)
      : body_(body), numbers_as_float_(numbers_as_float) {}

  void boolean(bool value);
  void integer(std::int64_t value);
  void real(double value);
  void text(std::string_view value);
  void binary(std::string_view value);
  void list(std::size_t items);  // they follow
  void map(std::size_t pairs);   // they follow

 private:
  std::string& body_;
  bool numbers_as_float_;
};

}  // namespace stint
