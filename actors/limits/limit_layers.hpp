// LimitLayers: the records that different sources have set for one name, and what results of them (rule L8).
// A value; the ledger owns one for each name that has any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "actors/limits/gate.hpp"
#include "protocol/limit.hpp"

namespace stint {

class LimitLayers {
 public:
  // Replaces the source's record whole; nothing: removes it.
  void set(LimitSource source, std::optional<Limit> limit) { records_[index(source)] = limit; }
  const std::optional<Limit>& of(LimitSource source) const { return records_[index(source)]; }
  bool empty() const;

  // The rate part and `max_running` each come from the first source that says something of them; `unlimited`
  // says of both that there is none. Nothing: there is no limit.
  std::optional<Limit> result() const;
  // Who decides on the rate part, or where nobody does, on `max_running`.
  std::optional<LimitSource> source() const;

 private:
  static constexpr std::size_t sources = 4;
  static constexpr std::size_t index(LimitSource source) { return static_cast<std::size_t>(source); }
  // The first source that decides on this part.
  template <class Says>
  std::optional<LimitSource> first_that(Says says) const;

  std::array<std::optional<Limit>, sources> records_;
};

}  // namespace stint
