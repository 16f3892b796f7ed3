// Limits: setting, asking and lifting them, pausing and resuming.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/limit.hpp"
#include "protocol/time.hpp"

namespace stint {

// All that are answered with a LimitState name a queue or a handler, which need not exist yet.

enum class SetAs : std::uint8_t { operated, declared };

struct SetLimit {
  LimitScope scope = LimitScope::queue;
  std::string name;
  Limit limit;
  SetAs as = SetAs::operated;
  std::optional<std::int64_t> if_version;  // only while this is the version in force; else `conflict`
};

struct GetLimit {
  LimitScope scope = LimitScope::queue;
  std::string name;
};

// Removes the operator's record, or with `all` every one but the config's.
struct ClearLimit {
  LimitScope scope = LimitScope::queue;
  std::string name;
  bool all = false;
};

// The later end of two pauses wins; runs that are on go on (rule L5).
struct Pause {
  LimitScope scope = LimitScope::queue;
  std::string name;
  std::optional<std::int64_t> for_ms;  // absent: until it is resumed
};

struct Resume {
  LimitScope scope = LimitScope::queue;
  std::string name;
};

// What holds for a name now.
struct LimitState {
  LimitScope scope = LimitScope::queue;
  std::string name;
  std::optional<Limit> limit;                   // what results of the layers; absent: none
  std::optional<LimitSource> source;            // of its rate part, or of what else there is
  std::int64_t version = 0;                     // grows with every change of what results
  std::map<std::string, Limit> layers;          // each source's record, by the source's word
  bool limited = false;                         // nothing may start now
  std::optional<std::int64_t> available;        // starts that are allowed now; absent: no limit counts them
  std::optional<std::int64_t> available_in_ms;  // until one is allowed; absent: that depends on a run
  std::int64_t running = 0;
  bool paused = false;
  std::optional<WallMs> paused_until_ms;  // absent though paused: until it is resumed
  std::int64_t started = 0;               // starts since storage's start, while there was a record or pause
};

// Every name with a record or a pause; pages as in the other lists.
struct ListLimits {
  std::optional<LimitScope> scope;
  std::int64_t limit = 100;
  std::string cursor;
};

struct Limits {
  std::vector<LimitState> limits;
  std::string cursor;
};

}  // namespace stint
