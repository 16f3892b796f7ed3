// Seldom: when something that keeps happening is worth a line in the log: the first time, and now and then.
// Bounded, whatever comes from outside.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "protocol/time.hpp"

namespace stint {

class Seldom {
 public:
  static constexpr Duration pause = std::chrono::seconds(30);
  static constexpr std::size_t most_texts = 64;  // that differ, within a pause

  bool may_say(const std::string& text, Instant now) {
    std::erase_if(said_at_, [&](const auto& said) { return said.second + pause <= now; });
    return said_at_.size() < most_texts && said_at_.try_emplace(text, now).second;
  }

 private:
  std::map<std::string, Instant> said_at_;
};

}  // namespace stint
