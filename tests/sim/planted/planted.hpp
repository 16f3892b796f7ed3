// Which of the bugs in tests/sim/planted/bugs/ this process runs with. Included only by the copies of the
// product's sources that plant.py makes. A global, as bugs sit everywhere; main sets it once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stint {

// A name as a number, so that a sleeping bug costs a comparison.
constexpr std::uint64_t number_of_bug(std::string_view name) {
  std::uint64_t number = 0xcbf29ce484222325ULL;
  for (const char letter : name) number = (number ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return number;
}

// Is `planted()` of the lines in a .bug file.
inline std::uint64_t planted_bug = number_of_bug("none");
consteval std::uint64_t operator""_bug(const char* name, std::size_t length) {
  return number_of_bug({name, length});
}

}  // namespace stint
