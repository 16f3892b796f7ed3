// How the scopes and sources of limits are kept: by numbers that never change.
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/limit.hpp"

namespace stint {

constexpr std::int64_t number_of(LimitScope scope) { return scope == LimitScope::queue ? 0 : 1; }

constexpr std::optional<LimitScope> scope_of(std::int64_t number) {
  if (number == 0) return LimitScope::queue;
  if (number == 1) return LimitScope::handler;
  return std::nullopt;
}

constexpr std::int64_t number_of(LimitSource source) {
  switch (source) {
    case LimitSource::operated:
      return 0;
    case LimitSource::config:
      return 1;
    case LimitSource::declared:
      return 2;
    case LimitSource::enqueue:
      break;
  }
  return 3;
}

constexpr std::optional<LimitSource> source_of(std::int64_t number) {
  constexpr LimitSource sources[] = {LimitSource::operated, LimitSource::config, LimitSource::declared,
                                     LimitSource::enqueue};
  if (number < 0 || number > 3) return std::nullopt;
  return sources[number];
}

}  // namespace stint
