// RequestTag: what a worker's request is told by when its answer comes back: its kind and its number.
#pragma once

#include <cstdint>

namespace stint {

enum class RequestKind : std::uint8_t { none, hello, ask, finish, heartbeat, goodbye };

struct RequestTag {
  RequestKind kind = RequestKind::none;
  std::int64_t number = 0;
};

constexpr std::uint64_t to_tag(RequestKind kind, std::int64_t number) {
  return static_cast<std::uint64_t>(kind) << 56 | static_cast<std::uint64_t>(number);
}

constexpr RequestTag from_tag(std::uint64_t tag) {
  return {static_cast<RequestKind>(tag >> 56),
          static_cast<std::int64_t>(tag & ((std::uint64_t{1} << 56) - 1))};
}

}  // namespace stint
