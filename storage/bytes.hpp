// ByteWriter and ByteReader: the compact form of small structures inside one column. What is written is read
// back in the same order; nothing in the bytes says what they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stint {

class ByteWriter {
 public:
  void number(std::int64_t value);    // 1 to 10 bytes, small values of either sign in few
  void real(double value);            // 8 bytes
  void text(std::string_view value);  // its length, then its bytes
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Bytes that end too early or hold no number give zeros and empty texts, and are not good() from then on.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  std::int64_t number();
  double real();
  std::string_view text();  // lives as long as the bytes that are read
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty() || !good_; }

 private:
  std::string_view take(std::size_t length);

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace stint
