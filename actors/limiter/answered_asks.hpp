// AnsweredAsks: which asks of one session were answered. Asks count up, so the numbers are kept as ranges:
// there are never more of them than asks that are still open, plus one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace stint {

class AnsweredAsks {
 public:
  void add(std::int64_t ask);
  bool contains(std::int64_t ask) const;
  // The session knows these answers: it will not ask for them again.
  void forget_up_to(std::int64_t ask);
  std::size_t ranges() const { return first_to_last_.size(); }

 private:
  std::map<std::int64_t, std::int64_t> first_to_last_;  // neither touch nor overlap
};

}  // namespace stint
