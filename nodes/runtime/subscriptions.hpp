// Subscriptions: the topics that subscribers of the event stream have asked for, as prefixes.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace stint {

class Subscriptions {
 public:
  // More distinct prefixes are not told apart any more: from then on everything counts as wanted.
  static constexpr std::size_t most_prefixes = 10'000;

  // A message of an XPUB socket: 1 or 0, then the prefix. It tells the first subscriber of a prefix and the
  // last that leaves. Anything else is ignored.
  void hear(std::string_view message);

  // Whether somebody subscribed to this topic.
  bool want(std::string_view topic) const;
  // Whether somebody subscribed to any topic that begins so.
  bool want_any(std::string_view beginning) const;

 private:
  std::set<std::string, std::less<>> prefixes_;
  bool overflowed_ = false;
};

}  // namespace stint
