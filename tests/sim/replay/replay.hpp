// Replay: the actors of a recorded node, made again and given the same words at the same times, decide the
// same; where they do not, it says from which turn on. So a user's fault becomes a test.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "nodes/config/config.hpp"
#include "nodes/record/recording.hpp"
#include "protocol/result.hpp"

namespace stint::sim {

// What a node of this config, replayed, came to.
struct Replayed {
  std::int64_t turns = 0;
  std::int64_t messages = 0;  // that it was given
  std::int64_t left = 0;      // messages that left it
  Duration span{};            // from the first turn to the last
  // The first turn of which something else leaves: what was recorded, and what leaves now.
  struct Difference {
    std::int64_t turn = 0;
    std::string recorded;
    std::string replayed;
  };
  std::optional<Difference> difference;
};

// `scratch`: a file that the database is copied to; it is left behind. `tell` gets a line for all that
// happens. Errors: of the recording, its config or its database.
Result<Replayed> replay(const std::string& recording, const std::string& scratch,
                        const std::function<void(const std::string&)>& tell);

}  // namespace stint::sim
