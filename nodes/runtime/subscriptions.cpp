#include "nodes/runtime/subscriptions.hpp"

#include <algorithm>

namespace stint {

void Subscriptions::hear(std::string_view message) {
  if (message.empty() || overflowed_) return;
  const std::string_view prefix = message.substr(1);
  if (message.front() == 1) {
    overflowed_ = prefixes_.size() >= most_prefixes;
    prefixes_.emplace(prefix);
  } else if (message.front() == 0) {
    if (const auto known = prefixes_.find(prefix); known != prefixes_.end()) prefixes_.erase(known);
  }
  if (overflowed_) prefixes_.clear();
}

// The greatest prefix that is not above the topic is looked at. Where the two part, any shorter one that
// might fit has ended already.
bool Subscriptions::want(std::string_view topic) const {
  if (overflowed_) return true;
  for (;;) {
    auto prefix = prefixes_.upper_bound(topic);
    if (prefix == prefixes_.begin()) return false;
    --prefix;
    if (topic.starts_with(*prefix)) return true;
    const auto parting = std::mismatch(topic.begin(), topic.end(), prefix->begin(), prefix->end()).first;
    topic = topic.substr(0, static_cast<std::size_t>(parting - topic.begin()));
  }
}

bool Subscriptions::want_any(std::string_view beginning) const {
  const auto first = prefixes_.lower_bound(beginning);
  return (first != prefixes_.end() && first->starts_with(beginning)) || want(beginning);
}

}  // namespace stint
